//! Samples of single calls: the time of one call in the middle of a pattern between two ranks.
//!
//! The measuring loop times whole runs. Here the tester reads the clock right before and after one
//! call, once per sample; the other rank follows orders, one per sample. Orders are excluded from
//! virtual time, so that a simulated machine takes no time for them.

use std::time::Instant;

use panto_results::{Metric, Samples, StopReason, SyncMethod};
use panto_transport::{Result, Selector, SendMode, Time, Transport};

use super::tag;
use crate::comet::echo::Role;
use crate::comet::pair::TESTER;
use crate::measure::{Checked, Lab};

/// A pattern between two ranks, one call of which is timed.
pub(super) trait TimedCall<T: Transport> {
    /// Prepares a round whose data is checked: fills what is sent, and clears what is received.
    fn prepare(&mut self, round: u64);

    /// Runs the tester's side and returns the time of the call, or `None` where this round only
    /// prepares others. The other rank has its order.
    fn test(&mut self, transport: &T, partner: usize) -> Result<Option<Time>>;

    /// Runs the side of the other rank.
    fn answer(&mut self, transport: &T, tester: usize) -> Result<()>;

    /// Checks the data of the round that was prepared last.
    fn verify(&self) -> Checked;
}

/// An order to the other rank: another round, checked if it has a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Plain,
    Checked(u64),
    End,
}

impl Order {
    fn send<T: Transport>(self, transport: &T, to: usize) -> Result<()> {
        let bytes = match self {
            Self::Plain => 0_u64,
            Self::Checked(round) => round,
            Self::End => return aside(transport, || transport.send(SendMode::Standard, &[], to, tag::ORDER)),
        };
        aside(transport, || transport.send(SendMode::Standard, &bytes.to_ne_bytes(), to, tag::ORDER))
    }

    fn receive<T: Transport>(transport: &T, from: usize) -> Result<Self> {
        let mut bytes = [0; size_of::<u64>()];
        let order = aside(transport, || transport.receive(&mut bytes, Selector::new(from, tag::ORDER)))?;
        Ok(match (order.len, u64::from_ne_bytes(bytes)) {
            (0, _) => Self::End,
            (_, 0) => Self::Plain,
            (_, round) => Self::Checked(round),
        })
    }
}

/// Runs `body` outside of virtual time: it is not part of what is measured.
pub(super) fn aside<T: Transport, R>(transport: &T, body: impl FnOnce() -> Result<R>) -> Result<R> {
    transport.set_out_of_band(true);
    let outcome = body();
    transport.set_out_of_band(false);
    outcome
}

/// Returns nanoseconds less the time of reading the clock; resolved to picoseconds, as everywhere.
pub(super) fn without(time: Time, reading: f64) -> f64 {
    ((time.as_nanos() - reading).max(0.0) * 1e3).round() / 1e3
}

/// Returns samples of single calls. Each rank starts when it has its order: no clocks are compared.
pub(super) fn samples(nanos: Vec<f64>, stop: StopReason, reading: f64) -> Samples {
    let (start, metric) = (SyncMethod::Barrier, Metric::on(TESTER));
    Samples { nanos, stop, start, metric, empty_nanos: reading, ..Samples::exact(Time::ZERO) }
}

/// Measures a pattern. Collective: all ranks must call it; the root gets the samples.
pub(super) fn measure<T: Transport>(
    lab: &mut Lab<'_, T>,
    partner: usize,
    interval: &mut impl TimedCall<T>,
) -> Result<Option<Samples>> {
    let samples = match Role::of(lab.transport.rank(), TESTER, partner) {
        Role::Tester(partner) => Some(Tester { lab, partner, interval }.measure()?),
        Role::Partner(tester) => obey(lab.transport, tester, interval).map(|()| None)?,
        Role::Alone | Role::Idle => None,
    };
    let clock_error = lab.compare_clocks()?;
    Ok(samples.map(|samples| Samples { clock_error, ..samples }))
}

fn obey<T: Transport>(transport: &T, tester: usize, interval: &mut impl TimedCall<T>) -> Result<()> {
    loop {
        match Order::receive(transport, tester)? {
            Order::End => return Ok(()),
            Order::Plain => interval.answer(transport, tester)?,
            Order::Checked(round) => {
                interval.prepare(round);
                interval.answer(transport, tester)?;
                check(transport, interval)?;
            }
        }
    }
}

fn check<T: Transport>(transport: &T, interval: &impl TimedCall<T>) -> Result<()> {
    interval.verify().map_err(|what| transport.abort(&format!("wrong data: {what}")))
}

/// The rank that is timed.
struct Tester<'l, 'a, T: Transport, I> {
    lab: &'l Lab<'a, T>,
    partner: usize,
    interval: &'l mut I,
}

impl<T: Transport, I: TimedCall<T>> Tester<'_, '_, T, I> {
    fn measure(mut self) -> Result<Samples> {
        let (deadline, reading) = (Instant::now() + self.lab.budget(), self.lab.empty().reading);
        self.checked(1)?;
        let (nanos, stop) = self.sample(deadline, reading)?;
        self.checked(2)?;
        Order::End.send(self.lab.transport, self.partner)?;
        Ok(samples(nanos, stop, reading))
    }

    /// Runs a round that does not count, with data that is checked.
    fn checked(&mut self, round: u64) -> Result<()> {
        self.interval.prepare(round);
        self.round(Order::Checked(round))?;
        check(self.lab.transport, self.interval)
    }

    fn round(&mut self, order: Order) -> Result<Option<Time>> {
        order.send(self.lab.transport, self.partner)?;
        self.interval.test(self.lab.transport, self.partner)
    }

    fn sample(&mut self, deadline: Instant, reading: f64) -> Result<(Vec<f64>, StopReason)> {
        let earliest = Instant::now() + self.lab.settings.effort.least_time;
        let mut nanos = Vec::new();
        loop {
            let stop = self.lab.enough(&nanos, 0, deadline);
            // Samples of a single millisecond share the same interference and look more certain
            // than they are.
            if let Some(stop) =
                stop.filter(|&stop| stop != StopReason::Confidence || Instant::now() >= earliest)
            {
                return Ok((nanos, stop));
            }
            if let Some(time) = self.round(Order::Plain)? {
                nanos.push(without(time, reading));
            }
        }
    }
}
