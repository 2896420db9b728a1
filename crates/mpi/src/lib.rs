//! Any MPI library, without compiling against it.
//!
//! The library of the launcher that started this process is found ([`find`]), loaded with `dlopen`
//! ([`Library`]), identified by its application binary interface ([`Abi`]) and initialized
//! ([`Mpi`]). MPICH, Open MPI and the standard ABI of MPI 5 differ in the width of handles and in
//! constants; handles are passed as words, so the difference is one table of constants and the
//! prototypes are the same.
//!
//! Invariant: every return code is checked, and a failure is an [`Error`] with MPI's own text.
//! Cost: a call through a function pointer.
//!
//! ```no_run
//! use panto_mpi::{Library, Mpi, Threads, find, launch::Launch};
//!
//! let library = Library::load(&find::candidates(Launch::from_environment().as_ref()))?;
//! println!("{} ({} ABI) at {}", library.name(), library.abi(), library.path().display());
//! let mpi = Mpi::start(library, Threads::Single)?;
//! let world = mpi.world();
//! println!("rank {} of {}", world.rank(), world.size());
//! mpi.finish()?;
//! # Ok::<_, panto_mpi::Error>(())
//! ```

mod abi;
mod collective;
mod comm;
mod control;
mod error;
pub mod find;
mod functions;
mod handles;
pub mod launch;
mod library;
mod listener;
mod mpi;
mod reduction;
mod request;
mod selection;
mod sendrecv;
mod status;
mod window;

pub use abi::{Abi, Constants, StatusLayout};
pub use collective::{BlockLayout, ByteTypes, CollectiveCall, Memory, Parameters};
pub use comm::{Comm, Selector};
pub use control::{ControlVariable, ControlVariables};
pub use error::{Error, Result};
pub use library::{Library, short_version};
pub use listener::Listener;
pub use mpi::{Mpi, Threads};
pub use panto_calls::{Collective, SendMode};
pub use reduction::{Apply, Operation};
pub use request::Request;
pub use selection::{Algorithms, Choice, Selected, SelectionTrees, TUNABLE};
pub use status::Status;
pub use window::{Access, Part, Window};
