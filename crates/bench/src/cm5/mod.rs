//! The experiments of the CM-5 paper: message sets, and algorithms that compete (M1-M7).
//!
//! Ponnusamy, Choudhary and Fox, "Communication Overhead on CM-5: An Experimental Performance Evaluation", CRPC-TR92255, 1992.

mod broadcast;
mod distance;
mod exchange;
mod rivals;
mod set;
mod sets;
mod simple;
mod trip;

use panto_transport::Choice;

pub(crate) use broadcast::{RivalBroadcast, segments};
pub(crate) use distance::{HOPS, PathLength};
pub(crate) use exchange::CompleteExchange;
pub use set::MessageSet;
pub(crate) use sets::MessageSets;
pub(crate) use simple::SimpleSend;

/// The name of the suite.
pub(crate) const SUITE: &str = "cm5";

/// What the user asked of the experiments of the CM-5 paper.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The message sets; those of the paper if there are none.
    pub sets: Vec<MessageSet>,
    /// Numbers of segments of a recursive broadcast; the usual ones if there are none.
    pub segments: Vec<usize>,
    /// The algorithms that compete; those of the paper and the message layer's own if there are none.
    pub rivals: Vec<Choice>,
}

/// What goes into the bytes of a message beside its sender, so that those for another destination are noticed.
fn mark(round: u64, destination: usize) -> u64 {
    round.wrapping_mul(131).wrapping_add(destination as u64)
}

/// Tags of messages on their way there and back.
mod tag {
    use panto_transport::Tag;

    pub(super) const THERE: Tag = 1;
    pub(super) const BACK: Tag = 2;
}
