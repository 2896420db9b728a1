//! Lists of ranks, compact in memory and in files.

use std::ops::Range;

use panto_container::varint::{put, put_signed, take, take_signed};

/// Ranks with equal steps between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Run {
    /// The first rank.
    pub first: u32,
    /// The difference between one rank and the next.
    pub step: i32,
    /// The number of ranks.
    pub count: u32,
}

/// A list of ranks as runs: `MPI_COMM_WORLD` is one run, however many ranks it has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Ranks(Vec<Run>);

impl FromIterator<u32> for Ranks {
    fn from_iter<I: IntoIterator<Item = u32>>(ranks: I) -> Self {
        let mut runs: Vec<Run> = Vec::new();
        for rank in ranks {
            if let Some(run) = runs.last_mut()
                && run.takes(rank)
            {
                run.count += 1;
            } else {
                runs.push(Run { first: rank, step: 1, count: 1 });
            }
        }
        Self(runs)
    }
}

impl Run {
    /// Returns whether the run can be continued with this rank. The second rank determines the
    /// step.
    fn takes(&mut self, rank: u32) -> bool {
        if self.count > 1 {
            return self.get(self.count) == Some(rank);
        }
        let step = i32::try_from(i64::from(rank) - i64::from(self.first));
        self.step = step.unwrap_or(self.step);
        step.is_ok()
    }

    fn get(&self, place: u32) -> Option<u32> {
        let far = i64::from(self.step) * i64::from(place);
        u32::try_from(i64::from(self.first) + far).ok()
    }
}

impl Ranks {
    /// Stands for `MPI_PROC_NULL`, or for a process that is not in `MPI_COMM_WORLD`.
    pub const OUTSIDE: u32 = u32::MAX;

    /// Makes a list of ascending ranges, each of which is a run, without visiting the ranks.
    pub(crate) fn from_ranges(ranges: impl Iterator<Item = Range<u32>>) -> Self {
        let filled = ranges.filter(|range| !range.is_empty());
        Self(
            filled.map(|range| Run { first: range.start, step: 1, count: range.end - range.start }).collect(),
        )
    }

    /// Returns the number of ranks.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|run| run.count).sum()
    }

    /// Returns whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the rank at a place of the list.
    pub fn get(&self, mut place: u32) -> Option<u32> {
        for run in &self.0 {
            if place < run.count {
                return run.get(place);
            }
            place -= run.count;
        }
        None
    }

    /// Returns the ranks in their order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().flat_map(|run| (0..run.count).filter_map(|place| run.get(place)))
    }

    /// Returns the runs.
    pub fn runs(&self) -> &[Run] {
        &self.0
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        put(out, self.0.len() as u64);
        for run in &self.0 {
            put(out, run.first.into());
            put_signed(out, run.step.into());
            put(out, run.count.into());
        }
    }

    pub(crate) fn take(bytes: &mut &[u8]) -> Option<Self> {
        let runs = take(bytes)?;
        let mut all = Vec::new();
        let mut total = 0_u32;
        for _ in 0..runs {
            let first = u32::try_from(take(bytes)?).ok()?;
            let step = i32::try_from(take_signed(bytes)?).ok()?;
            let count = u32::try_from(take(bytes)?).ok()?;
            total = total.checked_add(count)?;
            let run = Run { first, step, count };
            run.get(count.checked_sub(1)?)?;
            all.push(run);
        }
        Some(Self(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_runs() {
        let lists: [&[u32]; 7] =
            [&[], &[7], &[0, u32::MAX, 5], &[3, 2, 1, 0], &[0, 4, 8, 12], &[5, 1, 9, 10, 11, 2], &[4, 4, 4]];
        for list in lists {
            let ranks: Ranks = list.iter().copied().collect();
            assert_eq!(ranks.iter().collect::<Vec<_>>(), list);
            assert_eq!(ranks.len() as usize, list.len());
            let mut bytes = Vec::new();
            ranks.put(&mut bytes);
            assert_eq!(Ranks::take(&mut bytes.as_slice()), Some(ranks));
        }
        let world: Ranks = (0..1_000_000).collect();
        assert_eq!(world.runs(), [Run { first: 0, step: 1, count: 1_000_000 }]);
    }
}
