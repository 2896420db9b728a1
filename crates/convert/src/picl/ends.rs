//! When each line has its last moment.

use panto_timeline::{EVER, Timeline};
use panto_units::Time;

use crate::error::Result;

/// The last moments of lines, the earliest first.
pub struct Ends {
    /// The earliest last.
    left: Vec<(Time, u32)>,
}

impl Ends {
    /// Reads everything once.
    pub fn new(timeline: &Timeline) -> Result<Self> {
        let lines = timeline.ranks() + timeline.about().helps.len() as u32;
        let mut ends = vec![Time::ZERO; lines as usize];
        for found in timeline.states_of(0..lines, &EVER) {
            let (line, state) = found?;
            ends[line as usize] = state.to;
        }
        for found in timeline.messages(&EVER) {
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

    /// Takes the next one, if it is before this moment.
    pub fn before(&mut self, at: Time) -> Option<(Time, u32)> {
        self.left.pop_if(|(end, _)| *end < at)
    }

    /// Takes the next one.
    pub fn next(&mut self) -> Option<(Time, u32)> {
        self.left.pop()
    }
}
