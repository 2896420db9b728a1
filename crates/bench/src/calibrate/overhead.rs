//! Overheads: the time that a message costs the processors of its sender and its receiver,
//! `LogGP`'s o (P16).

use panto_results::{Point, Record, kernel, param};
use panto_transport::{Result as Passed, Selector, SendMode, Time, Transport, WaitPolicy, scope};

use super::timed_call::{self, TimedCall, aside};
use super::{pair_points, sizes, tag};
use crate::comet::pair::{TESTER, partner};
use crate::error::Result;
use crate::kernel::Pattern;
use crate::measure::{Checked, Lab};
use crate::pattern;
use crate::settings::Settings;

/// Time of the calls around a message, by call and size.
#[derive(Debug, Clone, Copy)]
pub struct Overhead;

/// The call that is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Variant {
    /// The start of an immediate send, while nothing else is in flight.
    Send,
    /// A blocking send whose receive is posted.
    Blocking,
    /// A receive that is posted after its message has arrived.
    Receive,
    /// The wait for a receive that was posted in time, after its message has arrived.
    Posted,
}

impl Variant {
    const ALL: [Self; 4] = [Self::Send, Self::Blocking, Self::Receive, Self::Posted];

    fn name(self) -> &'static str {
        match self {
            Self::Send => "send",
            Self::Blocking => "blocking",
            Self::Receive => "receive",
            Self::Posted => "posted",
        }
    }

    fn of(point: &Point) -> Self {
        let name = point.text(param::VARIANT);
        Self::ALL.into_iter().find(|variant| variant.name() == name).unwrap_or(Self::Send)
    }

    /// Returns whether the tester is the sender.
    fn sends(self) -> bool {
        matches!(self, Self::Send | Self::Blocking)
    }
}

impl Pattern for Overhead {
    fn name(&self) -> &'static str {
        kernel::calibrate::OVERHEAD
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        let sizes = sizes(settings);
        let mut points = Vec::new();
        for pair in pair_points(settings)? {
            for variant in Variant::ALL {
                let point = pair.clone().with_text(param::VARIANT, variant.name());
                points.extend(sizes.iter().map(|&bytes| point.clone().with(param::BYTES, bytes)));
            }
        }
        Ok(points)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let partner = partner(lab, point)?;
        let (rank, bytes) = (lab.transport.rank(), point.get(param::BYTES));
        let mut message = Message::new(rank, partner, Variant::of(point), bytes);
        let samples = timed_call::measure(lab, partner, &mut message)?;
        Ok(samples.map(|samples| Record::new(self.name(), point, samples)))
    }
}

/// Rounds that determine how long a message takes to arrive.
const PROBE_ROUNDS: u32 = 3;
/// Factor by which the tester waits longer than that for a message to arrive.
const WAIT_FACTOR: u64 = 3;
/// Time that is added to this wait on a real clock, where a rank may be delayed.
const WAIT_MARGIN: Time = Time::from_nanos(20_000);

/// One message, and the call that is timed.
struct Message {
    variant: Variant,
    sender: usize,
    is_sender: bool,
    data: Vec<u8>,
    round: u64,
    /// Longest observed time for a message to arrive.
    arrival_time: Time,
    acquainted: u32,
}

impl Message {
    fn new(rank: usize, partner: usize, variant: Variant, bytes: usize) -> Self {
        let sender = if variant.sends() { TESTER } else { partner };
        let takes_part = [TESTER, partner].contains(&rank);
        Self {
            variant,
            sender,
            is_sender: rank == sender,
            data: vec![0; if takes_part { bytes } else { 0 }],
            round: 0,
            arrival_time: Time::ZERO,
            acquainted: 0,
        }
    }

