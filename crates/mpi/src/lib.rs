//! Any MPI, without compiling against it.
//!
//! The library that the launcher brought is found ([`find`]), loaded with `dlopen` ([`Library`]), told apart from the others by
//! its binary interface ([`Abi`]), and started ([`Mpi`]). Return codes are always looked at: a failure is an [`Error`] in MPI's
//! own words.
//!
//! ```no_run
//! use panto_mpi::{Library, Mpi, find, launch::Launch};
//!
//! let library = Library::load(&find::candidates(Launch::from_environment().as_ref()))?;
//! println!("{} ({} ABI) at {}", library.name(), library.abi(), library.path().display());
//! let mpi = Mpi::start(library)?;
//! let world = mpi.world();
//! println!("rank {} of {}", world.rank(), world.size());
//! mpi.finish()?;
//! # Ok::<_, panto_mpi::Error>(())
//! ```

mod abi;
mod collective;
mod comm;
mod error;
pub mod find;
mod functions;
pub mod launch;
mod library;
mod mpi;
mod reduction;
mod request;
mod sendrecv;
mod status;
mod window;

pub use abi::{Abi, Constants, StatusLayout};
pub use collective::{Blocks, Collective, Memory, Uneven};
pub use comm::{Comm, Mode, Want};
pub use error::{Error, Result};
pub use library::{Library, short_version};
pub use mpi::Mpi;
pub use reduction::{Apply, Operation};
pub use request::Request;
pub use status::Status;
pub use window::{Access, Part, Window};
