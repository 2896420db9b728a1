//! What a message costs the processors of its sender and its receiver: `LogGP`'s o (P16).

use panto_transport::{Mode, Patience, Result as Passed, Time, Transport, Want, scope};

use super::interval::{self, Interval, aside};
use super::{SUITE, sizes, tag, ways};
use crate::comet::pair::{TESTER, partner};
use crate::error::Result;
use crate::kernel::{About, Pattern};
use crate::measure::{Checked, Lab};
use crate::pattern;
use crate::point::{Point, param};
use crate::results::Record;
use crate::settings::Settings;

/// Time of the calls around a message, by call and size.
#[derive(Debug, Clone, Copy)]
pub struct Overhead;

/// Which call is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Variant {
    /// The start of an immediate send, while nothing else is under way.
    Send,
    /// A blocking send whose receive is posted.
    Blocking,
    /// A receive that is posted when its message has long come.
    Receive,
    /// The wait for a receive that was posted in time, when its message has long come.
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

    /// Is the tester the one who sends?
    fn sends(self) -> bool {
        matches!(self, Self::Send | Self::Blocking)
    }
}

impl Pattern for Overhead {
    fn about(&self) -> About {
        About {
            suite: SUITE,
            name: "overhead",
            line: "what sending and receiving cost the processor, by call and message size",
            axis: param::BYTES,
            least_ranks: 2,
            needs: None,
        }
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        let sizes = sizes(settings);
        let mut points = Vec::new();
        for way in ways(settings)? {
            for variant in Variant::ALL {
                let point = way.clone().with_text(param::VARIANT, variant.name());
                points.extend(sizes.iter().map(|&bytes| point.clone().with(param::BYTES, bytes)));
            }
        }
        Ok(points)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let partner = partner(lab, point)?;
        let (rank, bytes) = (lab.transport.rank(), point.get(param::BYTES));
        let mut message = Message::new(rank, partner, Variant::of(point), bytes);
        let samples = interval::measure(lab, partner, &mut message)?;
        Ok(samples.map(|samples| Record::new(&self.about().full_name(), point, samples)))
    }
}

/// Rounds from which the tester learns how long a message takes to come.
const ACQUAINTANCE: u32 = 3;
/// It waits so many times as long for one that shall have come long ago,
const LONG: u64 = 3;
/// and so much longer on a clock of this world, where somebody may be late.
const MARGIN: Time = Time::from_nanos(20_000);

/// One message, and the call that is timed.
struct Message {
    variant: Variant,
    sender: usize,
    is_sender: bool,
    data: Vec<u8>,
    round: u64,
    /// The longest time in which a message has come.
    comes_within: Time,
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
            comes_within: Time::ZERO,
            acquainted: 0,
        }
    }

    fn time_send<T: Transport>(&self, transport: &T, to: usize) -> Passed<Time> {
        aside(transport, || transport.receive(&mut [], Want::new(to, tag::READY)))?;
        if self.variant == Variant::Blocking {
            let start = transport.now();
            transport.send(Mode::Standard, &self.data, to, tag::DATA)?;
            return Ok(transport.now().since(start));
        }
        scope(transport, |scope| {
            let start = transport.now();
            let send = scope.send(Mode::Standard, &self.data, to, tag::DATA)?;
            let time = transport.now().since(start);
            scope.wait(send)?;
            Ok(time)
        })
    }

    /// Asks for a message and takes it at once: how long does one need to come?
    fn meet<T: Transport>(&mut self, transport: &T, from: usize) -> Passed<()> {
        let start = transport.now();
        ready(transport, from)?;
        transport.receive(&mut self.data, Want::new(from, tag::DATA))?;
        self.comes_within = self.comes_within.max(transport.now().since(start));
        self.acquainted += 1;
        Ok(())
    }

    fn time_receive<T: Transport>(&mut self, transport: &T, from: usize) -> Passed<Time> {
        let pause = self.pause(transport);
        let want = Want::new(from, tag::DATA);
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
        let pause = Time::from_picos(self.comes_within.as_picos().saturating_mul(LONG));
        if transport.is_virtual() { pause } else { pause.saturating_add(MARGIN) }
    }
}

/// Says that the other rank may send, or that its message may come.
fn ready<T: Transport>(transport: &T, to: usize) -> Passed<()> {
    aside(transport, || transport.send(Mode::Standard, &[], to, tag::READY))
}

/// Without a call of the message layer: it would take the message in, and what is timed later were nothing. The core is offered to
/// others meanwhile, because the sender may be waiting for it; asleep, this rank would lose its caches.
fn wait<T: Transport>(transport: &T, time: Time) -> Passed<()> {
    let moment = transport.now().saturating_add(time);
    if transport.is_virtual() {
        return transport.wait_until(moment, Patience::Spin);
    }
    while transport.now() < moment {
        transport.check()?;
        std::thread::yield_now();
    }
    Ok(())
}

impl<T: Transport> Interval<T> for Message {
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
        if self.acquainted < ACQUAINTANCE {
            return self.meet(transport, partner).map(|()| None);
        }
        self.time_receive(transport, partner).map(Some)
    }

    fn answer(&mut self, transport: &T, tester: usize) -> Passed<()> {
        if !self.variant.sends() {
            aside(transport, || transport.receive(&mut [], Want::new(tester, tag::READY)))?;
            return transport.send(Mode::Standard, &self.data, tester, tag::DATA);
        }
        scope(transport, |scope| {
            let receive = scope.receive(&mut self.data, Want::new(tester, tag::DATA))?;
            ready(transport, tester)?;
            scope.wait(receive).map(drop)
        })
    }

    fn verify(&self) -> Checked {
        if self.is_sender { Ok(()) } else { pattern::check(&self.data, self.sender, self.round) }
    }
}
