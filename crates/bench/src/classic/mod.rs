//! What users of OSU's and Intel's benchmarks expect to find: latency, windows of messages, pairs at once, rings, halos, and
//! one-sided communication.
//!
//! The methods are those that people know, so that figures can be laid beside theirs: a window of messages is answered once
//! (OSU), a ring counts what goes in and out of a rank (IMB), the slowest rank counts where several work at once. What is
//! different is said with the layouts of the two suites, and in `docs/classic.md`. All data is checked.

mod halo;
mod onesided;
mod pairs;
mod pingpong;
mod ring;
mod stream;

use panto_transport::Synchronisation;

use crate::error::{Error, Result};

pub use halo::{Grid, Halo2d, Halo3d};
pub use onesided::{AccumulateLatency, GetBandwidth, GetLatency, PutBandwidth, PutLatency};
pub use pingpong::{Latency, MultiLatency};
pub use ring::{ExchangeRing, SendrecvRing};
pub use stream::{Bandwidth, Bidirectional, MultiBandwidth};

/// The name of the suite.
const SUITE: &str = "classic";

/// Messages under way at once, as OSU has them.
pub const WINDOW: usize = 64;

/// What the user asked of the classic benchmarks.
#[derive(Debug, Clone)]
pub struct Options {
    /// Messages that a sender has under way before it waits for an answer.
    pub window: usize,
    /// The process grid of the halo exchange with as many dimensions; as even as can be if not given.
    pub grid: Option<Grid>,
    /// The synchronisations of one-sided communication.
    pub synchronisations: Vec<Synchronisation>,
}

impl Default for Options {
    fn default() -> Self {
        Self { window: WINDOW, grid: None, synchronisations: Synchronisation::ALL.to_vec() }
    }
}

impl Options {
    /// Refuses what no kernel can do.
    pub fn check(&self) -> Result<()> {
        if self.window == 0 {
            return Err(Error::usage("a window has at least 1 message; use --window 1 or more, such as 64"));
        }
        if self.synchronisations.is_empty() {
            let names = Synchronisation::ALL.map(|how| how.to_string()).join(",");
            return Err(Error::usage(format!(
                "no synchronisation is named; use --sync with some of {names}"
            )));
        }
        Ok(())
    }
}

/// Tags of the kernels' messages.
mod tag {
    use panto_transport::Tag;

    pub(super) const DATA: Tag = 1;
    /// A window of messages has arrived.
    pub(super) const SEEN: Tag = 2;
    /// What goes to the right in a ring; the next tag goes to the left.
    pub(super) const LANE: Tag = 3;
    /// The first face of a halo; the tags after it are the others.
    pub(super) const FACE: Tag = 5;
}
