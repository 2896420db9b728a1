//! The tracer: a shared library that records the MPI calls of a program, for any MPI and any
//! language.
//!
//! `panto trace` preloads it into every process of a job (`LD_PRELOAD`). It exports `MPI_X` and
//! `PMPI_X` for every function that communicates, or that changes what later calls mean, so the
//! dynamic linker binds the program's calls to it (`interpose`, `calls`). Each exported function
//! calls MPI's own function of that name and, when that has returned, records the call in the
//! rank's [`Recorder`](panto_trace::Recorder). This is the profiling interface of MPI without
//! relinking; `PMPI_X` is exported as well because some language bindings call it directly.
//!
//! *Depth guard.* MPI libraries call `MPI_X` inside `MPI_Y` (collective I/O does). Such calls are
//! not the program's. Each thread has a flag that says whether it is inside MPI (`thread_state`);
//! calls inside are passed on without a record.
//!
//! *Three ABIs by constants.* MPICH, Open MPI and the standard ABI of MPI 5 differ in the width of
//! handles and in the values of constants. All arguments are handled as words, and the ABI is
//! detected at start, so the differences are a table of constants ([`panto_mpi::Abi`], `library`).
//! Nothing of a library's own reaches the trace: handles become numbers ([`panto_recording`]).
//!
//! *Computation.* The time between two calls is measured by the time-stamp counter. Where the
//! thread was preempted in between (*preempted* here includes a thread that blocked or got a
//! signal), the counter would include the time of others, and the thread's CPU clock, a system
//! call, is read instead (`compute_clock`, `preemption`, `ticks`). With `--clock instructions`, a
//! block is recorded by the instructions in it (`counting`).
//!
//! *One lock.* All that is known of the rank is behind one lock (`rank`, `lock`), because threads
//! may call MPI at the same time. It is held while a call is recorded, never while MPI carries out
//! what the program asked for.
//!
//! *What must never happen.* The tracer must not change what the program does, nor end it. It calls
//! no function of MPI that sends, receives or waits (with compute tokens it tests and probes, see
//! `yielding`). Arguments are passed unchanged, except that ignored statuses may be replaced by the
//! tracer's own, and 64-bit counts narrowed where MPI has 32-bit counts only; MPI's return codes
//! are unchanged. Panics are caught before they reach the program, C++ exceptions pass through, a
//! forked child records nothing, and an error of writing ends the recording. On any failure
//! recording stops, the reason is printed on standard error, and the program runs to its end.
//!
//! Cost: a call that repeats the last iteration of a loop takes no allocation, one uncontended
//! lock, and no system call but one reading of the CPU clock per millisecond and per preemption
//! (without rseq: one or two in each call); compute tokens add `flock`. Blocks of events are packed
//! and written by the thread whose call finds them full or a second old, or by `flush` if the rank
//! no longer calls.
//!
//! The code P1 in comments is a requirement, a row of `docs/conformance.md`.
#![cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
// Functions of the tables are described there once, with their common safety contract.
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments, non_snake_case)]

mod call_context;
mod call_sites;
mod calls;
mod clock;
mod compute_clock;
mod compute_token;
mod counting;
mod entry;
mod exit;
mod flush;
mod function;
mod interpose;
mod library;
mod live;
mod lock;
mod message;
mod narrow;
mod output;
mod overhead;
mod preemption;
mod rank;
mod settings;
mod start;
mod thread_state;
mod ticks;
mod yielding;
