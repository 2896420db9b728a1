//! Time of the last event of each line.

use panto_timeline::{ALL_TIME, Timeline};
use panto_units::Time;

use crate::error::Result;

/// Lines by the time of their last event.
pub struct Ends {
    /// Sorted in descending order: the earliest is at the back.
    left: Vec<(Time, u32)>,
}

impl Ends {
    /// Reads the whole timeline once.
    pub fn new(timeline: &Timeline) -> Result<Self> {
        let lines = timeline.ranks() + timeline.about().helper_ranks.len() as u32;
        let mut ends = vec![Time::ZERO; lines as usize];
        for found in timeline.states_of(0..lines, &ALL_TIME) {
            let (line, state) = found?;
            ends[line as usize] = state.to;
        }
        for found in timeline.messages(&ALL_TIME) {
            let message = found?;
            for (line, at) in [(message.from, message.sent), (message.to, message.received)] {
                let end = &mut ends[line as usize];
                *end = at.max(*end);
            }
        }
        let mut left: Vec<(Time, u32)> = ends.into_iter().zip(0..).collect();
        left.sort_unstable_by(|one, other| other.cmp(one));
        Ok(Self { left })
    }

    /// Removes and returns the next line that ends before `at`.
    pub fn before(&mut self, at: Time) -> Option<(Time, u32)> {
        self.left.pop_if(|(end, _)| *end < at)
    }

    /// Removes and returns the next line.
    pub fn next(&mut self) -> Option<(Time, u32)> {
        self.left.pop()
    }
}
