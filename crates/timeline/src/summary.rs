//! How long each rank was in which state.

use panto_units::Time;

use crate::error::Result;
use crate::read::{ALL_TIME, Timeline};
use crate::record::StateKind;

/// For each rank and helper, how long it was in which state, and what it sent and received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// A row of numbers for each rank: pages of zeros take no memory until they are written, and a
    /// file may claim ranks of which it has nothing.
    rows: Vec<[u64; COUNTS]>,
}

/// The statistics of one rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RankSummary {
    /// Time of computation.
    pub compute: Time,
    /// Time of overheads of messages.
    pub message: Time,
    /// Time of copies and reductions of collectives.
    pub combine: Time,
    /// Time of one-sided access and of files.
    pub access: Time,
    /// Time of waiting.
    pub wait: Time,
    /// The end of its last state.
    pub end: Time,
    /// The number of states.
    pub states: u64,
    /// The number of its messages that were received.
    pub sent: u64,
    /// Bytes of these messages.
    pub bytes_sent: u64,
    /// The number of messages that it received.
    pub received: u64,
    /// Bytes of these messages.
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
        for found in timeline.states_of(0..lines, &ALL_TIME) {
            let (rank, state) = found?;
            let place = match state.kind {
                StateKind::Compute => COMPUTE,
                StateKind::Message => MESSAGE,
                StateKind::Combine => COMBINE,
                StateKind::Access => ACCESS,
                StateKind::Wait(_) => WAIT,
            };
            let row = &mut rows[rank as usize];
            // States of a rank do not overlap, so their sum is at most the last moment.
            row[place] += state.length().as_picos();
            row[END] = state.to.as_picos();
            row[STATES] += 1;
        }
        for found in timeline.messages(&ALL_TIME) {
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

    /// Returns the statistics of one rank or helper; none if there is no such rank.
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

    /// Returns the statistics of all ranks, then of helpers.
    pub fn ranks(&self) -> impl Iterator<Item = RankSummary> + '_ {
        (0..self.rows.len() as u32).filter_map(|rank| self.rank(rank))
    }
}
