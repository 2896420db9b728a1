//! The interface between Panto and user-supplied collectives (S2).
//!
//! [`abi`] is the interface of `panto_collective.h` in Rust. A collective in Rust needs only
//! [`Collective`] and [`register!`]; build it as a `cdylib`, and pass it to `panto bench scenario
//! --impl path/to/lib.so:name`.
//!
//! [`matrix`] is the interface of `panto_matrix.h`: operations on a distributed matrix, for the
//! matrix kernels of `panto bench comet --impl path/to/lib.so:name`.
//!
//! Codes such as S2 in comments are requirements, rows of `docs/conformance.md`.
//!
//! ```
//! use panto_implementation::{Call, Collective, CollectiveKind, Outcome, World, register};
//!
//! /// Each rank passes the vector on to the next.
//! struct Line;
//!
//! impl Collective for Line {
//!     const COLLECTIVES: &'static [CollectiveKind] = &[CollectiveKind::Broadcast];
//!
//!     fn run(world: &World, call: &mut Call) -> Outcome {
//!         let (ranks, place) = (world.size(), (world.rank() + world.size() - call.root()) % world.size());
//!         let next = (world.rank() + 1) % ranks;
//!         let before = (world.rank() + ranks - 1) % ranks;
//!         let (_, output) = call.buffers();
//!         if place > 0 {
//!             world.receive(output, before)?;
//!         }
//!         if place + 1 < ranks { world.send(output, next) } else { Ok(()) }
//!     }
//! }
//!
//! register!(line, Line);
//! # fn main() {}
//! ```

pub mod abi;
mod kind;
pub mod matrix;
mod safe;

pub use kind::{CollectiveKind, CollectiveSet};
pub use safe::{Call, Collective, ErrorCode, Outcome, World, entry};
