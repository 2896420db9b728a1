//! From a send to the arrival of its data.

use panto_sim::Manner;
use panto_sim::network::{Carried, Load, Passage, passage};
use panto_units::Time;

use super::{Event, Kind, Message, Part, Reference};

impl Reference<'_> {
    /// A process sends; the answer is its operation.
    pub fn send(&mut self, rank: usize, manner: Manner, to: u32, tag: u32, bytes: u64) -> usize {
        let send = self.post(rank, Kind::Send);
        let process = &mut self.processes[rank];
        let start = process.free.max(self.now);
        process.free = start + self.machine.network.overheads.gap.as_picos();
        process.sent += 1;
        let part = match manner {
            Manner::Handshake | Manner::Rendezvous => Part::Request,
            Manner::Buffered | Manner::NoSpace | Manner::Synchronous => Part::Data,
        };
        self.messages.push(Message {
            from: rank as u32,
            to,
            tag,
            bytes,
            manner,
            number: process.sent,
            send,
            receive: None,
            came: None,
            asked: None,
            data: None,
            under_way: part,
        });
        if manner == Manner::Buffered {
            self.complete(send);
        }
        self.prepare(self.messages.len() - 1, part, start);
        send
    }

    /// The part will go on the network; requests and grants must be made first.
    fn prepare(&mut self, id: usize, part: Part, start: u64) {
        let control = self.machine.network.overheads.control.as_picos();
        let start = if part == Part::Data { start } else { start + control };
        self.events.push((start, Event::Departs(id, part)));
    }

    pub fn depart(&mut self, id: usize, part: Part) {
        let message = &mut self.messages[id];
        message.under_way = part;
        let network = &self.machine.network;
        let place = |rank: u32| self.processes[rank as usize].place;
        let (from, to) = (place(message.from), place(message.to));
        let load = match part {
            Part::Request => Load { from, to, bytes: 0 },
            Part::Grant => Load { from: to, to: from, bytes: 0 },
            Part::Data => Load { from, to, bytes: message.bytes },
        };
        let now = Time::from_picos(self.now);
        match &mut self.traffic {
            None => {
                let passage = passage(network, now, load);
                assert_eq!(passage.arrived, now + network.between(load.from, load.to, load.bytes));
                self.passes(id, Some(passage.left), Some(passage.arrived));
            }
            Some(traffic) => match traffic.inject(now, id as u32, load) {
                Carried::At(Passage { left, arrived }) => self.passes(id, Some(left), Some(arrived)),
                Carried::Left(left) => self.passes(id, Some(left), None),
                Carried::Later => {}
            },
        }
    }

    pub fn network_acts(&mut self) {
        let mut passed = Vec::new();
        if let Some(traffic) = &mut self.traffic {
            traffic.advance(Time::from_picos(self.now), &mut |id, passage| passed.push((id, passage)));
        }
        for (id, passage) in passed {
            self.passes(id as usize, Some(passage.left), Some(passage.arrived));
        }
    }

    /// Something is known of a message's way. What has left may be told twice.
    fn passes(&mut self, id: usize, left: Option<Time>, arrived: Option<Time>) {
        let message = &self.messages[id];
        let frees = matches!(message.manner, Manner::Handshake | Manner::Rendezvous);
        let is_known = self.operations[message.send].done.is_some()
            || self.events.iter().any(|(_, event)| *event == Event::Leaves(id));
        if let Some(left) = left
            && frees
            && message.under_way == Part::Data
            && !is_known
        {
            self.events.push((left.as_picos(), Event::Leaves(id)));
        }
        if let Some(arrived) = arrived {
            self.events.push((arrived.as_picos(), Event::Arrives(id, message.under_way)));
        }
    }

    pub fn arrive(&mut self, id: usize, part: Part) {
        if part == Part::Request {
            self.messages[id].asked = Some(self.now);
        }
        match (part, self.messages[id].manner) {
            (Part::Request, Manner::Rendezvous) => {
                self.comes(id);
                self.grant(id);
            }
            (Part::Request, _) => self.prepare(id, Part::Grant, self.now),
            (Part::Grant, _) => self.prepare(id, Part::Data, self.now),
            (Part::Data, manner) => {
                if manner != Manner::Rendezvous {
                    self.comes(id);
                }
                self.messages[id].data = Some(self.now);
                if manner == Manner::NoSpace {
                    self.complete(self.messages[id].send);
                }
                self.finish(id);
            }
        }
    }

    /// The receiver can know of it.
    fn comes(&mut self, id: usize) {
        self.messages[id].came = Some(self.now);
        let message = &self.messages[id];
        self.decisive[message.to as usize].push(self.now);
        let channel = |other: &&Message| (other.from, other.to) == (message.from, message.to);
        let mut earlier = self.messages.iter().filter(channel).filter(|other| other.number < message.number);
        self.overtaken |= earlier.any(|other| other.came.is_none());
    }

    /// Answers a request that has come, if its receive is posted.
    pub fn grant(&mut self, id: usize) {
        let message = &self.messages[id];
        if message.manner == Manner::Rendezvous && message.came.is_some() && message.receive.is_some() {
            self.prepare(id, Part::Grant, self.now);
        }
    }

    /// The receive is complete if the data is there.
    pub fn finish(&mut self, id: usize) {
        let message = &self.messages[id];
        let (Some(receive), Some(came), Some(_)) = (message.receive, message.came, message.data) else {
            return;
        };
        let (send, manner, asked) = (message.send, message.manner, message.asked);
        let operation = &mut self.operations[receive];
        // A buffer of the system was chosen for it when it asked, or came without asking.
        let chosen = if manner == Manner::Rendezvous { operation.posted } else { asked.unwrap_or(came) };
        operation.unexpected = chosen < operation.posted;
        self.complete(receive);
        if manner == Manner::Synchronous {
            self.complete(send);
        }
    }
}
