//! The message layer that kernels are written against.
//!
//! A kernel is generic over [`Transport`], one rank's end of a message layer, and runs unchanged on every
//! [`World`]: [`threads`] of this process, or a [`simulated`] machine.
//!
//! ```
//! use panto_transport::{Mode, Transport, Want, World, threads::Threads};
//!
//! let sums = Threads::default().run(2, |t| {
//!     if t.rank() == 0 {
//!         t.send(Mode::Standard, b"hello", 1, 7)?;
//!         return Ok(0);
//!     }
//!     let mut buffer = [0; 16];
//!     let status = t.receive(&mut buffer, Want::tag(7))?;
//!     assert_eq!(&buffer[..status.len], b"hello");
//!     Ok::<_, panto_transport::Error>(status.len)
//! })?;
//! assert_eq!(sums, [0, 5]);
//! # Ok::<_, panto_transport::Error>(())
//! ```

pub mod apart;
pub mod clock;
mod collective;
mod combine;
pub mod conformance;
mod deadlock;
mod error;
mod evict;
pub mod foreign;
mod handler;
mod message;
pub mod mpi;
mod onesided;
mod outcome;
pub mod perform;
mod persistent;
mod place;
mod repeated;
mod scope;
pub mod simulated;
mod terms;
pub mod threads;
mod transport;
mod world;

pub use collective::{
    BlockParts, Carrier, Choice, Extents, Helper, Kept, Lane, PersistentCollective, Prepared, Progress,
    Spilled, What,
};
pub use combine::{Combine, MAX_U64, Meaning, NO_COMBINE, SUM_F64};
pub use error::{Error, Result};
pub use evict::Evictor;
pub use handler::{Handler, Listening};
pub use message::{COLLECTIVE_TAG, FIRST_COLLECTIVE_TAG, MAX_TAG, Mode, Status, Tag, Want};
pub use onesided::{Access, Parts, Synchronisation, Window};
pub use panto_units::Time;
pub use persistent::{PersistentReceive, PersistentSend};
pub use place::{Distance, Identity, Place, assign_nodes, distances_from_first, parse_list};
pub use repeated::Repeated;
pub use scope::{Done, Loan, Request, Scope, scope};
pub use transport::{Buffers, Patience, StandardSend, Transport, Work};
pub use world::World;
