//! Starts a command with the tracer preloaded, and collects what its ranks recorded.
//!
//! A [`Target`] is the output file and, beside it, the directory that the ranks write to. A
//! [`Preload`] is the tracer on disk, where the dynamic linker finds it; [`variables`] is the
//! environment that tells the linker and the tracer about it. [`run`] starts the command, forwards
//! signals and waits. [`Recorded`] then combines the ranks' files into one trace, of which
//! [`Coverage`] says how much it has, or a [`Diagnosis`] says why there are none.
//!
//! The command may be a launcher (`panto trace -- mpirun -n 4 ./app`), or the launcher may start
//! one of these processes per rank (`mpirun -n 4 panto trace -- ./app`). Then each is a [`Member`],
//! and the last one to end combines the files.
//!
//! Invariants: files that no run created are never removed, and no other user can change the
//! library between unpacking and loading. The tracer itself, which runs inside the
//! program, is in `panto-tracer`.

#![forbid(unsafe_code)]

mod child;
mod coverage;
mod diagnosis;
mod environment;
mod error;
mod exposure;
mod member;
mod places;
mod preload;
mod program;
mod recorded;
mod target;

pub use child::{Exit, ReceivedSignals, run};
pub use coverage::Coverage;
pub use diagnosis::{Diagnosis, ProgramKind};
pub use environment::{Clock, TracerOptions, variables};
pub use error::{Error, Result};
pub use member::Member;
pub use places::places;
pub use preload::{Preload, TracerLibrary};
pub use program::{trace_name, unused_name};
pub use recorded::{Recorded, bytes_recorded};
pub use target::{Target, refuse_to_replace};
