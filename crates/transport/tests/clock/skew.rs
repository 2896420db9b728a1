//! Clocks with known errors.

use panto_transport::Time;
use panto_transport::clock::LinearModel;

pub(crate) const SECOND: u64 = 1_000_000_000_000;
pub(crate) const DAY: u64 = 86_400 * SECOND;

/// A clock that shows `start` at the true time 0 and is fast by `ppb` parts per billion, and by
/// another rate from `change` on.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Skew {
    pub(crate) start: u64,
    pub(crate) ppb: i64,
    pub(crate) change: Option<(Time, i64)>,
}

impl Skew {
    pub(crate) fn new(start: u64, ppb: i64) -> Self {
        Self { start, ppb, change: None }
    }

    /// Returns what it shows at a true time.
    pub(crate) fn shows(&self, truth: Time) -> Time {
        let (before, after) = match self.change {
            Some((moment, ppb)) if truth > moment => (moment, gain(truth - moment, ppb)),
            _ => (truth, 0),
        };
        let shown = i128::from(self.start) + i128::from(truth.as_picos()) + gain(before, self.ppb) + after;
        Time::from_picos(u64::try_from(shown).expect("within 213 days"))
    }
}

fn gain(span: Time, ppb: i64) -> i128 {
    i128::from(span.as_picos()) * i128::from(ppb) / 1_000_000_000
}

/// The results of a rank.
pub(crate) struct Outcome {
    pub(crate) model: LinearModel,
    pub(crate) error: Option<Time>,
    /// The true times before and after the comparison of clocks.
    pub(crate) compared: [Time; 2],
}

/// Ranks and their clocks.
pub(crate) struct Hosts {
    /// The clock of each rank.
    pub(crate) clocks: Vec<usize>,
    pub(crate) skews: Vec<Skew>,
}

impl Hosts {
    /// Hosts whose clocks differ by seconds, days and months, and drift by up to 100 parts per
    /// million.
    pub(crate) fn new(clocks: &[usize]) -> Self {
        let many = [
            Skew::new(3 * DAY, 12_345),
            Skew::new(200 * DAY, -100_000),
            Skew::new(5 * SECOND, 100_000),
            Skew::new(3 * DAY + SECOND, 0),
            Skew::new(0, -7),
            Skew::new(90 * DAY, 31_000),
        ];
        let count = clocks.iter().max().map_or(0, |last| last + 1);
        Self { clocks: clocks.into(), skews: many.into_iter().cycle().take(count).collect() }
    }

    /// One host per rank.
    pub(crate) fn alone(ranks: usize) -> Self {
        Self::new(&(0..ranks).collect::<Vec<_>>())
    }

    pub(crate) fn ranks(&self) -> usize {
        self.clocks.len()
    }

    /// Returns what a rank's clock shows.
    pub(crate) fn shows(&self, rank: usize, truth: Time) -> Time {
        self.skews[self.clocks[rank]].shows(truth)
    }

    /// Returns by how much a rank's global clock is ahead of rank 0's, in picoseconds.
    pub(crate) fn ahead(&self, outcomes: &[Outcome], rank: usize, truth: Time) -> i64 {
        let global =
            |rank: usize| i128::from(outcomes[rank].model.global(self.shows(rank, truth)).as_picos());
        i64::try_from(global(rank) - global(0)).expect("within 106 days")
    }

    /// Returns the largest difference to rank 0, in picoseconds.
    pub(crate) fn max_difference_to_rank_0(&self, outcomes: &[Outcome], truth: Time) -> u64 {
        (0..self.ranks()).map(|rank| self.ahead(outcomes, rank, truth).unsigned_abs()).max().unwrap_or(0)
    }

    /// Ranks of one host have one model, rank 0's clock is the global one, and all ranks have the
    /// same error.
    pub(crate) fn check_agreement(&self, outcomes: &[Outcome]) {
        for (rank, outcome) in outcomes.iter().enumerate() {
            let first = self.clocks.iter().position(|&clock| clock == self.clocks[rank]).expect("itself");
            assert_eq!(outcome.model, outcomes[first].model, "rank {rank} and rank {first}");
            assert_eq!(outcome.error, outcomes[0].error, "rank {rank}");
        }
        assert_eq!(outcomes[0].model, LinearModel::default());
        assert_eq!(outcomes[0].error.is_some(), self.skews.len() > 1);
    }
}
