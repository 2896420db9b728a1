//! The message layer that kernels are written against.
//!
//! A kernel is generic over [`Transport`], one rank's endpoint of a message layer, and runs
//! unchanged on every [`World`]: on the [`threads`] of this process, on a [`simulated`] machine,
//! and in the processes of an [`mpi`] job.
//!
//! The raw non-blocking operations of the trait are `unsafe`, because they use memory after they
//! return. Safe code uses them through [`scope()`], [`PersistentSend`], [`PersistentReceive`],
//! [`PreparedCollective`] and [`PersistentCollective`], which tie buffers to operations.
//! [`conformance`] is the test that every backend must pass.
//!
//! Codes such as C15 in comments are requirements: rows of `docs/conformance.md`.
//!
//! ```
//! use panto_transport::{SendMode, Transport, Selector, World, threads::Threads};
//!
//! let sums = Threads::default().run(2, |t| {
//!     if t.rank() == 0 {
//!         t.send(SendMode::Standard, b"hello", 1, 7)?;
//!         return Ok(0);
//!     }
//!     let mut buffer = [0; 16];
//!     let status = t.receive(&mut buffer, Selector::tag(7))?;
//!     assert_eq!(&buffer[..status.len], b"hello");
//!     Ok::<_, panto_transport::Error>(status.len)
//! })?;
//! assert_eq!(sums, [0, 5]);
//! # Ok::<_, panto_transport::Error>(())
//! ```

mod arguments;
pub mod clock;
mod collective;
pub mod conformance;
mod deadlock;
mod emulated;
mod error;
mod evict;
pub mod execute;
mod handler;
pub mod isolation;
mod message;
pub mod mpi;
mod onesided;
mod outcome;
mod persistent;
mod placement;
mod reduce_op;
mod scope;
pub mod simulated;
pub mod threads;
mod transport;
pub mod user_implementation;
mod world;

pub use collective::{
    AlgorithmChoice, BlockLayout, BufferLayouts, CollectiveImplementation, CollectiveSpec, CollectiveTag,
    OutOfBoundsWrite, PersistentCollective, PersistentOptions, PreparedCollective, Progress, WorkerThread,
};
pub use emulated::EmulatedPersistent;
pub use error::{Error, Result};
pub use evict::Evictor;
pub use handler::{Handler, HandlerGuard, HandlerMessage};
pub use message::{COLLECTIVE_TAG, FIRST_COLLECTIVE_TAG, MAX_TAG, Selector, SendMode, Status, Tag};
pub use onesided::{Access, AccessPattern, Synchronisation, Window};
pub use panto_mpi::TUNABLE;
pub use panto_schedule::Distance;
pub use panto_units::Time;
pub use persistent::{PersistentReceive, PersistentSend};
pub use placement::{
    HostIdentity, Placement, RankLayout, assign_nodes, distances_from_first, parse_cpu_list, rank_processes,
};
pub use reduce_op::{MAX_U64, NO_REDUCTION, ReduceKind, ReduceOp, SUM_F64};
pub use scope::{Completion, Request, RequestBuffer, Scope, scope};
pub use transport::{Buffers, StandardSend, Transport, WaitPolicy, Work};
pub use world::World;
