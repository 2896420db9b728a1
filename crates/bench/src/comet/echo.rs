//! Echo: a message there and back (C4).

use panto_results::{Metric, Point, Record, kernel, param};
use panto_transport::{Selector, SendMode, Transport, scope};

use super::pair::{TESTER, pair_points, partner};
use super::tag;
use crate::error::Result;
use crate::kernel::Pattern;
use crate::measure::{Checked, Lab, Operation, Timing};
use crate::pattern;
use crate::settings::Settings;

/// One-way time by distance and size. Distance 0 is the rank itself.
#[derive(Debug, Clone, Copy)]
pub struct Echo;

impl Pattern for Echo {
    fn name(&self) -> &'static str {
        kernel::comet::ECHO
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        pair_points(settings, true)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let bytes = point.get(param::BYTES);
        let partner = partner(lab, point)?;
        let role = Role::of(lab.transport.rank(), TESTER, partner);
        let mut operation = EchoOperation::new(lab.transport, role, bytes);
        let samples = lab.measure(Timing::train(Metric::one_way(TESTER)), &mut operation)?;
        Ok(samples
            .map(|samples| Record { moved: Some(bytes as u64), ..Record::new(self.name(), point, samples) }))
    }
}

/// Role of a rank in a pattern between two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Sends to itself and receives it.
    Alone,
    /// Is timed, with this partner.
    Tester(usize),
    /// Returns the messages of this tester.
    Partner(usize),
    /// Takes no part.
    Idle,
}

impl Role {
    pub(crate) fn of(rank: usize, tester: usize, partner: usize) -> Self {
        match rank {
            _ if rank == tester && rank == partner => Self::Alone,
            _ if rank == tester => Self::Tester(partner),
            _ if rank == partner => Self::Partner(tester),
            _ => Self::Idle,
        }
    }
}

/// One round trip.
pub(crate) struct EchoOperation<'a, T> {
    transport: &'a T,
    role: Role,
    sent: Vec<u8>,
    received: Vec<u8>,
    round: u64,
}

impl<'a, T: Transport> EchoOperation<'a, T> {
    pub(crate) fn new(transport: &'a T, role: Role, bytes: usize) -> Self {
        // Idle ranks need no memory: there may be thousands of them.
        let bytes = if role == Role::Idle { 0 } else { bytes };
        Self { transport, role, sent: vec![0; bytes], received: vec![0; bytes], round: 0 }
    }

    fn send(&self, data: &[u8], to: usize) -> panto_transport::Result<()> {
        self.transport.send(SendMode::Standard, data, to, tag::DATA)
    }

    /// Makes the received bytes the next message. Bytes that were not written since the last trip
    /// would still be in the partner's cache, and moving them would seem to be free.
    fn forward_received(&mut self) {
        std::mem::swap(&mut self.sent, &mut self.received);
    }

    /// Posts the receive first, since a send may wait for it and no other rank could receive the
    /// message.
    fn loop_back(&mut self) -> panto_transport::Result<()> {
        let this = self.transport.rank();
        if self.transport.standard_send().may_send_first(self.sent.len()) {
            self.send(&self.sent, this)?;
            self.receive(this)?;
        } else {
            let Self { transport, sent, received, .. } = self;
            scope(*transport, |scope| {
                let receive = scope.receive(received, Selector::new(this, tag::DATA))?;
                transport.send(SendMode::Standard, sent, this, tag::DATA)?;
                scope.wait(receive).map(drop)
            })?;
        }
        self.forward_received();
        Ok(())
    }

    fn receive(&mut self, from: usize) -> panto_transport::Result<()> {
        self.transport.receive(&mut self.received, Selector::new(from, tag::DATA)).map(drop)
    }
}

impl<T: Transport> Operation for EchoOperation<'_, T> {
    fn prepare(&mut self, round: u64) {
        self.round = round;
        pattern::fill(&mut self.sent, self.transport.rank(), round);
        self.received.fill(0);
    }

    fn run(&mut self) -> panto_transport::Result<()> {
        match self.role {
            // A round trip to oneself is two messages as well, so that half of it is one way.
            Role::Alone => (0..2).try_for_each(|_| self.loop_back()),
            Role::Tester(partner) => {
                self.send(&self.sent, partner)?;
                self.receive(partner)?;
                self.forward_received();
                Ok(())
            }
            Role::Partner(tester) => {
                self.receive(tester)?;
                self.send(&self.received, tester)
            }
            Role::Idle => Ok(()),
        }
    }

    fn verify(&mut self) -> Checked {
        match self.role {
            Role::Idle => Ok(()),
            // The echo brings back what the tester sent.
            Role::Alone | Role::Tester(_) => pattern::check(&self.sent, self.transport.rank(), self.round),
            Role::Partner(tester) => pattern::check(&self.received, tester, self.round),
        }
    }
}
