//! Computation before a call: its mean grows by a law, and it varies between ranks and iterations
//! as it did in the largest trace.
//!
//! Computation belongs to the call after it. A rank that leaves out the first call of an iteration
//! has the computation before the second one, and the first iteration of a loop has what is before
//! the loop. So what is before a call depends on the call that the rank executed last.

use std::collections::BTreeMap;

use crate::grid::{Coordinates, Grid};
use crate::growth::Growth;
use crate::observe::Member;

/// The computation before a call, by what was executed last.
#[derive(Debug, Clone, Default)]
pub struct Computation(BTreeMap<Last, Part>);

/// What a rank executed before a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Last {
    /// Something before the loop that the call stands in.
    Outside,
    /// The end of the loop's body.
    End,
    /// The call or loop at this place of the row.
    Place(usize),
}

/// Executions of a call by a rank.
pub struct Executions {
    /// The number of the rank among those of all traces.
    pub member: usize,
    /// Its events.
    pub events: Vec<u32>,
}

/// The computation between two calls.
#[derive(Debug, Clone)]
pub struct Part {
    /// The law of its mean.
    growth: Growth,
    /// The mean in the reference trace, in nanoseconds.
    mean: f64,
    /// What each rank of the reference trace computed, in nanoseconds.
    ranks: BTreeMap<u32, Vec<u64>>,
    reference: Grid,
    /// The computation of all traces, in nanoseconds.
    total: f64,
}

/// The least share of a trace's computation for which a law is sought. Less is noise, or does not
/// matter.
const LEAST_SHARE: f64 = 0.01;

impl Computation {
    /// Finds the laws of what was seen, by the place of the last call. `totals` has the computation
    /// of each trace.
    pub fn find(
        found: &BTreeMap<Last, Vec<Executions>>,
        members: &[Member],
        grids: &[Grid],
        totals: &[f64],
    ) -> Self {
        let parts = found
            .iter()
            .filter_map(|(last, found)| Part::find(found, members, grids, totals).map(|part| (*last, part)));
        Self(parts.collect())
    }

    /// Returns the computation after a call; after another one if that was never seen.
    pub fn after(&self, last: Last) -> Option<&Part> {
        self.0.get(&last).or_else(|| self.0.values().max_by(|one, other| one.total.total_cmp(&other.total)))
    }

    /// Returns the computation of all traces in nanoseconds, with the law of its largest part.
    pub fn summary(&self) -> Option<(f64, Growth)> {
        let largest = self.0.values().max_by(|one, other| one.total.total_cmp(&other.total))?;
        Some((self.0.values().map(|part| part.total).sum(), largest.growth))
    }

    /// Returns the computation whose laws were cross-validated, in nanoseconds of all traces, and
    /// what the laws miss of it.
    pub fn validation(&self) -> (f64, f64) {
        let parts = self.0.values().filter_map(|part| Some((part.total, part.growth.error?)));
        parts.fold((0.0, 0.0), |(total, missed), (own, error)| (total + own, missed + own * error))
    }
}

impl Part {
    fn find(found: &[Executions], members: &[Member], grids: &[Grid], totals: &[f64]) -> Option<Self> {
        let mut sums = vec![(0.0, 0_u64); grids.len()];
        for one in found {
            let member = &members[one.member];
            let (sum, count) = &mut sums[member.trace];
            for event in &one.events {
                *sum += member.calls.before[*event as usize] as f64;
                *count += 1;
            }
        }
        let last = sums.iter().rposition(|(_, count)| *count > 0)?;
        let seen = sums.iter().zip(grids).filter(|((_, count), _)| *count > 0);
        let means: Vec<(u32, f64)> =
            seen.map(|((sum, count), grid)| (grid.ranks(), sum / *count as f64)).collect();
        let is_small = sums.iter().zip(totals).all(|((sum, _), total)| sum / total.max(1.0) < LEAST_SHARE);
        Some(Self {
            growth: Growth::fit(if is_small { &means[means.len() - 1..] } else { &means }),
            mean: sums[last].0 / sums[last].1 as f64,
            ranks: profiles(found, members, last),
            reference: grids[last].clone(),
            total: sums.iter().map(|(sum, _)| sum).sum(),
        })
    }

    /// Returns the computation of a rank before one of its executions, in nanoseconds.
    pub fn at(&self, grid: &Grid, rank: u32, position: u32) -> u64 {
        let scale = if self.mean > 0.0 { self.growth.at(grid.ranks()) / self.mean } else { 0.0 };
        let source = self.source(grid, rank).filter(|source| !source.is_empty());
        source.map_or(0, |source| (source[position as usize % source.len()] as f64 * scale).round() as u64)
    }

    /// Returns what the rank of the reference trace computed that stands where this rank does.
    fn source(&self, grid: &Grid, rank: u32) -> Option<&[u64]> {
        let similar = self.reference.rank(&similar(grid, rank, &self.reference));
        let exact = similar.and_then(|similar| self.ranks.get(&similar));
        let any = || self.ranks.values().nth(rank as usize % self.ranks.len().max(1));
        exact.or_else(any).map(Vec::as_slice)
    }
}

/// Returns the place in a smaller grid that corresponds to a rank: borders to borders.
fn similar(grid: &Grid, rank: u32, smaller: &Grid) -> Coordinates {
    let mut place = grid.place(rank);
    for ((coordinate, length), small) in place.iter_mut().zip(grid.dims()).zip(smaller.dims()) {
        let (last, small_last) = (i64::from(*length) - 1, i64::from(*small) - 1);
        *coordinate = match *coordinate {
            0 => 0,
            end if end == last => small_last,
            // The inner places of a dimension take turns.
            inner if small_last > 1 => 1 + (inner - 1) % (small_last - 1),
            inner => inner % (small_last + 1),
        };
    }
    place
}

fn profiles(found: &[Executions], members: &[Member], trace: usize) -> BTreeMap<u32, Vec<u64>> {
    let of_trace = found.iter().filter(|one| members[one.member].trace == trace);
    let profile = |one: &Executions| {
        let member = &members[one.member];
        let before = one.events.iter().map(|event| member.calls.before[*event as usize]);
        (member.rank, before.collect())
    };
    of_trace.map(profile).collect()
}
