//! Why a program does not come to its end.

use std::fmt;

use crate::program::Program;

/// What a rank waits for that will never be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// The next message of a channel.
    Message {
        /// The channel.
        channel: u32,
    },
    /// Somebody who takes the message that it sent on a channel.
    Receiver {
        /// The channel.
        channel: u32,
    },
    /// A message that a pick accepts.
    Pick {
        /// The pick.
        pick: u32,
    },
}

/// A rank that cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Halt {
    /// The rank.
    pub rank: u32,
    /// The call that it is in: how many it had begun by then.
    pub calls: u64,
    /// What it waits for.
    pub want: Want,
}

/// Why a program does not come to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Halted {
    /// Some ranks cannot go on.
    Stuck {
        /// How many.
        ranks: usize,
        /// The first few of them, in their order.
        halts: Vec<Halt>,
    },
    /// It takes longer than virtual time is long, which is 213 days.
    EndOfTime,
}

/// So many are told of.
pub const MOST_HALTS: usize = 8;

impl Halted {
    /// In words.
    pub fn describe<'a>(&'a self, program: &'a Program) -> impl fmt::Display + 'a {
        Described { halted: self, program }
    }
}

struct Described<'a> {
    halted: &'a Halted,
    program: &'a Program,
}

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.halted {
            Halted::EndOfTime => f.write_str("virtual time is over, after 213 days"),
            Halted::Stuck { ranks, halts } => {
                write!(f, "{ranks} ranks cannot go on:")?;
                halts.iter().enumerate().try_for_each(|(nth, halt)| {
                    f.write_str(if nth == 0 { " " } else { "; " })?;
                    self.halt(f, halt)
                })
            }
        }
    }
}

impl Described<'_> {
    fn halt(&self, f: &mut fmt::Formatter<'_>, halt: &Halt) -> fmt::Result {
        let home = self.program.home(halt.rank);
        let peer = |rank: u32| self.program.home(rank);
        write!(f, "rank {home}, in its call {}, waits for ", halt.calls)?;
        match halt.want {
            Want::Message { channel } => {
                write!(f, "a message from rank {}", peer(self.program.channels[channel as usize].from))
            }
            Want::Receiver { channel } => {
                write!(f, "rank {} to receive", peer(self.program.channels[channel as usize].to))
            }
            Want::Pick { .. } => f.write_str("a message from anybody"),
        }
    }
}
