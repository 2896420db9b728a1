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

mod collective;
pub mod conformance;
mod deadlock;
mod error;
mod handler;
mod message;
mod outcome;
mod place;
mod scope;
pub mod simulated;
pub mod threads;
mod transport;
mod world;

pub use collective::{COLLECTIVE_TAG, Choice, Prepared, max_u64, no_combine, sum_f64};
pub use error::{Error, Result};
pub use handler::{Handler, Listening};
pub use message::{MAX_TAG, Mode, Status, Tag, Want};
pub use panto_units::Time;
pub use place::{Distance, Place, distances_from_first};
pub use scope::{Done, Loan, Request, Scope, scope};
pub use transport::{Buffers, Combine, Patience, StandardSend, Transport, Work};
pub use world::World;
