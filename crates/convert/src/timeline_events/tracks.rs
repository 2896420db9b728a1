//! Lines of a timeline: ranks and their helpers.

use panto_timeline::TimelineInfo;

/// Maps lines to ranks and helpers.
#[derive(Debug)]
pub struct Tracks {
    /// Rank of each helper, and the helper's index within that rank, counted from 1.
    helpers: Vec<(u32, u32)>,
    ranks: u32,
}

impl Tracks {
    pub fn new(about: &TimelineInfo) -> Self {
        let mut counts = vec![0; about.ranks as usize];
        let number = |rank: &u32| {
            let count: &mut u32 = &mut counts[*rank as usize];
            *count += 1;
            (*rank, *count)
        };
        Self { helpers: about.helper_ranks.iter().map(number).collect(), ranks: about.ranks }
    }

    /// Returns the rank of a line and the index of the helper; 0 is the rank itself.
    pub fn rank_and_helper(&self, line: u32) -> (u32, u32) {
        line.checked_sub(self.ranks).map_or((line, 0), |helper| self.helpers[helper as usize])
    }

    /// Returns the display name of a line.
    pub fn name(&self, line: u32) -> String {
        match self.rank_and_helper(line) {
            (rank, 0) => format!("rank {rank}"),
            (rank, helper) => format!("rank {rank} helper {helper}"),
        }
    }

    /// Returns all lines, each rank before its helpers.
    pub fn order(&self) -> Vec<u32> {
        let mut lines: Vec<u32> = (0..self.ranks + self.helpers.len() as u32).collect();
        lines.sort_by_key(|line| self.rank_and_helper(*line));
        lines
    }
}
