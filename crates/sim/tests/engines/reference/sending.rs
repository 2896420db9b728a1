//! The protocols: from a send to the arrival of its data.

use panto_machine::BufferSide;
use panto_sim::network::{Injected, Passage, Transfer, uncontended};
use panto_sim::{SendProtocol, Sharing};
use panto_units::Time;

use super::{Event, Message, OperationKind, Packet, Reference};

impl Reference<'_> {
    /// Sends a message. Returns the index of the send operation.
    pub fn send(&mut self, rank: usize, protocol: SendProtocol, to: u32, tag: u32, bytes: u64) -> usize {
        let send = self.post(rank, OperationKind::Send);
        let process = &mut self.processes[rank];
        let start = process.next_send.max(self.now);
        process.next_send = start + self.machine.network.overheads.gap.as_picos();
        process.sent += 1;
        let packet = match protocol {
            SendProtocol::Handshake | SendProtocol::BufferedHandshake | SendProtocol::Rendezvous => {
                Packet::RequestToSend
            }
            SendProtocol::Buffered
            | SendProtocol::LimitedBuffer
            | SendProtocol::NoSpace
            | SendProtocol::Synchronous => Packet::Data,
        };
        self.messages.push(Message {
            from: rank as u32,
            to,
            tag,
            bytes,
            protocol,
            sequence: process.sent,
            send,
            receive: None,
            arrived: None,
            requested: None,
            data_arrived: None,
            in_flight: packet,
        });
        if matches!(protocol, SendProtocol::Buffered | SendProtocol::BufferedHandshake) {
            self.complete(send);
        }
        let id = self.messages.len() - 1;
        if packet == Packet::Data {
            self.send_eager(id, start);
        } else {
            self.schedule_departure(id, packet, start);
        }
        send
    }

    /// Schedules the departure of a packet; control packets take the control overhead first.
    pub fn schedule_departure(&mut self, id: usize, packet: Packet, start: u64) {
        let control = self.machine.network.overheads.control.as_picos();
        let start = if packet == Packet::Data { start } else { start + control };
        self.events.push((start, Event::Departure(id, packet)));
    }

    /// Injects a packet into the network.
    pub fn depart(&mut self, id: usize, packet: Packet) {
        let message = &mut self.messages[id];
        message.in_flight = packet;
        let network = &self.machine.network;
        let processor_of = |rank: u32| self.processes[rank as usize].processor;
        let (from, to) = (processor_of(message.from), processor_of(message.to));
        let transfer = match packet {
            Packet::RequestToSend => Transfer { from, to, bytes: 0 },
            Packet::ClearToSend => Transfer { from: to, to: from, bytes: 0 },
            Packet::Data => Transfer { from, to, bytes: message.bytes },
        };
        let now = Time::from_picos(self.now);
        // At endpoints, only data occupies ports.
        let shares = packet == Packet::Data || self.sharing == Sharing::Links;
        match self.traffic.as_mut().filter(|_| shares) {
            None => {
                let passage = uncontended(network, now, transfer);
                assert_eq!(
                    passage.arrived,
                    now + network.between(transfer.from, transfer.to, transfer.bytes)
                );
                self.schedule_passage(id, Some(passage.left), Some(passage.arrived));
            }
            Some(traffic) => match traffic.inject(now, id as u32, transfer) {
                Injected::Scheduled(Passage { left, arrived }) => {
                    self.schedule_passage(id, Some(left), Some(arrived));
                }
                Injected::Left(left) => self.schedule_passage(id, Some(left), None),
                Injected::Pending => {}
            },
        }
    }

    /// Advances the network to the current time and schedules the arrivals that it reports.
    pub fn advance_network(&mut self) {
        let mut passed = Vec::new();
        if let Some(traffic) = &mut self.traffic {
            traffic.advance(Time::from_picos(self.now), &mut |id, passage| passed.push((id, passage)));
        }
        for (id, passage) in passed {
            self.schedule_passage(id as usize, Some(passage.left), Some(passage.arrived));
        }
    }

    /// Schedules the events of the packet in flight whose times are known. The network may report
    /// `left` twice.
    fn schedule_passage(&mut self, id: usize, left: Option<Time>, arrived: Option<Time>) {
        let message = &self.messages[id];
        let frees_buffer = matches!(message.protocol, SendProtocol::Handshake | SendProtocol::Rendezvous);
        let is_scheduled = self.operations[message.send].done.is_some()
            || self.events.iter().any(|(_, event)| *event == Event::BufferFree(id));
        if let Some(left) = left
            && frees_buffer
            && message.in_flight == Packet::Data
            && !is_scheduled
        {
            self.events.push((left.as_picos(), Event::BufferFree(id)));
        }
        if let Some(arrived) = arrived {
            self.events.push((arrived.as_picos(), Event::Arrival(id, message.in_flight)));
        }
    }

    /// Handles the arrival of a packet.
    pub fn arrive(&mut self, id: usize, packet: Packet) {
        if packet == Packet::RequestToSend {
            self.messages[id].requested = Some(self.now);
        }
        match (packet, self.messages[id].protocol) {
            (Packet::RequestToSend, SendProtocol::Rendezvous) => {
                self.make_matchable(id);
                self.clear_to_send(id);
            }
            (Packet::RequestToSend, _) => self.schedule_departure(id, Packet::ClearToSend, self.now),
            (Packet::ClearToSend, _) => self.schedule_departure(id, Packet::Data, self.now),
            (Packet::Data, protocol) => {
                if protocol != SendProtocol::Rendezvous {
                    self.make_matchable(id);
                }
                self.messages[id].data_arrived = Some(self.now);
                self.schedule_return(id, BufferSide::Sender);
                if protocol == SendProtocol::NoSpace {
                    self.complete(self.messages[id].send);
                }
                self.complete_receive(id);
            }
        }
    }

    /// Lets the receiver match the message from now on.
    fn make_matchable(&mut self, id: usize) {
        self.messages[id].arrived = Some(self.now);
        let message = &self.messages[id];
        self.decision_times[message.to as usize].push(self.now);
        let channel = |other: &&Message| (other.from, other.to) == (message.from, message.to);
        let mut earlier =
            self.messages.iter().filter(channel).filter(|other| other.sequence < message.sequence);
        self.overtaken |= earlier.any(|other| other.arrived.is_none());
    }

    /// Replies to the request to send of a rendezvous, if its receive is posted.
    pub fn clear_to_send(&mut self, id: usize) {
        let message = &self.messages[id];
        if message.protocol == SendProtocol::Rendezvous
            && message.arrived.is_some()
            && message.receive.is_some()
        {
            self.schedule_departure(id, Packet::ClearToSend, self.now);
        }
    }

    /// Completes the receive of a message if its data has arrived.
    pub fn complete_receive(&mut self, id: usize) {
        let message = &self.messages[id];
        let (Some(receive), Some(arrived), Some(_)) =
            (message.receive, message.arrived, message.data_arrived)
        else {
            return;
        };
        let (send, protocol, requested) = (message.send, message.protocol, message.requested);
        let operation = &mut self.operations[receive];
        // A system buffer is chosen when the request to send arrives or, without one, when the
        // message does; a rendezvous needs none.
        let buffered = if protocol == SendProtocol::Rendezvous {
            operation.posted
        } else {
            requested.unwrap_or(arrived)
        };
        operation.unexpected = buffered < operation.posted;
        self.complete(receive);
        self.schedule_return(id, BufferSide::Receiver);
        if protocol == SendProtocol::Synchronous {
            self.complete(send);
        }
    }
}
