//! The operations that scenarios issue: any collective, by anybody who can carry it out (S1, S2).
//!
//! ```
//! use panto_bench::scenario::operation::{How, Implementation, Task, ready};
//! use panto_transport::{World, threads::Threads};
//!
//! let task = Task { call: "allreduce".parse()?, bytes: 64, root: 0 };
//! let ring: Implementation = "ring".parse()?;
//! Threads::default().run(3, |transport| {
//!     let mut sum = ready(transport, &task, &ring, How { non_blocking: true, ..How::default() })?;
//!     sum.prepare(1);
//!     sum.issue()?;
//!     while !sum.poll()? {}
//!     sum.sync()?;
//!     sum.verify().map_err(panto_bench::Error::Usage)
//! })?;
//! # Ok::<_, panto_bench::Error>(())
//! ```

mod call;
mod data;
mod implementation;
mod ready;

use std::time::Duration;

pub use call::Call;
pub use implementation::{Implementation, LIBRARY};
pub use ready::{Ready, compute_beside, ready, work_beside};

/// A collective with its sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    /// Which.
    pub call: Call,
    /// Bytes of the vector of a broadcast, reduction or scan; else of the block of one rank. Where blocks are uneven, they grow
    /// from half of that on the first rank to one and a half on the last.
    pub bytes: u64,
    /// The rank with a part of its own, where there is one.
    pub root: usize,
}

/// How a collective is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct How {
    /// Is it started and waited for later? If not, issuing it does all.
    pub non_blocking: bool,
    /// Who sees to it that it goes on meanwhile.
    pub progress: Progress,
    /// What keeps it apart from others that are in flight at the same time: a number below [`How::LANES`].
    pub lane: usize,
    /// Sets of buffers that take turns, so that what was used last is not in the caches (S10); at least one.
    pub copies: usize,
    /// How long a stranger's code may take to come back before it counts as hung.
    pub patience: Duration,
}

impl How {
    /// How many collectives can be in flight at once.
    pub const LANES: usize = panto_transport::Lane::ALL.len();
}

impl Default for How {
    fn default() -> Self {
        Self {
            non_blocking: false,
            progress: Progress::None,
            lane: 0,
            copies: 1,
            patience: Duration::from_secs(10),
        }
    }
}

/// Who sees to it that a non-blocking collective goes on while the rank computes.
///
/// An endpoint belongs to one thread, and an MPI library need not allow more. So with [`Progress::Helper`] it is the *work* that
/// moves to a helper thread, while the rank's own thread looks after the collective ([`work_beside`]). On a simulated machine the
/// helper is a processor beside the rank's own ([`compute_beside`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Progress {
    /// Nobody: it goes on when it is waited for, or by itself if the message layer does that.
    None,
    /// The rank asks now and then between pieces of its work.
    Poll,
    /// A helper.
    Helper,
}
