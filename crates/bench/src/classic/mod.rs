//! The classic benchmarks of OSU and Intel (IMB): latency, windows of messages, concurrent pairs,
//! rings, halos, and one-sided communication.
//!
//! The methods are those of these suites, so that figures can be compared with theirs: a window of
//! messages is acknowledged once (OSU), a ring counts what enters and leaves a rank (IMB), and the
//! slowest rank counts where several are timed. Differences are listed with the layouts of the two
//! suites, and in `docs/classic.md`. All data is checked.

mod halo;
mod onesided;
mod pairs;
mod pingpong;
mod ring;
mod stream;

use panto_transport::Synchronisation;

use crate::error::{Error, Result};
use crate::options::SuiteOptions;

pub use halo::{Grid, Halo2d, Halo3d};
pub use onesided::{AccumulateLatency, GetBandwidth, GetLatency, PutBandwidth, PutLatency};
pub use pingpong::{Latency, MultiLatency};
pub use ring::{ExchangeRing, SendrecvRing};
pub use stream::{Bandwidth, Bidirectional, MultiBandwidth};

/// Default number of messages in flight, as in OSU's benchmarks.
pub const WINDOW: usize = 64;

/// Options of the classic benchmarks.
#[derive(Debug, Clone)]
pub struct Options {
    /// Messages that a sender has in flight before it waits for an acknowledgement.
    pub window: usize,
    /// Process grid of the halo exchange with as many dimensions; as even as possible by default.
    pub grid: Option<Grid>,
    /// Synchronisations of one-sided communication.
    pub synchronisations: Vec<Synchronisation>,
}

impl SuiteOptions for Options {}

impl Default for Options {
    fn default() -> Self {
        Self { window: WINDOW, grid: None, synchronisations: Synchronisation::ALL.to_vec() }
    }
}

impl Options {
    /// Returns an error for options that no kernel supports.
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
    /// Acknowledges a window of messages.
    pub(super) const ACK: Tag = 2;
    /// Messages to the right in a ring; the next tag is for those to the left.
    pub(super) const RING: Tag = 3;
    /// First face of a halo; the tags after it are those of the other faces.
    pub(super) const FACE: Tag = 5;
}