    fn time_send<T: Transport>(&self, transport: &T, to: usize) -> Passed<Time> {
        aside(transport, || transport.receive(&mut [], Selector::new(to, tag::READY)))?;
        if self.variant == Variant::Blocking {
            let start = transport.now();
            transport.send(SendMode::Standard, &self.data, to, tag::DATA)?;
            return Ok(transport.now().since(start));
        }
        scope(transport, |scope| {
            let start = transport.now();
            let send = scope.send(SendMode::Standard, &self.data, to, tag::DATA)?;
            let time = transport.now().since(start);
            scope.wait(send)?;
            Ok(time)
        })
    }

    /// Requests a message and receives it at once, to determine how long it takes to arrive.
    fn probe<T: Transport>(&mut self, transport: &T, from: usize) -> Passed<()> {
        let start = transport.now();
        ready(transport, from)?;
        transport.receive(&mut self.data, Selector::new(from, tag::DATA))?;
        self.arrival_time = self.arrival_time.max(transport.now().since(start));
        self.acquainted += 1;
        Ok(())
    }

    fn time_receive<T: Transport>(&mut self, transport: &T, from: usize) -> Passed<Time> {
        let pause = self.pause(transport);
        let want = Selector::new(from, tag::DATA);
        if self.variant == Variant::Receive {
            ready(transport, from)?;
            wait(transport, pause)?;
            let start = transport.now();
            transport.receive(&mut self.data, want)?;
            return Ok(transport.now().since(start));
        }
        scope(transport, |scope| {
            let receive = scope.receive(&mut self.data, want)?;
            ready(transport, from)?;
            wait(transport, pause)?;
            let start = transport.now();
            scope.wait(receive)?;
            Ok(transport.now().since(start))
        })
    }

    fn pause<T: Transport>(&self, transport: &T) -> Time {
        let pause = Time::from_picos(self.arrival_time.as_picos().saturating_mul(WAIT_FACTOR));
        if transport.is_virtual() { pause } else { pause.saturating_add(WAIT_MARGIN) }
    }
}

/// Announces that the other rank may send, or that its message may arrive.
fn ready<T: Transport>(transport: &T, to: usize) -> Passed<()> {
    aside(transport, || transport.send(SendMode::Standard, &[], to, tag::READY))
}

/// Waits without a call of the message layer, which would receive the message and leave nothing to
/// time later. The core is yielded meanwhile, because the sender may be waiting for it; asleep,
/// this rank would lose its caches.
fn wait<T: Transport>(transport: &T, time: Time) -> Passed<()> {
    let moment = transport.now().saturating_add(time);
    if transport.is_virtual() {
        return transport.wait_until(moment, WaitPolicy::Spin);
    }
    while transport.now() < moment {
        transport.check()?;
        std::thread::yield_now();
    }
    Ok(())
}

impl<T: Transport> TimedCall<T> for Message {
    fn prepare(&mut self, round: u64) {
        self.round = round;
        if self.is_sender {
            pattern::fill(&mut self.data, self.sender, round);
        } else {
            self.data.fill(0);
        }
    }

    fn test(&mut self, transport: &T, partner: usize) -> Passed<Option<Time>> {
        if self.variant.sends() {
            return self.time_send(transport, partner).map(Some);
        }
        if self.acquainted < PROBE_ROUNDS {
            return self.probe(transport, partner).map(|()| None);
        }
        self.time_receive(transport, partner).map(Some)
    }

    fn answer(&mut self, transport: &T, tester: usize) -> Passed<()> {
        if !self.variant.sends() {
            aside(transport, || transport.receive(&mut [], Selector::new(tester, tag::READY)))?;
            return transport.send(SendMode::Standard, &self.data, tester, tag::DATA);
        }
        scope(transport, |scope| {
            let receive = scope.receive(&mut self.data, Selector::new(tester, tag::DATA))?;
            ready(transport, tester)?;
            scope.wait(receive).map(drop)
        })
    }

    fn verify(&self) -> Checked {
        if self.is_sender { Ok(()) } else { pattern::check(&self.data, self.sender, self.round) }
    }
}
