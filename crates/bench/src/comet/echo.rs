//! Echo: a message there and back (C4).

use panto_transport::{Mode, Transport, Want, scope};

use super::pair::{TESTER, pair_points, partner};
use super::{SUITE, tag};
use crate::error::Result;
use crate::kernel::{About, Pattern};
use crate::measure::{Checked, Lab, Metric, Operation, Timing};
use crate::pattern;
use crate::point::{Point, param};
use crate::results::Record;
use crate::settings::Settings;

/// Time one way, by distance and size. Distance 0 is the rank itself.
#[derive(Debug, Clone, Copy)]
pub struct Echo;

impl Pattern for Echo {
    fn about(&self) -> About {
        About {
            suite: SUITE,
            name: "echo",
            line: "one-way time between two ranks, by distance and message size",
            axis: param::BYTES,
            least_ranks: 1,
            needs: None,
        }
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
        Ok(samples.map(|samples| Record {
            moved: Some(bytes as u64),
            ..Record::new(&self.about().full_name(), point, samples)
        }))
    }
}

/// What a rank does in a pattern between two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Sends to itself and receives it.
    Alone,
    /// Is timed, with this partner.
    Tester(usize),
    /// Answers this tester.
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
        // Ranks that take no part need no memory: there may be thousands of them.
        let bytes = if role == Role::Idle { 0 } else { bytes };
        Self { transport, role, sent: vec![0; bytes], received: vec![0; bytes], round: 0 }
    }

    fn send(&self, data: &[u8], to: usize) -> panto_transport::Result<()> {
        self.transport.send(Mode::Standard, data, to, tag::DATA)
    }

    /// What came back is what is sent next. Bytes that nobody has written since the last trip would still be in the
    /// partner's own cache, and moving them would seem to cost nothing.
    fn pass_on(&mut self) {
        std::mem::swap(&mut self.sent, &mut self.received);
    }

    /// The receive is posted first where a send waits for it: nobody else could take the message.
    fn loop_back(&mut self) -> panto_transport::Result<()> {
        let this = self.transport.rank();
        if self.transport.standard_send().may_send_first(self.sent.len()) {
            self.send(&self.sent, this)?;
            self.receive(this)?;
        } else {
            let Self { transport, sent, received, .. } = self;
            scope(*transport, |scope| {
                let receive = scope.receive(received, Want::new(this, tag::DATA))?;
                transport.send(Mode::Standard, sent, this, tag::DATA)?;
                scope.wait(receive).map(drop)
            })?;
        }
        self.pass_on();
        Ok(())
    }

    fn receive(&mut self, from: usize) -> panto_transport::Result<()> {
        self.transport.receive(&mut self.received, Want::new(from, tag::DATA)).map(drop)
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
                self.pass_on();
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
