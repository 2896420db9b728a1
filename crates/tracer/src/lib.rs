//! Records what an MPI program does: preloaded into it by `panto trace`, for any MPI and any language.
//!
//! The library exports `MPI_X` and `PMPI_X` for all functions that communicate (`calls`). Each of them calls the real one, and notes
//! what it did in the rank's [`Recorder`](panto_trace::Recorder). Arguments are words, handles are words: the three binary interfaces
//! differ in constants only ([`panto_mpi::Abi`]). A function that MPI itself calls inside another one is not noted (`local`).
//!
//! Computation between calls is timed by the time-stamp counter, and by the thread's CPU clock only where the kernel took the core away
//! (`watch`). Nothing here may end or change the program: on any trouble recording stops, is explained on standard error, and the
//! program goes on.
#![cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
// The table of functions is made of words; what they mean is told there, once for all.
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments, non_snake_case)]

mod at;
mod calls;
mod clock;
mod comms;
mod costs;
mod flush;
mod inits;
mod kernel;
mod library;
mod local;
mod lock;
mod narrow;
mod output;
mod patience;
mod rank;
mod requests;
mod say;
mod settings;
mod site;
mod start;
mod things;
mod ticks;
mod token;
mod types;
mod watch;
mod wrap;
