//! When each rank ends, and where the time went (P14).
//!
//! The critical path takes two runs: the first records what ranks waited for, the second adds up
//! what they did on the path that was found. Runs are deterministic, so nothing else is stored.

use panto_sim::observe::Observer;
use panto_sim::program::Program;
use panto_sim::results::{Path, PathShare, PathShares, TimeBreakdown, TimeSum, Totals, WaitLog};
use panto_sim::{Noise, RunError};
use panto_units::Time;

use crate::case::Case;

/// Waits that are kept at most to find the critical path: 2.4 GB of memory.
const MOST_WAITS: usize = 100_000_000;

/// A processor with its ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Processor {
    /// Its number on the machine.
    pub number: u32,
    /// The ranks that it runs.
    pub ranks: Vec<u32>,
    /// The time in which it was busy.
    pub busy: TimeSum,
}

/// The chain of work and messages that determines the time of the whole run.
#[derive(Debug, Clone)]
pub struct CriticalPath {
    /// The path from rank to rank.
    pub path: Path,
    /// The activities of ranks on it, the longest first.
    pub shares: Vec<PathShare>,
}

/// The predicted run of a program.
#[derive(Debug, Clone)]
pub struct Prediction {
    /// The end of each rank.
    pub ends: Vec<Time>,
    /// The times of each rank and each function.
    pub totals: Totals,
    /// The critical path; `None` if there were too many waits to find it.
    pub path: Option<CriticalPath>,
    /// Processors that have ranks, by number.
    pub processors: Vec<Processor>,
    /// The rank that ends last, and its end.
    last: Option<(u32, Time)>,
    /// The sum over ranks.
    spent: TimeBreakdown,
}

impl Prediction {
    /// Simulates a program. `extra` observes the first of the two runs.
    pub fn new(
        program: &Program,
        case: &Case,
        noise: Option<&dyn Noise>,
        extra: &mut impl Observer,
    ) -> Result<Self, RunError> {
        let config = case.run_config(noise);
        let mut seen = ((Totals::new(program), WaitLog::new(program.codes.len(), MOST_WAITS)), extra);
        let mut ends = panto_sim::run(program, &config, &mut seen)?;
        let (totals, waits) = seen.0;
        ends.truncate(program.ranks as usize);
        let last = last(&ends);
        let path = match last.and_then(|(rank, end)| waits.path(rank, end)) {
            None => None,
            Some(path) => {
                drop(waits);
                let mut shares = PathShares::new(program, &path);
                panto_sim::run(program, &config, &mut shares)?;
                Some(CriticalPath { shares: shares.shares(), path })
            }
        };
        let (processors, spent) = (processors(case, &totals), totals.spent());
        Ok(Self { ends, totals, path, processors, last, spent })
    }

    /// Returns the makespan: the end of the last rank.
    pub fn time(&self) -> Time {
        self.last.map_or(Time::ZERO, |(_, end)| end)
    }

    /// Returns the rank that ends last.
    pub fn last(&self) -> Option<u32> {
        self.last.map(|(rank, _)| rank)
    }

    /// Returns the time from the end of a rank to the end of the last one.
    pub fn idle(&self, rank: usize) -> Time {
        self.time().since(self.ends[rank])
    }

    /// Returns the times summed over ranks.
    pub fn spent(&self) -> TimeBreakdown {
        self.spent
    }

    /// Returns PUPPET's scaled speed-up: the computation of all ranks divided by the makespan.
    pub fn scaled_speedup(&self) -> f64 {
        self.per_time(self.spent.compute)
    }

    /// Returns the share of the makespan in which a processor was busy.
    pub fn utilisation(&self, processor: &Processor) -> f64 {
        self.per_time(processor.busy)
    }

    /// Returns a time divided by the makespan; 0 for an empty program.
    fn per_time(&self, sum: TimeSum) -> f64 {
        let time = self.time();
        if time == Time::ZERO { 0.0 } else { sum.as_secs() / time.as_secs() }
    }

    /// Returns the mean utilisation of processors.
    pub fn mean_utilisation(&self) -> f64 {
        let sum: f64 = self.processors.iter().map(|processor| self.utilisation(processor)).sum();
        sum / self.processors.len() as f64
    }
}

/// Returns the rank with the latest end, the lowest of several, and that end.
fn last(ends: &[Time]) -> Option<(u32, Time)> {
    let ends = (0..).zip(ends.iter().copied());
    ends.max_by_key(|&(rank, end): &(u32, Time)| (end, std::cmp::Reverse(rank)))
}

fn processors(case: &Case, totals: &Totals) -> Vec<Processor> {
    let mut places: Vec<(u32, u32)> = (0..).zip(&case.places).map(|(rank, &place)| (place, rank)).collect();
    places.sort_unstable();
    let busy = |rank: u32| totals.ranks()[rank as usize].spent.busy();
    let of = |group: &[(u32, u32)]| Processor {
        number: group[0].0,
        ranks: group.iter().map(|(_, rank)| *rank).collect(),
        busy: group.iter().map(|(_, rank)| busy(*rank)).sum(),
    };
    places.chunk_by(|a, b| a.0 == b.0).map(of).collect()
}
