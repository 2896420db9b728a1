//! Matching of messages and receives.

use super::{Operation, OperationKind, RESERVED, Reference};

impl Reference<'_> {
    /// Matches unmatched messages and open receives until no pair is left.
    pub fn match_messages(&mut self) {
        while let Some((id, receive)) = self.next_match() {
            self.messages[id].receive = Some(receive);
            self.operations[receive].message = Some(id);
            self.clear_to_send(id);
            self.complete_receive(id);
        }
    }

    /// Returns a message and a receive that match: the receive that was posted first and the
    /// message that arrived first, but none before an earlier one of the same sender that the
    /// receive accepts too.
    fn next_match(&self) -> Option<(usize, usize)> {
        let mut unmatched: Vec<usize> =
            (0..self.messages.len()).filter(|&id| self.is_matchable(id)).collect();
        unmatched.sort_by_key(|&id| {
            let message = &self.messages[id];
            (message.arrived.unwrap_or(u64::MAX), message.from, message.sequence)
        });
        let receives = (0..self.operations.len()).filter(|&receive| self.is_open(receive));
        receives
            .flat_map(|receive| unmatched.iter().map(move |&id| (id, receive)))
            .find(|&(id, receive)| self.can_match(id, receive))
    }

    /// Returns whether a message can be matched: it has arrived, or its receiver names all sources,
    /// so that its messages match in the order of sending.
    fn is_matchable(&self, id: usize) -> bool {
        let message = &self.messages[id];
        let in_sending_order = !self.processes[message.to as usize].uses_wildcards;
        message.receive.is_none() && (message.arrived.is_some() || in_sending_order)
    }

    fn is_open(&self, receive: usize) -> bool {
        let operation = &self.operations[receive];
        operation.kind != OperationKind::Send && operation.message.is_none()
    }

    /// Returns whether the receive accepts the message and neither has an earlier partner.
    fn can_match(&self, id: usize, receive: usize) -> bool {
        let message = &self.messages[id];
        let earlier_receive =
            (0..receive).any(|other| self.is_open(other) && accepts(&self.operations[other], message));
        let operation = &self.operations[receive];
        let earlier_message = self.messages.iter().any(|other| {
            (other.from, other.to) == (message.from, message.to)
                && other.sequence < message.sequence
                && other.receive.is_none()
                && accepts(operation, other)
        });
        accepts(operation, message) && !earlier_receive && !earlier_message
    }
}

fn accepts(operation: &Operation, message: &super::Message) -> bool {
    let OperationKind::Receive { source, tag } = operation.kind else { return false };
    operation.rank == message.to
        && source.is_none_or(|source| source == message.from)
        && tag.map_or(message.tag < RESERVED, |tag| tag == message.tag)
}
