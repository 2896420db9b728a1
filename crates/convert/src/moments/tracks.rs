//! Lines of a timeline: ranks, and the helpers beside them.

use panto_timeline::About;

/// Which rank a line is, or whose helper.
#[derive(Debug)]
pub struct Tracks {
    /// The rank of each helper, and the helper's number there, from 1.
    helpers: Vec<(u32, u32)>,
    ranks: u32,
}

impl Tracks {
    pub fn new(about: &About) -> Self {
        let mut counts = vec![0; about.ranks as usize];
        let number = |rank: &u32| {
            let count: &mut u32 = &mut counts[*rank as usize];
            *count += 1;
            (*rank, *count)
        };
        Self { helpers: about.helps.iter().map(number).collect(), ranks: about.ranks }
    }

    /// The rank of a line, and which of its helpers it is; 0 is the rank itself.
    pub fn place(&self, line: u32) -> (u32, u32) {
        line.checked_sub(self.ranks).map_or((line, 0), |helper| self.helpers[helper as usize])
    }

    /// What people call it.
    pub fn name(&self, line: u32) -> String {
        match self.place(line) {
            (rank, 0) => format!("rank {rank}"),
            (rank, helper) => format!("rank {rank} helper {helper}"),
        }
    }

    /// All lines, each rank before its helpers.
    pub fn order(&self) -> Vec<u32> {
        let mut lines: Vec<u32> = (0..self.ranks + self.helpers.len() as u32).collect();
        lines.sort_by_key(|line| self.place(*line));
        lines
    }
}
