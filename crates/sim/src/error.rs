//! Why a program does not run to its end.

use std::fmt;

use crate::engine::SpaceWait;
use crate::program::Program;

/// Why a program does not run to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunError {
    /// Some ranks wait for something that never happens.
    Deadlock(Deadlock),
    /// The run takes longer than virtual time can count, which is 213 days.
    TimeOverflow,
}

/// The ranks that are blocked when no rank can proceed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deadlock {
    /// How many ranks and helpers are blocked.
    pub count: usize,
    /// The first [`MAX_REPORTED_RANKS`] of them, by rank.
    pub blocked: Vec<BlockedRank>,
}

/// A rank that cannot proceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockedRank {
    /// The rank or helper.
    pub rank: u32,
    /// The call that it is in, counted from 1; 0 before its first call.
    pub calls: u64,
    /// What it waits for.
    pub awaits: Awaited,
}

/// What a blocked rank waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Awaited {
    /// The next message of a channel.
    Message {
        /// The channel.
        channel: u32,
    },
    /// A receive for the message that it sent on a channel.
    Receive {
        /// The channel.
        channel: u32,
    },
    /// Space for a message that it sends on a channel, in the buffers of the receiver.
    Space {
        /// The channel.
        channel: u32,
        /// The length of the message and the space.
        wait: SpaceWait,
    },
    /// A message that a wildcard accepts.
    Wildcard {
        /// The wildcard.
        wildcard: u32,
    },
}

/// Number of blocked ranks that a [`Deadlock`] lists: enough to see a cycle, short enough to read.
pub const MAX_REPORTED_RANKS: usize = 8;

impl RunError {
    /// Returns a message for users, which names ranks of `program`.
    pub fn describe<'a>(&'a self, program: &'a Program) -> impl fmt::Display + 'a {
        Described { error: self, program }
    }
}

struct Described<'a> {
    error: &'a RunError,
    program: &'a Program,
}

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.error {
            RunError::TimeOverflow => f.write_str("the run exceeds the limit of virtual time, 213 days"),
            RunError::Deadlock(deadlock) => self.deadlock(f, deadlock),
        }
    }
}

impl Described<'_> {
    fn deadlock(&self, f: &mut fmt::Formatter<'_>, deadlock: &Deadlock) -> fmt::Result {
        f.write_str("deadlock: ")?;
        for (nth, blocked) in deadlock.blocked.iter().enumerate() {
            f.write_str(if nth == 0 { "" } else { "; " })?;
            self.blocked(f, blocked)?;
        }
        match deadlock.count - deadlock.blocked.len() {
            0 => {}
            more => write!(f, "; and {more} more")?,
        }
        let is_space = |blocked: &BlockedRank| matches!(blocked.awaits, Awaited::Space { .. });
        if deadlock.blocked.iter().any(is_space) {
            f.write_str(" (send.buffer of the model limits the space)")?;
        }
        Ok(())
    }

    fn blocked(&self, f: &mut fmt::Formatter<'_>, blocked: &BlockedRank) -> fmt::Result {
        let rank = |code: u32| self.program.home(code);
        let channel = |channel: u32| &self.program.channels[channel as usize];
        write!(f, "rank {} waits in call {} for ", rank(blocked.rank), blocked.calls)?;
        match blocked.awaits {
            Awaited::Message { channel: number } => {
                write!(f, "a message from rank {}", rank(channel(number).from))
            }
            Awaited::Receive { channel: number } => {
                write!(f, "rank {} to receive", rank(channel(number).to))
            }
            Awaited::Space { channel: number, wait: SpaceWait { bytes, space } } => {
                let (from, to) = (rank(channel(number).from), rank(channel(number).to));
                write!(
                    f,
                    "space for {bytes} bytes in the buffers of rank {to} for rank {from}, {space} bytes in all"
                )
            }
            Awaited::Wildcard { .. } => f.write_str("a message from any rank"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Channel, ChannelKind};

    #[test]
    fn a_deadlock_names_ranks_and_what_they_wait_for() {
        let channel = |from, to| Channel { from, to, match_key: 0, kind: ChannelKind::PointToPoint };
        let program =
            Program { ranks: 3, channels: vec![channel(1, 0), channel(1, 2)], ..Program::default() };
        let blocked = |rank, awaits| BlockedRank { rank, calls: 17, awaits };
        let error = RunError::Deadlock(Deadlock {
            count: 5,
            blocked: vec![
                blocked(0, Awaited::Message { channel: 0 }),
                blocked(1, Awaited::Receive { channel: 1 }),
                blocked(2, Awaited::Wildcard { wildcard: 0 }),
            ],
        });
        assert_eq!(
            error.describe(&program).to_string(),
            "deadlock: rank 0 waits in call 17 for a message from rank 1; rank 1 waits in call 17 for rank 2 \
             to receive; rank 2 waits in call 17 for a message from any rank; and 2 more"
        );
    }
}
