//! Finite buffers: messages in use of them, and messages without room.

use panto_machine::{BufferSide, SendBuffer};
use panto_sim::SendProtocol;

use super::{Event, Packet, Reference};

/// A message without room.
pub struct Held {
    pub id: usize,
    start: u64,
}

impl Reference<'_> {
    /// The space that a message takes: its units, and whose space it is.
    fn demand(&self, id: usize) -> Option<(SendBuffer, (u32, u32), u64)> {
        let (limit, message) = (self.machine.buffer?, &self.messages[id]);
        let owner = match limit.side {
            BufferSide::Receiver => (message.from, message.to),
            BufferSide::Sender if message.protocol != SendProtocol::LimitedBuffer => return None,
            BufferSide::Sender => (message.from, message.from),
        };
        let units = message.bytes.div_ceil(limit.unit).max(1);
        (units <= limit.space / limit.unit).then_some((limit, owner, units))
    }

    fn fits(&self, limit: SendBuffer, owner: (u32, u32), units: u64) -> bool {
        let in_use: u64 = self.in_use.iter().filter(|(_, of, _)| *of == owner).map(|(.., units)| units).sum();
        in_use + units <= limit.space / limit.unit
    }

    /// The first message without room of an owner.
    fn first_held(&self, owner: (u32, u32)) -> Option<usize> {
        self.held.iter().position(|held| self.demand(held.id).is_some_and(|(_, of, _)| of == owner))
    }

    /// Sends a message without a request to send, if it has room.
    pub fn send_eager(&mut self, id: usize, start: u64) {
        let is_limited = self.messages[id].protocol == SendProtocol::LimitedBuffer;
        match self.demand(id) {
            None => {
                let at_sender = self.machine.buffer.is_some_and(|limit| limit.side == BufferSide::Sender);
                if is_limited && at_sender {
                    self.messages[id].protocol = SendProtocol::NoSpace;
                } else if is_limited {
                    self.complete(self.messages[id].send);
                }
                self.schedule_departure(id, Packet::Data, start);
            }
            Some((limit, owner, units))
                if self.first_held(owner).is_none() && self.fits(limit, owner, units) =>
            {
                self.take(id, owner, units, start);
            }
            Some((limit, ..)) => {
                self.held.push(Held { id, start });
                if limit.side == BufferSide::Sender {
                    self.events.push((self.now, Event::Decision(id)));
                }
            }
        }
    }

    fn take(&mut self, id: usize, owner: (u32, u32), units: u64, start: u64) {
        self.in_use.push((id, owner, units));
        if self.messages[id].protocol == SendProtocol::LimitedBuffer {
            self.complete(self.messages[id].send);
        }
        self.schedule_departure(id, Packet::Data, start.max(self.now));
    }

    /// Decides how a message is sent that had no room when the sender reached it.
    pub fn decide(&mut self, id: usize) {
        let Some((limit, owner, units)) = self.demand(id) else { return };
        let index = self.held.iter().position(|held| held.id == id).unwrap();
        let held = self.held.remove(index);
        if self.fits(limit, owner, units) {
            self.take(id, owner, units, held.start);
        } else {
            self.messages[id].protocol = SendProtocol::NoSpace;
            self.schedule_departure(id, Packet::Data, held.start);
        }
    }

    /// Returns space that a received message had, and sends those that have room now.
    pub fn return_space(&mut self, id: usize) {
        let Some(index) = self.in_use.iter().position(|(of, ..)| *of == id) else { return };
        let (_, owner, _) = self.in_use.remove(index);
        while let Some(first) = self.first_held(owner) {
            let Some((limit, _, units)) = self.demand(self.held[first].id) else { return };
            if limit.side == BufferSide::Sender || !self.fits(limit, owner, units) {
                return;
            }
            let held = self.held.remove(first);
            self.take(held.id, owner, units, held.start);
        }
    }

    /// The data of a message has arrived, or its receive is complete.
    pub fn schedule_return(&mut self, id: usize, side: BufferSide) {
        let message = &self.messages[id];
        match self.machine.buffer.filter(|limit| limit.side == side) {
            Some(SendBuffer { side: BufferSide::Sender, .. }) => self.return_space(id),
            Some(_) => {
                let processor = |rank: u32| self.processes[rank as usize].processor;
                let (from, to) = (processor(message.to), processor(message.from));
                let back = self.machine.network.between(from, to, 0).as_picos();
                self.events.push((self.now + back, Event::Return(id)));
            }
            None => {}
        }
    }
}
