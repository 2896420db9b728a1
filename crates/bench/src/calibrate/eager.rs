//! The eager limit: the largest message whose send completes before its receive is posted, by
//! bisection (P16).
//!
//! An immediate send that completes before its receive is posted was eager. The other rank posts
//! the receive when the tester orders it to, after the result is known, so no send is cancelled and
//! no rank blocks indefinitely. Until then it waits inside the message layer, so that a protocol
//! which needs progress on both sides proceeds as far as it can without a receive.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use panto_results::{Point, Record, Samples, StopReason, kernel};
use panto_transport::{Result as Passed, Selector, SendMode, Time, Transport, WaitPolicy, scope};

use super::timed_call::{aside, samples, without};
use super::{figure, pair_points, sizes, tag};
use crate::comet::echo::Role;
use crate::comet::pair::{TESTER, partner};
use crate::error::Result;
use crate::kernel::Pattern;
use crate::measure::Lab;
use crate::pattern;
use crate::settings::Settings;

/// The eager limit.
#[derive(Debug, Clone, Copy)]
pub struct Eager;

impl Pattern for Eager {
    fn name(&self) -> &'static str {
        kernel::calibrate::EAGER
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        pair_points(settings)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let largest = sizes(lab.settings).into_iter().max().unwrap_or(0) as usize;
        let partner = partner(lab, point)?;
        let found = match Role::of(lab.transport.rank(), TESTER, partner) {
            Role::Tester(partner) => Some(Search::new(lab, partner, largest).run()?),
            Role::Partner(tester) => answer(lab.transport, tester, largest).map(|()| None)?,
            Role::Alone | Role::Idle => None,
        };
        let clock_error = lab.compare_clocks()?;
        let name = self.name();
        Ok(found.map(|(figures, samples)| {
            let samples = Samples { clock_error, ..samples };
            Record { figures, ..Record::new(name, point, samples) }
        }))
    }
}

/// Timed sends of the largest eager size, once it is known.
const SAMPLES: usize = 12;
/// A send that has not completed within this time is not eager. Eager ones complete at once, or in
/// some microseconds.
const PATIENCE: Time = Time::from_nanos(10_000_000);
/// Time limit on a virtual clock, where waiting costs nothing and a machine may be arbitrarily
/// slow: an hour.
const VIRTUAL_PATIENCE: Time = Time::from_nanos(3_600_000_000_000);
/// Attempts per size: a rank may have lost its core during one.
const ATTEMPTS: usize = 2;
/// All data of this kernel belongs to one round.
const ROUND: u64 = 1;

/// The search, on the tester.
struct Search<'l, 'a, T: Transport> {
    lab: &'l Lab<'a, T>,
    partner: usize,
    data: Vec<u8>,
}

/// Result of one send.
struct Attempt {
    /// Whether it completed before its receive was posted.
    eager: bool,
    /// Time of starting it.
    start: Time,
}

type Figures = BTreeMap<String, f64>;

impl<'l, 'a, T: Transport> Search<'l, 'a, T> {
    fn new(lab: &'l Lab<'a, T>, partner: usize, largest: usize) -> Self {
        let mut data = vec![0; largest];
        pattern::fill(&mut data, TESTER, ROUND);
        Self { lab, partner, data }
    }

    fn run(&self) -> Passed<(Figures, Samples)> {
        let limit = self.bisect()?;
        let (mut nanos, reading) = (Vec::new(), self.lab.empty().reading);
        while nanos.len() < SAMPLES && !self.is_interrupted() {
            let Attempt { start, .. } = self.attempt(limit.unwrap_or(0))?;
            nanos.push(without(start, reading));
        }
        let interrupted = self.is_interrupted();
        aside(self.lab.transport, || {
            self.lab.transport.send(SendMode::Standard, &[], self.partner, tag::ORDER)
        })?;
        // After an interrupt there is no limit, and nothing to keep.
        let (nanos, stop) =
            if interrupted { (Vec::new(), StopReason::Interrupted) } else { (nanos, StopReason::Confidence) };
        Ok((self.figures(limit), samples(nanos, stop, reading)))
    }

