//! What ranks do, without a language to do it in.

use panto_sim::Manner;
use panto_units::Time;

/// Names an operation that a rank started; no two of a rank have the same.
pub type Name = u32;

/// An operation of a rank. `later` names what is started here and waited for later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    Compute(Time),
    Send {
        manner: Manner,
        to: u32,
        tag: u32,
        bytes: u64,
        later: Option<Name>,
    },
    Receive {
        source: Option<u32>,
        tag: Option<u32>,
        later: Option<Name>,
    },
    /// Nothing happens if it was never started, is complete at once, or was waited for.
    Wait(Name),
    /// Like a wait if the operation is complete.
    Test(Name),
}

/// The operations of each rank.
pub type Program = Vec<Vec<Op>>;

/// What a rank saw of the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Saw {
    Message { source: u32, tag: u32, bytes: u64, at: Time, unexpected: bool },
    Test(bool),
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Run {
    /// When each rank ended; none if it never did.
    pub exits: Vec<Option<Time>>,
    pub saw: Vec<Vec<Saw>>,
}

impl Run {
    /// The same, but for a few picoseconds in every time.
    pub fn is_near(&self, other: &Self, picos: u64) -> bool {
        let near = |a: Time, b: Time| a.as_picos().abs_diff(b.as_picos()) <= picos;
        let exits = self.exits.iter().zip(&other.exits).all(|pair| match pair {
            (Some(a), Some(b)) => near(*a, *b),
            (a, b) => a == b,
        });
        let saw = self.saw.iter().flatten().zip(other.saw.iter().flatten()).all(|(a, b)| match (a, b) {
            (Saw::Message { at, .. }, Saw::Message { at: others, .. }) => {
                near(*at, *others) && a.without_time() == b.without_time()
            }
            _ => a == b,
        });
        let lengths = |run: &Self| run.saw.iter().map(Vec::len).collect::<Vec<_>>();
        exits && saw && self.exits.len() == other.exits.len() && lengths(self) == lengths(other)
    }
}

impl Saw {
    fn without_time(&self) -> Self {
        match *self {
            Self::Message { source, tag, bytes, unexpected, .. } => {
                Self::Message { source, tag, bytes, at: Time::ZERO, unexpected }
            }
            Self::Test(_) => self.clone(),
        }
    }
}
