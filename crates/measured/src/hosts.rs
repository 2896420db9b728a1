//! The clocks of hosts, compared by what ranks on them exchanged.
//!
//! No message is received before it was sent, and no rank leaves a barrier before the last one has
//! entered it. So the shortest delay in each direction bounds how far one clock is ahead of the
//! other: half of their difference is the estimate, half of their sum, the shortest round trip, the
//! error (Cristian, *Probabilistic clock synchronization*, 1989; after the fact: Duda et al.,
//! *Estimating global time in distributed systems*, 1987). The run is divided into windows, and a
//! line through their estimates gives the drift.

use panto_timeline::{Message, State};
use panto_units::Time;
use rustc_hash::FxHashMap;

use crate::clock::Clocks;
use crate::collectives::HostSpan;
use crate::walk::Sink;

/// Windows of a run. Clocks drift by some millionths, and a window must have messages both ways.
const WINDOWS: usize = 32;

/// Windows whose error is this many times that of the best one do not count.
const WORST_ERROR: f64 = 3.0;

/// What is known of the clock of a host: at time t it is `ahead + drift * t` ahead, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HostClock {
    pub ahead: f64,
    pub drift: f64,
    /// The most by which that may be wrong: half of the shortest round trip, in nanoseconds.
    pub error: f64,
}

/// A delay between two hosts, by their clocks, in nanoseconds.
#[derive(Debug, Clone, Copy)]
struct Delay {
    sent: f64,
    nanos: f64,
}

/// The shortest delays between hosts.
pub struct Exchanges {
    /// The host of each rank of the program.
    rank_hosts: Vec<usize>,
    hosts: usize,
    /// The delays from one host to another.
    pairs: FxHashMap<(usize, usize), Windows>,
}

/// The shortest delay in each window of a run whose length is not known before.
#[derive(Debug, Clone)]
struct Windows {
    /// Nanoseconds of a window.
    length: f64,
    shortest: Vec<Option<Delay>>,
}

impl Windows {
    fn new() -> Self {
        Self { length: 1e6, shortest: vec![None; WINDOWS] }
    }

    fn add(&mut self, delay: Delay) {
        while delay.sent >= self.length * WINDOWS as f64 {
            self.double();
        }
        keep(&mut self.shortest[(delay.sent / self.length) as usize], Some(delay));
    }

    /// Makes windows twice as long, so that those of all pairs have the same bounds.
    fn double(&mut self) {
        let old = std::mem::replace(&mut self.shortest, vec![None; WINDOWS]);
        for (place, delay) in old.into_iter().enumerate() {
            keep(&mut self.shortest[place / 2], delay);
        }
        self.length *= 2.0;
    }

    fn shortest_of_all(&self) -> Option<Delay> {
        self.shortest.iter().flatten().copied().min_by(|one, other| one.nanos.total_cmp(&other.nanos))
    }
}

/// Keeps the shorter of two delays.
fn keep(shortest: &mut Option<Delay>, delay: Option<Delay>) {
    if let Some(delay) = delay
        && shortest.is_none_or(|known| delay.nanos < known.nanos)
    {
        *shortest = Some(delay);
    }
}

impl Exchanges {
    /// No exchanges yet, of the ranks with these clocks.
    pub fn new(rank_hosts: Vec<usize>, clocks: &Clocks) -> Self {
        let hosts = clocks.hosts();
        Self { rank_hosts, hosts, pairs: FxHashMap::default() }
    }

    fn add(&mut self, from: usize, to: usize, sent: Time, received: Time) {
        let (sent, received) = (sent.as_nanos(), received.as_nanos());
        if from != to {
            self.pairs
                .entry((from, to))
                .or_insert_with(Windows::new)
                .add(Delay { sent, nanos: received - sent });
        }
    }

    /// Returns what is known of each host's clock relative to the first one. Hosts that are not
    /// connected with it, directly or over others, are unknown.
    pub fn compare(&self) -> Vec<Option<HostClock>> {
        let mut clocks = vec![None; self.hosts];
        clocks[0] = Some(HostClock::default());
        // The best known of the unknown hosts follows next, as in Prim's algorithm.
        while let Some((host, clock)) = self.next(&clocks) {
            clocks[host] = Some(clock);
        }
        clocks
    }