    fn figures(&self, limit: Option<usize>) -> Figures {
        let (name, value) = match limit {
            None => (figure::EAGER_LIMIT, -1.0),
            Some(all) if all == self.data.len() => (figure::EAGER_AT_LEAST, all as f64),
            Some(limit) => (figure::EAGER_LIMIT, limit as f64),
        };
        Figures::from([(name.to_owned(), value)])
    }

    /// Returns the largest eager size; `None` if not even an empty message is eager.
    fn bisect(&self) -> Passed<Option<usize>> {
        let most = self.data.len();
        if !self.is_eager(0)? {
            return Ok(None);
        }
        if self.is_eager(most)? {
            return Ok(Some(most));
        }
        let (mut eager, mut waits) = (0, most);
        while eager + 1 < waits && !self.is_interrupted() {
            let middle = eager + (waits - eager) / 2;
            *(if self.is_eager(middle)? { &mut eager } else { &mut waits }) = middle;
        }
        Ok(Some(eager))
    }

    fn is_eager(&self, bytes: usize) -> Passed<bool> {
        let chances = if self.lab.transport.is_virtual() { 1 } else { ATTEMPTS };
        for _ in 0..chances {
            if self.attempt(bytes)?.eager {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Sends once. When it is known whether the send waits, the other rank receives it.
    fn attempt(&self, bytes: usize) -> Passed<Attempt> {
        let (transport, partner) = (self.lab.transport, self.partner);
        let order = (bytes as u64).to_ne_bytes();
        aside(transport, || transport.send(SendMode::Standard, &order, partner, tag::ORDER))?;
        aside(transport, || transport.receive(&mut [], Selector::new(partner, tag::READY)))?;
        scope(transport, |scope| {
            let before = transport.now();
            let mut send = scope.send(SendMode::Standard, &self.data[..bytes], partner, tag::DATA)?;
            let start = transport.now().since(before);
            let deadline = self.first_look()?;
            let eager = loop {
                match scope.test(send)? {
                    Ok(_) => break true,
                    Err(pending) => send = pending,
                }
                if transport.now() >= deadline {
                    break false;
                }
            };
            // The receive is posted now. The end of the scope waits for the send.
            aside(transport, || transport.send(SendMode::Standard, &[], partner, tag::ANSWER))?;
            Ok(Attempt { eager, start })
        })
    }

    /// Returns when to check for completion first. On a virtual clock only the end of the time
    /// limit matters.
    fn first_look(&self) -> Passed<Time> {
        let transport = self.lab.transport;
        if !transport.is_virtual() {
            return Ok(transport.now().saturating_add(PATIENCE));
        }
        let moment = transport.now().saturating_add(VIRTUAL_PATIENCE);
        transport.wait_until(moment, WaitPolicy::Sleep)?;
        Ok(moment)
    }

    fn is_interrupted(&self) -> bool {
        self.lab.interrupt.load(Ordering::Relaxed)
    }
}

/// The other rank: it receives when the tester orders it to.
fn answer<T: Transport>(transport: &T, tester: usize, largest: usize) -> Passed<()> {
    let mut data = vec![0; largest];
    let mut order = [0; size_of::<u64>()];
    while aside(transport, || transport.receive(&mut order, Selector::new(tester, tag::ORDER)))?.len > 0 {
        let bytes = u64::from_ne_bytes(order) as usize;
        aside(transport, || transport.send(SendMode::Standard, &[], tester, tag::READY))?;
        aside(transport, || transport.receive(&mut [], Selector::new(tester, tag::ANSWER)))?;
        let data = &mut data[..bytes];
        data.fill(0);
        transport.receive(data, Selector::new(tester, tag::DATA))?;
        pattern::check(data, tester, ROUND)
            .map_err(|what| transport.abort(&format!("wrong data: {what}")))?;
    }
    Ok(())
}
