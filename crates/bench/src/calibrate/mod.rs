//! What a machine model needs and no other suite measures: overheads, gaps, limits and rates (P16).
//!
//! `comet/echo` times messages; these kernels tell what part of that time whose processor spends, how close messages can follow
//! each other, from which size on a send waits for its receive, what it costs to share a way, and how fast a processor works.
//! `panto calibrate` runs all of them, and `panto fit` makes a model of what they measured.

mod eager;
mod gap;
mod interval;
mod overhead;
mod pairs;
mod rates;

pub use eager::Eager;
pub use gap::Gap;
pub use overhead::Overhead;
pub use pairs::Pairs;
pub use rates::Rates;

use crate::comet::pair::{one_pair, separations};
use crate::error::Result;
use crate::point::Point;
use crate::settings::Settings;
use crate::sizes::message_sizes;

/// The name of the suite.
pub(crate) const SUITE: &str = "calibrate";

/// Figures of `calibrate/eager`.
pub mod figure {
    /// The largest message that leaves without waiting for its receive, in bytes; -1 where not even an empty one does.
    pub const EAGER_LIMIT: &str = "eager_limit";
    /// The largest size that was tried, where even that did not wait.
    pub const EAGER_AT_LEAST: &str = "eager_at_least";
}

/// What the user asked of calibration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The largest message, in bytes, where the user names no sizes.
    pub largest: u64,
}

impl Default for Options {
    /// Far enough to see every protocol that people use.
    fn default() -> Self {
        Self { largest: 4 << 20 }
    }
}

/// Tags of the messages of these kernels.
mod tag {
    use panto_transport::Tag;

    pub(super) const DATA: Tag = 1;
    /// What to do next; the end when empty.
    pub(super) const ORDER: Tag = 2;
    /// The other side is ready.
    pub(super) const READY: Tag = 3;
    /// All messages in a row have come.
    pub(super) const ANSWER: Tag = 4;
}

/// The sizes of messages: the user's, or powers of two and sizes between them.
fn sizes(settings: &Settings) -> Vec<u64> {
    let usual = || message_sizes(settings.calibrate.largest, settings.seed);
    settings.sizes.clone().unwrap_or_else(usual)
}

/// The points of a kernel between two ranks, without its other parameters. Where it is known where ranks run, each distance has
/// parameters of its own: a message within a host takes another way than one between hosts. Elsewhere one pair speaks for all.
fn ways(settings: &Settings) -> Result<Vec<Point>> {
    if !settings.names_distances() {
        return one_pair(settings);
    }
    let apart = |separation| Point::new(settings.world()).apart(separation);
    Ok(separations(settings, false)?.into_iter().map(apart).collect())
}
