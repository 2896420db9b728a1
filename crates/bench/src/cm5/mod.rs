//! The experiments of the CM-5 paper: message sets, and algorithms that compete (M1-M7).
//!
//! Ponnusamy, Choudhary and Fox, "Communication Overhead on CM-5: An Experimental Performance
//! Evaluation", CRPC-TR92255, 1992.

mod broadcast;
mod candidates;
mod distance;
mod exchange;
mod sets;
mod simple;
mod trip;

use panto_results::cm5::MessageSet;
use panto_transport::AlgorithmChoice;

use crate::options::SuiteOptions;

pub(crate) use broadcast::BroadcastContest;
pub(crate) use distance::PathLength;
pub(crate) use exchange::CompleteExchange;
pub(crate) use sets::MessageSets;
pub(crate) use simple::SimpleSend;

/// Options of the experiments of the CM-5 paper.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Message sets; those of the paper if empty.
    pub sets: Vec<MessageSet>,
    /// Numbers of segments of a recursive broadcast; the default ones if empty.
    pub segments: Vec<usize>,
    /// Algorithms that compete; those of the paper and the message layer's own if empty.
    pub candidates: Vec<AlgorithmChoice>,
}

impl SuiteOptions for Options {}

/// Returns the pattern of a message's bytes beside its sender, so that a message for another
/// destination is detected.
fn mark(round: u64, destination: usize) -> u64 {
    round.wrapping_mul(131).wrapping_add(destination as u64)
}

/// Tags of messages to their destination and back.
mod tag {
    use panto_transport::Tag;

    pub(super) const THERE: Tag = 1;
    pub(super) const BACK: Tag = 2;
}
