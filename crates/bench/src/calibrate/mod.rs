//! Kernels for what a machine model needs and no other suite measures: overheads, gaps, limits and
//! rates (P16).
//!
//! `comet/echo` times messages; these kernels determine which part of that time each processor
//! spends, how close messages can follow each other, the eager limit, the cost of shared links, and
//! the speed of a processor. `panto calibrate` runs all of them, and `panto fit` turns their
//! results into a model.

mod eager;
mod gap;
mod overhead;
mod pairs;
mod rates;
mod timed_call;

use panto_results::Point;

pub use eager::Eager;
pub use gap::Gap;
pub use overhead::Overhead;
pub use pairs::Pairs;
pub use rates::Rates;

use crate::comet::pair::{one_pair, separations};
use crate::error::Result;
use crate::options::SuiteOptions;
use crate::settings::Settings;
use crate::sizes::message_sizes;

/// Figures of `calibrate/eager`.
pub mod figure {
    /// Largest eager message in bytes; -1 where not even an empty one is.
    pub const EAGER_LIMIT: &str = "eager_limit";
    /// Largest size that was tried, where even that was eager.
    pub const EAGER_AT_LEAST: &str = "eager_at_least";
}

/// Options of calibration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Largest default message size in bytes.
    pub largest: u64,
}

impl SuiteOptions for Options {}

impl Default for Options {
    /// Returns defaults large enough to see every protocol in use.
    fn default() -> Self {
        Self { largest: 4 << 20 }
    }
}

/// Tags of the messages of these kernels.
mod tag {
    use panto_transport::Tag;

    pub(super) const DATA: Tag = 1;
    /// The next order; empty at the end.
    pub(super) const ORDER: Tag = 2;
    /// The other side is ready.
    pub(super) const READY: Tag = 3;
    /// All messages of a row have arrived.
    pub(super) const ANSWER: Tag = 4;
}

/// Returns the message sizes: the user's, or powers of two and sizes between them.
fn sizes(settings: &Settings) -> Vec<u64> {
    let usual = || message_sizes(settings.options.get::<Options>().largest, settings.seed);
    settings.sizes.clone().unwrap_or_else(usual)
}

/// Returns the points of a kernel between two ranks, without its other parameters. Where the
/// placement of ranks is known, each distance is a point: a message within a host takes another
/// path than one between hosts. Elsewhere one pair stands for all.
fn pair_points(settings: &Settings) -> Result<Vec<Point>> {
    if !settings.names_distances() {
        return one_pair(settings);
    }
    let apart = |separation| Point::new(settings.world()).apart(separation);
    Ok(separations(settings, false)?.into_iter().map(apart).collect())
}
