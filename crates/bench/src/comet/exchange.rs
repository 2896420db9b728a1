//! Pairwise exchange: two ranks send to each other at once (C5).

use panto_results::{Metric, Point, Record, kernel, param};
use panto_transport::{Selector, SendMode, Transport, scope};

use super::echo::Role;
use super::pair::{TESTER, pair_points, partner};
use super::tag;
use crate::error::Result;
use crate::kernel::Pattern;
use crate::measure::{Checked, Lab, Operation, Timing};
use crate::pattern;
use crate::settings::Settings;

/// Time of an exchange, by distance and size.
#[derive(Debug, Clone, Copy)]
pub struct Exchange;

impl Pattern for Exchange {
    fn name(&self) -> &'static str {
        kernel::comet::EXCHANGE
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        pair_points(settings, false)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let bytes = point.get(param::BYTES);
        let role = Role::of(lab.transport.rank(), TESTER, partner(lab, point)?);
        let mut operation =
            ExchangeOperation { transport: lab.transport, traffic: ExchangeBuffers::new(role, bytes) };
        let samples = lab.measure(Timing::batched(Metric::on(TESTER)), &mut operation)?;
        Ok(samples.map(|samples| Record {
            // Both directions: the bandwidth is what the pair moves together.
            moved: Some(2 * bytes as u64),
            ..Record::new(self.name(), point, samples)
        }))
    }
}

/// Messages that one rank sends and receives in an exchange.
pub(super) struct ExchangeBuffers {
    /// The other rank, if this one takes part.
    pub(super) with: Option<usize>,
    pub(super) sent: Vec<u8>,
    pub(super) received: Vec<u8>,
    round: u64,
}

impl ExchangeBuffers {
    pub(super) fn new(role: Role, bytes: usize) -> Self {
        let with = match role {
            Role::Tester(other) | Role::Partner(other) => Some(other),
            Role::Alone | Role::Idle => None,
        };
        // Idle ranks need no memory: there may be thousands of them.
        let bytes = if with.is_some() { bytes } else { 0 };
        Self { with, sent: vec![0; bytes], received: vec![0; bytes], round: 0 }
    }

    pub(super) fn prepare(&mut self, rank: usize, round: u64) {
        self.round = round;
        pattern::fill(&mut self.sent, rank, round);
        self.received.fill(0);
    }

    pub(super) fn verify(&self) -> Checked {
        self.with.map_or(Ok(()), |with| pattern::check(&self.sent, with, self.round))
    }

    /// Makes the received bytes the next message, as the echo does. Bytes that were not written
    /// since the last exchange would still be in the receiver's cache, and moving them would seem
    /// to be free.
    pub(super) fn forward_received(&mut self) {
        std::mem::swap(&mut self.sent, &mut self.received);
    }

    /// Exchanges messages, sending first on both sides. Where such a send could block until the
    /// other side receives, the receive is posted first. The received bytes are the next message.
    pub(super) fn exchange<T: Transport>(
        &mut self,
        transport: &T,
        with: usize,
    ) -> panto_transport::Result<()> {
        self.send_and_receive(transport, with)?;
        self.forward_received();
        Ok(())
    }

    fn send_and_receive<T: Transport>(&mut self, transport: &T, with: usize) -> panto_transport::Result<()> {
        let want = Selector::new(with, tag::DATA);
        if transport.standard_send().may_send_first(self.sent.len()) {
            transport.send(SendMode::Standard, &self.sent, with, tag::DATA)?;
            return transport.receive(&mut self.received, want).map(drop);
        }
        scope(transport, |scope| {
            let receive = scope.receive(&mut self.received, want)?;
            transport.send(SendMode::Standard, &self.sent, with, tag::DATA)?;
            scope.wait(receive).map(drop)
        })
    }
}

struct ExchangeOperation<'a, T> {
    transport: &'a T,
    traffic: ExchangeBuffers,
}

impl<T: Transport> Operation for ExchangeOperation<'_, T> {
    fn prepare(&mut self, round: u64) {
        self.traffic.prepare(self.transport.rank(), round);
    }

    fn run(&mut self) -> panto_transport::Result<()> {
        self.traffic.with.map_or(Ok(()), |with| self.traffic.exchange(self.transport, with))
    }

    fn verify(&mut self) -> Checked {
        self.traffic.verify()
    }
}
