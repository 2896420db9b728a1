//! When each rank ends, and where the time went (P14).

use panto_sim::observe::Observer;
use panto_sim::program::Program;
use panto_sim::results::{ActivityLog, CriticalPath, TimeBreakdown, TimeSum, Totals};
use panto_sim::{EngineChoice, Noise, RunError, choose_engine};
use panto_units::Time;

use crate::case::Case;

/// Memory that is used at most to find the critical path, in bytes.
const MAX_LOG_BYTES: usize = 1 << 30;

/// The most threads: each keeps sums for all ranks, 150 bytes for a rank.
const MAX_THREADS: usize = 8;

/// The least ranks of a thread: threads with fewer wait for each other's messages at every step.
const MIN_RANKS: usize = 32;

/// The number of operations from which on several threads are worth their start.
const MIN_PARALLEL_OPERATIONS: u64 = 200_000;

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

/// The predicted run of a program.
#[derive(Debug, Clone)]
pub struct Prediction {
    /// The end of each rank.
    pub ends: Vec<Time>,
    /// The times of each rank and each function.
    pub totals: Totals,
    /// The critical path; `None` if the run was too long to find it.
    pub path: Option<CriticalPath>,
    /// Processors that have ranks, by number.
    pub processors: Vec<Processor>,
    /// The rank that ends last, and its end.
    last: Option<(u32, Time)>,
    /// The sum over ranks.
    spent: TimeBreakdown,
}

impl Prediction {
    /// Simulates a program, on up to `threads` threads.
    pub fn new(
        program: &Program,
        case: &Case,
        noise: Option<&dyn Noise>,
        threads: usize,
    ) -> Result<Self, RunError> {
        let config = case.run_config(noise);
        let is_parallel = choose_engine(program, &config) == EngineChoice::RunAhead
            && program.operations() >= MIN_PARALLEL_OPERATIONS;
        let most = if is_parallel { (program.codes.len() / MIN_RANKS).clamp(1, MAX_THREADS) } else { 1 };
        let threads = threads.clamp(1, most);
        let mut observers: Vec<Seen> = (0..threads).map(|_| nothing_seen(program, threads)).collect();
        let ends = panto_sim::run_on(program, &config, &mut observers)?;
        let seen = observers.into_iter().reduce(merge).unwrap_or_else(|| nothing_seen(program, 1));
        Ok(Self::of(program, case, ends, seen))
    }

    /// Simulates a program while `extra` observes it, too.
    pub fn observed(
        program: &Program,
        case: &Case,
        noise: Option<&dyn Noise>,
        extra: &mut impl Observer,
    ) -> Result<Self, RunError> {
        let mut seen = (nothing_seen(program, 1), extra);
        let ends = panto_sim::run(program, &case.run_config(noise), &mut seen)?;
        Ok(Self::of(program, case, ends, seen.0))
    }

    fn of(program: &Program, case: &Case, mut ends: Vec<Time>, (totals, log): Seen) -> Self {
        ends.truncate(program.ranks as usize);
        let last = last(&ends);
        let path = last.and_then(|(rank, end)| log.critical_path(program, rank, end));
        let (processors, spent) = (processors(case, &totals), totals.spent());
        Self { ends, totals, path, processors, last, spent }
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

/// What is observed of the ranks of one thread.
type Seen = (Totals, ActivityLog);

/// Returns an observer that has seen nothing, one of `threads` that share the memory.
fn nothing_seen(program: &Program, threads: usize) -> Seen {
    (Totals::new(program), ActivityLog::new(program.codes.len(), MAX_LOG_BYTES / threads))
}

fn merge(mut all: Seen, of_other_ranks: Seen) -> Seen {
    all.0.merge(&of_other_ranks.0);
    all.1.merge(of_other_ranks.1);
    all
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