    fn next(&self, clocks: &[Option<HostClock>]) -> Option<(usize, HostClock)> {
        let known = (0..self.hosts).filter_map(|host| Some((host, clocks[host]?)));
        let unknown = || (0..self.hosts).filter(|host| clocks[*host].is_none());
        let pairs = known.flat_map(|(from, clock)| unknown().map(move |to| (from, clock, to)));
        let found = pairs.filter_map(|(from, clock, to)| {
            let HostClock { ahead, drift, error } = self.between(from, to)?;
            let (ahead, drift) = (clock.ahead + ahead, clock.drift + drift);
            Some((to, HostClock { ahead, drift, error: clock.error + error }))
        });
        found.min_by(|(_, one), (_, other)| one.error.total_cmp(&other.error))
    }

    /// Returns how far a clock is ahead of another, if messages went both ways.
    fn between(&self, from: usize, to: usize) -> Option<HostClock> {
        let mut there = self.pairs.get(&(from, to))?.clone();
        let mut back = self.pairs.get(&(to, from))?.clone();
        while there.length < back.length {
            there.double();
        }
        while back.length < there.length {
            back.double();
        }
        let both = there.shortest.iter().zip(&back.shortest).filter_map(|(there, back)| (*there).zip(*back));
        let mut estimates: Vec<Estimate> = both.map(|(there, back)| Estimate::new(there, back)).collect();
        if estimates.is_empty() {
            // The clocks differ by more than a window.
            let (there, back) = (there.shortest_of_all()?, back.shortest_of_all()?);
            estimates.push(Estimate::new(there, back));
        }
        line(&estimates)
    }
}

/// How far a clock is ahead of another in a window.
#[derive(Debug, Clone, Copy)]
struct Estimate {
    at: f64,
    ahead: f64,
    error: f64,
}

impl Estimate {
    fn new(there: Delay, back: Delay) -> Self {
        Self {
            at: 0.5 * (there.sent + back.sent),
            ahead: 0.5 * (there.nanos - back.nanos),
            // Drift inside of a window can make this slightly negative.
            error: (0.5 * (there.nanos + back.nanos)).max(0.0),
        }
    }
}

/// Returns the line through the good estimates: their mean if there are too few for a slope.
fn line(estimates: &[Estimate]) -> Option<HostClock> {
    let best = estimates.iter().map(|estimate| estimate.error).min_by(f64::total_cmp)?;
    let is_good = |estimate: &&Estimate| estimate.error <= WORST_ERROR * best.max(1.0);
    let good: Vec<&Estimate> = estimates.iter().filter(is_good).collect();
    let mean = |of: fn(&Estimate) -> f64| good.iter().map(|one| of(one)).sum::<f64>() / good.len() as f64;
    let (at, ahead) = (mean(|one| one.at), mean(|one| one.ahead));
    let spread: f64 = good.iter().map(|one| (one.at - at).powi(2)).sum();
    let slope: f64 = good.iter().map(|one| (one.at - at) * (one.ahead - ahead)).sum();
    let drift = if good.len() >= 3 && spread > 0.0 { slope / spread } else { 0.0 };
    Some(HostClock { ahead: ahead - drift * at, drift, error: best })
}

impl Sink for Exchanges {
    fn state(&mut self, _rank: u32, _state: State) {}

    fn message(&mut self, message: Message) {
        let host = |rank: u32| self.rank_hosts.get(rank as usize).copied();
        if let Some((from, to)) = host(message.from).zip(host(message.to)) {
            self.add(from, to, message.sent, message.received);
        }
    }

    /// Each host is compared with the first one.
    fn collective(&mut self, hosts: &[HostSpan]) {
        let Some((first, others)) = hosts.split_first() else { return };
        for (host, other) in (1..).zip(others) {
            if let Some((entered, left)) = first.entered.zip(other.left) {
                self.add(0, host, entered, left);
            }
            if let Some((entered, left)) = other.entered.zip(first.left) {
                self.add(host, 0, entered, left);
            }
        }
    }
}
