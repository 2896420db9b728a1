//! Abstract programs: operations of ranks, without channels, slots or loops. Both the engine and
//! the reference simulator run them.

use panto_sim::SendProtocol;
use panto_units::Time;

/// Identifies a request among those of its rank.
pub type RequestKey = u32;

/// An operation of a rank. A `key` makes a send or receive non-blocking and identifies its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    Compute(Time),
    Send {
        protocol: SendProtocol,
        to: u32,
        tag: u32,
        bytes: u64,
        key: Option<RequestKey>,
    },
    Receive {
        source: Option<u32>,
        tag: Option<u32>,
        key: Option<RequestKey>,
    },
    /// Waits for a request; does nothing if it was never started or is no longer pending.
    Wait(RequestKey),
    /// Tests a request; waits for it if it is complete.
    Test(RequestKey),
}

/// The operations of each rank.
pub type Program = Vec<Vec<Op>>;

/// A result that a rank observed: a received message, or the outcome of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Observation {
    Message { source: u32, tag: u32, bytes: u64, at: Time, unexpected: bool },
    Test(bool),
}

/// The outcome of a program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Run {
    /// The time at which each rank ended; `None` for a rank that stayed blocked.
    pub exits: Vec<Option<Time>>,
    /// The observations of each rank, in program order.
    pub observations: Vec<Vec<Observation>>,
}

impl Run {
    /// Returns whether both runs are equal, where times may differ by up to `picos` picoseconds.
    pub fn is_near(&self, other: &Self, picos: u64) -> bool {
        let near = |a: Time, b: Time| a.as_picos().abs_diff(b.as_picos()) <= picos;
        let exits = self.exits.iter().zip(&other.exits).all(|pair| match pair {
            (Some(a), Some(b)) => near(*a, *b),
            (a, b) => a == b,
        });
        let mut pairs = self.observations.iter().flatten().zip(other.observations.iter().flatten());
        let observations = pairs.all(|(a, b)| match (a, b) {
            (Observation::Message { at, .. }, Observation::Message { at: other_at, .. }) => {
                near(*at, *other_at) && a.without_time() == b.without_time()
            }
            _ => a == b,
        });
        let lengths = |run: &Self| run.observations.iter().map(Vec::len).collect::<Vec<_>>();
        exits && observations && self.exits.len() == other.exits.len() && lengths(self) == lengths(other)
    }
}

impl Observation {
    fn without_time(&self) -> Self {
        match *self {
            Self::Message { source, tag, bytes, unexpected, .. } => {
                Self::Message { source, tag, bytes, at: Time::ZERO, unexpected }
            }
            Self::Test(_) => self.clone(),
        }
    }
}
