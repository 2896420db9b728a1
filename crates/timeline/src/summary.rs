//! How long each rank did what.

use panto_units::Time;

use crate::error::Result;
use crate::read::{EVER, Timeline};
use crate::record::What;

/// How long each rank and helper did what, and what it sent and received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Rows of numbers, because zeros take no memory until they are counted up, and a file may claim ranks of which it has nothing.
    rows: Vec<[u64; COUNTS]>,
}

/// What one rank did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RankSummary {
    /// Time in its own work.
    pub compute: Time,
    /// Time in its part of messages.
    pub message: Time,
    /// Time in copies and reductions of collectives.
    pub combine: Time,
    /// Time in moving bytes without the other rank, and in files.
    pub access: Time,
    /// Time in waiting.
    pub wait: Time,
    /// When its last state ended.
    pub end: Time,
    /// How many states it has.
    pub states: u64,
    /// How many of its messages were received.
    pub sent: u64,
    /// How many bytes they had.
    pub bytes_sent: u64,
    /// How many messages it received.
    pub received: u64,
    /// How many bytes they had.
    pub bytes_received: u64,
}

const COUNTS: usize = 11;
const COMPUTE: usize = 0;
const MESSAGE: usize = 1;
const COMBINE: usize = 2;
const ACCESS: usize = 3;
const WAIT: usize = 4;
const END: usize = 5;
const STATES: usize = 6;
const SENT: usize = 7;
const BYTES_SENT: usize = 8;
const RECEIVED: usize = 9;
const BYTES_RECEIVED: usize = 10;

impl Summary {
    pub(crate) fn of(timeline: &Timeline) -> Result<Self> {
        let lines = timeline.lines();
        let mut rows = vec![[0; COUNTS]; lines as usize];
        for found in timeline.states_of(0..lines, &EVER) {
            let (rank, state) = found?;
            let place = match state.what {
                What::Compute => COMPUTE,
                What::Message => MESSAGE,
                What::Combine => COMBINE,
                What::Access => ACCESS,
                What::Wait(_) => WAIT,
            };
            let row = &mut rows[rank as usize];
            // States of a rank do not overlap, so their sum is at most the last moment.
            row[place] += state.length().as_picos();
            row[END] = state.to.as_picos();
            row[STATES] += 1;
        }
        for found in timeline.messages(&EVER) {
            let message = found?;
            let mut add = |rank: u32, count: usize, bytes: usize| {
                let row = &mut rows[rank as usize];
                row[count] += 1;
                row[bytes] = row[bytes].saturating_add(message.bytes);
            };
            add(message.from, SENT, BYTES_SENT);
            add(message.to, RECEIVED, BYTES_RECEIVED);
        }
        Ok(Self { rows })
    }

    /// That of one rank or helper; none if there is no such rank.
    pub fn rank(&self, rank: u32) -> Option<RankSummary> {
        let row = self.rows.get(rank as usize)?;
        let time = |place: usize| Time::from_picos(row[place]);
        Some(RankSummary {
            compute: time(COMPUTE),
            message: time(MESSAGE),
            combine: time(COMBINE),
            access: time(ACCESS),
            wait: time(WAIT),
            end: time(END),
            states: row[STATES],
            sent: row[SENT],
            bytes_sent: row[BYTES_SENT],
            received: row[RECEIVED],
            bytes_received: row[BYTES_RECEIVED],
        })
    }

    /// Those of all ranks, then of helpers.
    pub fn ranks(&self) -> impl Iterator<Item = RankSummary> + '_ {
        (0..self.rows.len() as u32).filter_map(|rank| self.rank(rank))
    }
}
