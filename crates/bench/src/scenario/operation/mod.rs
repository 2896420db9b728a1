//! The operations that scenarios issue: any collective, by any implementation (S1, S2).
//!
//! ```
//! use panto_bench::scenario::operation::{CallOptions, Implementation, Task, ready};
//! use panto_transport::{World, threads::Threads};
//!
//! let task = Task { call: "allreduce".parse()?, bytes: 64, root: 0 };
//! let ring: Implementation = "ring".parse()?;
//! Threads::default().run(3, |transport| {
//!     let mut sum = ready(transport, &task, &ring, CallOptions { non_blocking: true, ..CallOptions::default() })?;
//!     sum.prepare(1);
//!     sum.issue()?;
//!     while !sum.poll()? {}
//!     sum.sync()?;
//!     sum.verify().map_err(panto_bench::Error::Usage)
//! })?;
//! # Ok::<_, panto_bench::Error>(())
//! ```

mod data;
mod implementation;
mod ready;

use std::time::Duration;

use panto_results::scenario::CollectiveCall;

pub use implementation::Implementation;
pub use ready::{Ready, compute_beside, ready, work_beside};

/// A collective with its sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    /// The collective.
    pub call: CollectiveCall,
    /// Bytes of the vector of a broadcast, reduction or scan; otherwise of the block of one rank.
    /// Unequal blocks grow from half of that on the first rank to one and a half on the last.
    pub bytes: u64,
    /// Root rank, where there is one.
    pub root: usize,
}

/// How a collective is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallOptions {
    /// Whether it is non-blocking. If not, issuing it completes it.
    pub non_blocking: bool,
    /// Means of progress while it is in flight.
    pub progress: Progress,
    /// Index that separates it from others in flight at the same time, below
    /// [`CallOptions::TAGS`].
    pub tag_index: usize,
    /// Alternating sets of buffers, so that the last one used is not in the caches (S10); at least
    /// one.
    pub copies: usize,
    /// Time after which user-supplied code counts as hung.
    pub patience: Duration,
}

impl CallOptions {
    /// Most collectives in flight at once.
    pub const TAGS: usize = panto_transport::CollectiveTag::ALL.len();
}

impl Default for CallOptions {
    fn default() -> Self {
        Self {
            non_blocking: false,
            progress: Progress::None,
            tag_index: 0,
            copies: 1,
            patience: Duration::from_secs(10),
        }
    }
}

/// Means of progress of a non-blocking collective while the rank computes.
///
/// An endpoint belongs to one thread, and an MPI library need not allow more. So with
/// [`Progress::Helper`] it is the *work* that moves to a helper thread, while the rank's own thread
/// progresses the collective ([`work_beside`]). On a simulated machine the helper is a processor
/// beside the rank's own ([`compute_beside`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Progress {
    /// None: it progresses when it is waited for, or on its own if the message layer does that.
    None,
    /// The rank polls between slices of its work.
    Poll,
    /// A helper thread or processor.
    Helper,
}
