//! The clocks of ranks, and the clock that they have in common.
//!
//! A rank counts nanoseconds since it began by a counter of its own calibration, which drifts by
//! some millionths: a millisecond in ten minutes. The tracer reads the host's monotonic clock when
//! the rank begins and when it ends, and both readings together move each moment to that clock.
//! Clocks of hosts are compared by the system's time first, and then by the messages between them
//! ([`Exchanges`](crate::hosts::Exchanges)).

use std::collections::BTreeMap;

use panto_trace::{RankTrace, Trace, key};
use panto_units::Time;

use crate::hosts::HostClock;

/// Moves moments of a rank to the common clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankClock {
    /// The number of its host.
    host: usize,
    /// When the rank began, in nanoseconds of the common clock.
    start: f64,
    /// Nanoseconds of the common clock for each of the rank's own.
    rate: f64,
}

/// The clocks of all ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct Clocks {
    ranks: Vec<RankClock>,
    hosts: usize,
    error: Option<Time>,
}

impl RankClock {
    /// Returns the number of its host.
    pub fn host(self) -> usize {
        self.host
    }

    /// Returns the common time of a moment, in nanoseconds since the rank began.
    pub fn time(self, local: u64) -> Time {
        let picos = (self.start + local as f64 * self.rate) * 1e3;
        Time::from_picos(picos.round() as u64)
    }
}

impl Clocks {
    /// Reads the clocks of a trace. Monotonic clocks of hosts begin when the hosts were started;
    /// they are compared by the system's time, which all hosts are supposed to know.
    pub fn of(trace: &Trace) -> Self {
        let readings: Vec<Readings<'_>> = trace.ranks().iter().map(Readings::of).collect();
        let mut hosts: BTreeMap<&str, (usize, Option<i128>)> = BTreeMap::new();
        for rank in &readings {
            let number = hosts.len();
            let (_, offset) = hosts.entry(rank.host).or_insert((number, None));
            *offset = offset.or(rank.monotonic.map(|monotonic| rank.system - monotonic));
        }
        let start = |rank: &Readings<'_>| match (rank.monotonic, hosts[rank.host].1) {
            (Some(monotonic), Some(offset)) => monotonic + offset,
            _ => rank.system,
        };
        let first = readings.iter().map(start).min().unwrap_or(0);
        let clock = |rank: &Readings<'_>| RankClock {
            host: hosts[rank.host].0,
            start: (start(rank) - first) as f64,
            rate: rank.rate,
        };
        Self { ranks: readings.iter().map(clock).collect(), hosts: hosts.len(), error: None }
    }

    /// Returns the clocks of the ranks that the trace has.
    pub fn ranks(&self) -> &[RankClock] {
        &self.ranks
    }

    /// Returns the number of hosts.
    pub fn hosts(&self) -> usize {
        self.hosts
    }

    /// Returns how well the clocks of hosts are known to agree, if that is known.
    pub fn error(&self) -> Option<Time> {
        self.error
    }

    /// Corrects the clocks of hosts by what is known of them.
    pub fn correct(&mut self, hosts: &[Option<HostClock>]) {
        for rank in &mut self.ranks {
            if let Some(HostClock { ahead, drift, .. }) = hosts.get(rank.host).copied().flatten() {
                rank.start = rank.start * (1.0 - drift) - ahead;
                rank.rate *= 1.0 - drift;
            }
        }
        let first = self.ranks.iter().map(|rank| rank.start).fold(f64::INFINITY, f64::min);
        self.ranks.iter_mut().for_each(|rank| rank.start -= first);
        let errors: Option<Vec<f64>> = hosts.iter().map(|host| Some((*host)?.error)).collect();
        let worst = errors.map(|errors| errors.into_iter().fold(0.0, f64::max));
        self.error = worst.map(|nanos| Time::from_picos((nanos * 1e3).round() as u64));
    }
}

/// Readings of the clocks of a rank.
struct Readings<'a> {
    host: &'a str,
    /// The system's time when it began, in nanoseconds since 1970.
    system: i128,
    /// The host's monotonic clock when it began.
    monotonic: Option<i128>,
    rate: f64,
}

impl<'a> Readings<'a> {
    fn of(rank: &'a RankTrace) -> Self {
        let metadata = rank.metadata();
        let number = |name| metadata.number(name);
        let (start, end) = (number(key::MONOTONIC_START), number(key::MONOTONIC_END));
        let ends = start.zip(end).and_then(|(start, end)| end.checked_sub(start));
        let rate = ends.zip(number(key::WALL)).map_or(1.0, |(host, own)| host as f64 / own.max(1) as f64);
        Self {
            host: metadata.get(key::HOST).unwrap_or_default(),
            system: number(key::STARTED).unwrap_or(0).into(),
            monotonic: start.map(i128::from),
            // A clock that differs by more than a thousandth was not read as the format says.
            rate: if (rate - 1.0).abs() < 1e-3 { rate } else { 1.0 },
        }
    }
}
