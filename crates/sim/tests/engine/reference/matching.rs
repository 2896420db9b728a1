//! Which message meets which receive.

use super::{Kind, Operation, Reference};
use crate::driver::RESERVED;

impl Reference<'_> {
    /// Messages that wait meet receives that wait, as long as any do.
    pub fn match_messages(&mut self) {
        while let Some((id, receive)) = self.pair() {
            self.messages[id].receive = Some(receive);
            self.operations[receive].message = Some(id);
            self.grant(id);
            self.finish(id);
        }
    }

    /// A message and a receive that meet: of the receives the one that was posted first, of the messages the one that came
    /// first, but none before an earlier one of the same sender that the receive accepts too.
    fn pair(&self) -> Option<(usize, usize)> {
        let mut waiting: Vec<usize> = (0..self.messages.len()).filter(|&id| self.is_waiting(id)).collect();
        waiting.sort_by_key(|&id| {
            let message = &self.messages[id];
            (message.came.unwrap_or(u64::MAX), message.from, message.number)
        });
        let receives = (0..self.operations.len()).filter(|&receive| self.is_open(receive));
        receives
            .flat_map(|receive| waiting.iter().map(move |&id| (id, receive)))
            .find(|&(id, receive)| self.meet(id, receive))
    }

    /// Has it come, or does its receiver take messages by name alone, so that they meet in the order of sending?
    fn is_waiting(&self, id: usize) -> bool {
        let message = &self.messages[id];
        let by_name = !self.processes[message.to as usize].wild;
        message.receive.is_none() && (message.came.is_some() || by_name)
    }

    fn is_open(&self, receive: usize) -> bool {
        let operation = &self.operations[receive];
        operation.kind != Kind::Send && operation.message.is_none()
    }

    fn meet(&self, id: usize, receive: usize) -> bool {
        let message = &self.messages[id];
        let earlier_receive =
            (0..receive).any(|other| self.is_open(other) && accepts(&self.operations[other], message));
        let operation = &self.operations[receive];
        let earlier_message = self.messages.iter().any(|other| {
            (other.from, other.to) == (message.from, message.to)
                && other.number < message.number
                && other.receive.is_none()
                && accepts(operation, other)
        });
        accepts(operation, message) && !earlier_receive && !earlier_message
    }
}

fn accepts(operation: &Operation, message: &super::Message) -> bool {
    let Kind::Receive { source, tag } = operation.kind else { return false };
    operation.rank == message.to
        && source.is_none_or(|source| source == message.from)
        && tag.map_or(message.tag < RESERVED, |tag| tag == message.tag)
}
