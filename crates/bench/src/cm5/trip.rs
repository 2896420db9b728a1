//! The operation of the kernels that send messages: round trips, all at once.

use panto_results::cm5::MessageSet;
use panto_transport::{Selector, SendMode, Transport, scope};

use super::{mark, tag};
use crate::measure::{Checked, Operation};
use crate::pattern;

/// All messages of a set at once, each to its destination and back (M1). The paper times round
/// trips and halves them.
pub(super) struct RoundTrips<'a, T> {
    transport: &'a T,
    /// Messages that start here.
    starts: Vec<Message>,
    /// Messages that end here.
    ends: Vec<Message>,
    round: u64,
}

struct Message {
    peer: usize,
    sent: Vec<u8>,
    received: Vec<u8>,
}

impl Message {
    fn new(peer: usize, bytes: usize) -> Self {
        Self { peer, sent: vec![0; bytes], received: vec![0; bytes] }
    }

    /// Makes the received bytes the next message: bytes that were not written since the last trip
    /// would still be in the other's cache.
    fn forward_received(&mut self) {
        std::mem::swap(&mut self.sent, &mut self.received);
    }
}

impl<'a, T: Transport> RoundTrips<'a, T> {
    pub(super) fn new(transport: &'a T, set: &MessageSet, bytes: usize) -> Self {
        let this = transport.rank();
        let starts = set.pairs().iter().filter(|(source, _)| *source == this);
        let ends = set.pairs().iter().filter(|(_, destination)| *destination == this);
        Self {
            transport,
            starts: starts.map(|&(_, destination)| Message::new(destination, bytes)).collect(),
            ends: ends.map(|&(source, _)| Message::new(source, bytes)).collect(),
            round: 0,
        }
    }

    /// Sends and receives. Several messages of one rank are all started before it waits for any.
    fn all_at_once(&mut self) -> panto_transport::Result<()> {
        let Self { transport, starts, ends, .. } = self;
        let transport = *transport;
        scope(transport, |scope| {
            for message in ends.iter_mut() {
                let _ = scope.receive(&mut message.received, Selector::new(message.peer, tag::THERE))?;
            }
            for message in starts.iter() {
                let _ = scope.send(SendMode::Standard, &message.sent, message.peer, tag::THERE)?;
            }
            Ok::<_, panto_transport::Error>(())
        })?;
        scope(transport, |scope| {
            for message in starts.iter_mut() {
                let _ = scope.receive(&mut message.received, Selector::new(message.peer, tag::BACK))?;
            }
            for message in ends.iter() {
                let _ = scope.send(SendMode::Standard, &message.received, message.peer, tag::BACK)?;
            }
            Ok::<_, panto_transport::Error>(())
        })
    }
}

impl<T: Transport> Operation for RoundTrips<'_, T> {
    fn prepare(&mut self, round: u64) {
        self.round = round;
        let this = self.transport.rank();
        for message in &mut self.starts {
            pattern::fill(&mut message.sent, this, mark(round, message.peer));
            message.received.fill(0);
        }
        self.ends.iter_mut().for_each(|message| message.received.fill(0));
    }

    fn run(&mut self) -> panto_transport::Result<()> {
        let transport = self.transport;
        match (self.starts.as_mut_slice(), self.ends.as_mut_slice()) {
            ([], []) => {}
            // Blocking calls, as in the paper, wherever a rank has one message.
            ([message], []) => {
                transport.send(SendMode::Standard, &message.sent, message.peer, tag::THERE)?;
                transport.receive(&mut message.received, Selector::new(message.peer, tag::BACK))?;
            }
            ([], [message]) => {
                transport.receive(&mut message.received, Selector::new(message.peer, tag::THERE))?;
                transport.send(SendMode::Standard, &message.received, message.peer, tag::BACK)?;
            }
            _ => self.all_at_once()?,
        }
        self.starts.iter_mut().for_each(Message::forward_received);
        Ok(())
    }

    fn verify(&mut self) -> Checked {
        let (this, round) = (self.transport.rank(), self.round);
        for message in &self.starts {
            pattern::check(&message.sent, this, mark(round, message.peer))?;
        }
        self.ends
            .iter()
            .try_for_each(|message| pattern::check(&message.received, message.peer, mark(round, this)))
    }
}
