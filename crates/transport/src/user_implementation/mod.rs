//! User-supplied collectives (S2) and matrix operations (C16) from a shared library.
//!
//! The interface is that of `panto-implementation`: `load` finds a table of functions, `bridge`
//! gives the user's code a transport as C functions, and `caller` calls it: for `session`, which is
//! a collective, and for `matrix`. User code may return
//! wrong data, hang or crash. Data is verified by the benchmark that measures it; `watchdog`
//! detects calls that do not return; `crash` names the implementation when the process dies; and
//! [`isolation`](crate::isolation) lets a whole run crash without harm where ranks are not
//! processes.

mod bridge;
mod caller;
mod crash;
mod load;
mod matrix;
mod session;
mod watchdog;

pub use load::UserImplementation;
pub use matrix::{MatrixMemory, MatrixProblem, MatrixSession, UserMatrix};

pub(crate) use crash::SIGNALS;
pub(crate) use session::Session;
pub(crate) use watchdog::report_to;
