//! Samples of which only a part counts: what one call takes in the middle of a pattern between two ranks.
//!
//! The measuring loop times whole runs. Here the tester reads the clock right before and after one call, once in a sample; the
//! other rank does what it is told, one order a sample. Orders are set aside, so that a simulated machine takes no time for them.

use std::time::Instant;

use panto_transport::{Mode, Result, Time, Transport, Want};

use super::tag;
use crate::comet::echo::Role;
use crate::comet::pair::TESTER;
use crate::measure::{Checked, Lab, Metric, Samples, Start, Stop};

/// What two ranks do for one sample.
pub(super) trait Interval<T: Transport> {
    /// Before a round whose data is checked: fills what is sent, and clears what is received.
    fn prepare(&mut self, round: u64);

    /// The tester's part: what the call took, or nothing where this round only prepares others. The other rank has its order.
    fn test(&mut self, transport: &T, partner: usize) -> Result<Option<Time>>;

    /// The part of the other rank.
    fn answer(&mut self, transport: &T, tester: usize) -> Result<()>;

    /// Has this rank got the right data in the round that was prepared last?
    fn verify(&self) -> Checked;
}

/// What the other rank is to do: another round, checked if it has a number.
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
            Self::End => return aside(transport, || transport.send(Mode::Standard, &[], to, tag::ORDER)),
        };
        aside(transport, || transport.send(Mode::Standard, &bytes.to_ne_bytes(), to, tag::ORDER))
    }

    fn receive<T: Transport>(transport: &T, from: usize) -> Result<Self> {
        let mut bytes = [0; size_of::<u64>()];
        let order = aside(transport, || transport.receive(&mut bytes, Want::new(from, tag::ORDER)))?;
        Ok(match (order.len, u64::from_ne_bytes(bytes)) {
            (0, _) => Self::End,
            (_, 0) => Self::Plain,
            (_, round) => Self::Checked(round),
        })
    }
}

/// Does something that is not what is measured.
pub(super) fn aside<T: Transport, R>(transport: &T, body: impl FnOnce() -> Result<R>) -> Result<R> {
    transport.set_aside(true);
    let outcome = body();
    transport.set_aside(false);
    outcome
}

/// Nanoseconds without what reading the clock took; in picoseconds, as everywhere.
pub(super) fn without(time: Time, reading: f64) -> f64 {
    ((time.as_nanos() - reading).max(0.0) * 1e3).round() / 1e3
}

/// Samples of single calls. Each rank begins when it has its order: no clocks are compared.
pub(super) fn samples(nanos: Vec<f64>, stop: Stop, reading: f64) -> Samples {
    let (start, metric) = (Start::Barrier, Metric::on(TESTER));
    Samples { nanos, stop, start, metric, empty_nanos: reading, ..Samples::exact(Time::ZERO) }
}

/// Measures. All ranks must call this together; the root gets the samples.
pub(super) fn measure<T: Transport>(
    lab: &mut Lab<'_, T>,
    partner: usize,
    interval: &mut impl Interval<T>,
) -> Result<Option<Samples>> {
    let samples = match Role::of(lab.transport.rank(), TESTER, partner) {
        Role::Tester(partner) => Some(Tester { lab, partner, interval }.measure()?),
        Role::Partner(tester) => obey(lab.transport, tester, interval).map(|()| None)?,
        Role::Alone | Role::Idle => None,
    };
    let clock_error = lab.compare_clocks()?;
    Ok(samples.map(|samples| Samples { clock_error, ..samples }))
}

fn obey<T: Transport>(transport: &T, tester: usize, interval: &mut impl Interval<T>) -> Result<()> {
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

fn check<T: Transport>(transport: &T, interval: &impl Interval<T>) -> Result<()> {
    interval.verify().map_err(|what| transport.abort(&format!("wrong data: {what}")))
}

/// The rank whose clock counts.
struct Tester<'l, 'a, T: Transport, I> {
    lab: &'l Lab<'a, T>,
    partner: usize,
    interval: &'l mut I,
}

impl<T: Transport, I: Interval<T>> Tester<'_, '_, T, I> {
    fn measure(mut self) -> Result<Samples> {
        let (deadline, reading) = (Instant::now() + self.lab.budget(), self.lab.empty().reading);
        self.checked(1)?;
        let (nanos, stop) = self.sample(deadline, reading)?;
        self.checked(2)?;
        Order::End.send(self.lab.transport, self.partner)?;
        Ok(samples(nanos, stop, reading))
    }

    /// A round that does not count, with data that is checked.
    fn checked(&mut self, round: u64) -> Result<()> {
        self.interval.prepare(round);
        self.round(Order::Checked(round))?;
        check(self.lab.transport, self.interval)
    }

    fn round(&mut self, order: Order) -> Result<Option<Time>> {
        order.send(self.lab.transport, self.partner)?;
        self.interval.test(self.lab.transport, self.partner)
    }

    fn sample(&mut self, deadline: Instant, reading: f64) -> Result<(Vec<f64>, Stop)> {
        let earliest = Instant::now() + self.lab.settings.effort.least_time;
        let mut nanos = Vec::new();
        loop {
            let stop = self.lab.enough(&nanos, 0, deadline);
            // A machine that is in one mood for a millisecond looks more certain than it is.
            if let Some(stop) = stop.filter(|&stop| stop != Stop::Confidence || Instant::now() >= earliest) {
                return Ok((nanos, stop));
            }
            if let Some(time) = self.round(Order::Plain)? {
                nanos.push(without(time, reading));
            }
        }
    }
}
