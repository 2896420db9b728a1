//! Collectives that somebody else wrote, from a shared library (S2).
//!
//! The interface is that of `panto-implementation`. A stranger's code may return wrong data, hang or crash: data is verified by
//! whoever measures, `watch` notices when a call does not come back, and [`apart`](crate::apart) lets a whole run crash without
//! harm where ranks are not processes.

mod bridge;
mod crash;
mod load;
mod session;
mod watch;

pub use load::Foreign;

pub(crate) use crash::SIGNALS;
pub(crate) use session::Session;
pub(crate) use watch::report_to;
