//! When each rank ends, and where the time went (P14).

use panto_sim::observe::Observer;
use panto_sim::program::Program;
use panto_sim::results::{Path, Share, Shares, Spent, Sum, Totals, Waits};
use panto_sim::{Halted, Noise};
use panto_units::Time;

use crate::case::Case;

/// So many waits are kept at most, to find the critical path: 2.4 GB.
const MOST_WAITS: usize = 100_000_000;

/// A processor and what it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Processor {
    /// Its number on the machine.
    pub number: u32,
    /// The ranks that it runs.
    pub ranks: Vec<u32>,
    /// How long it worked.
    pub busy: Sum,
}

/// What would have to be shorter for the whole to be shorter.
#[derive(Debug, Clone)]
pub struct CriticalPath {
    /// From rank to rank.
    pub path: Path,
    /// What ranks did on it, the longest first.
    pub shares: Vec<Share>,
}

/// How a program would run.
#[derive(Debug, Clone)]
pub struct Prediction {
    /// When each rank ends.
    pub ends: Vec<Time>,
    /// What each rank and each function took.
    pub totals: Totals,
    /// The critical path, unless there were too many waits to find it.
    pub path: Option<CriticalPath>,
    /// Processors that have ranks, in their order.
    pub processors: Vec<Processor>,
    /// The rank that ends last, and when.
    last: Option<(u32, Time)>,
    /// All ranks together.
    spent: Spent,
}

impl Prediction {
    /// Runs a program. `extra` sees the first run as well.
    pub fn new(
        program: &Program,
        case: &Case,
        noise: Option<&dyn Noise>,
        extra: &mut impl Observer,
    ) -> Result<Self, Halted> {
        let setting = case.setting(noise);
        let mut seen = ((Totals::new(program), Waits::new(program.codes.len(), MOST_WAITS)), extra);
        let mut ends = panto_sim::run(program, &setting, &mut seen)?;
        let (totals, waits) = seen.0;
        ends.truncate(program.ranks as usize);
        let last = last(&ends);
        let path = match last.and_then(|(rank, end)| waits.path(rank, end)) {
            None => None,
            Some(path) => {
                drop(waits);
                let mut shares = Shares::new(program, &path);
                panto_sim::run(program, &setting, &mut shares)?;
                Some(CriticalPath { shares: shares.shares(), path })
            }
        };
        let (processors, spent) = (processors(case, &totals), totals.spent());
        Ok(Self { ends, totals, path, processors, last, spent })
    }

    /// The parallel time: when the last rank ends.
    pub fn time(&self) -> Time {
        self.last.map_or(Time::ZERO, |(_, end)| end)
    }

    /// The rank that ends last.
    pub fn last(&self) -> Option<u32> {
        self.last.map(|(rank, _)| rank)
    }

    /// How long a rank has nothing to do after its end.
    pub fn idle(&self, rank: usize) -> Time {
        self.time().since(self.ends[rank])
    }

    /// All ranks together.
    pub fn spent(&self) -> Spent {
        self.spent
    }

    /// The time of all computation on one processor, divided by the parallel time: PUPPET's scaled speed-up.
    pub fn scaled_speedup(&self) -> f64 {
        self.per_time(self.spent.compute)
    }

    /// The share of the parallel time in which a processor worked.
    pub fn utilisation(&self, processor: &Processor) -> f64 {
        self.per_time(processor.busy)
    }

    /// Divided by the parallel time; nothing of no time.
    fn per_time(&self, sum: Sum) -> f64 {
        let time = self.time();
        if time == Time::ZERO { 0.0 } else { sum.as_secs() / time.as_secs() }
    }

    /// The mean over processors.
    pub fn mean_utilisation(&self) -> f64 {
        let sum: f64 = self.processors.iter().map(|processor| self.utilisation(processor)).sum();
        sum / self.processors.len() as f64
    }
}

/// The first of those that end last.
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
