//! CoMet: communication metrics of a message-passing machine (C1-C19).

mod collective;
mod contention;
mod contention_roles;
mod daxpy;
pub(crate) mod echo;
mod exchange;
mod guard;
mod handler;
mod io;
mod load;
mod matrix;
mod options;
mod overlap;
pub(crate) mod pair;
mod rowcol;
mod shift;
mod transpose;

pub use contention_roles::ContentionRoles;
pub use options::Options;

pub(crate) use collective::{Barrier, Broadcast, Reduction};
pub(crate) use contention::Contention;
pub(crate) use daxpy::Daxpy;
pub(crate) use echo::Echo;
pub(crate) use exchange::Exchange;
pub(crate) use guard::Guard;
pub(crate) use handler::{Handler, HandlerReply};
pub(crate) use io::{Io, file_bytes};
pub(crate) use overlap::Overlap;
pub(crate) use rowcol::{ColumnBroadcast, RowBroadcast};
pub(crate) use shift::Shift;
pub(crate) use transpose::Transpose;

/// Tags of the kernels' messages. The iPSC/860 called them message types.
mod tag {
    use panto_transport::Tag;

    pub(super) const DATA: Tag = 1;
    /// Messages of the background load; an empty one ends it.
    pub(super) const LOAD: Tag = 2;
    /// Acknowledges a window of the load.
    pub(super) const LOAD_ACK: Tag = 3;
    /// The load has started.
    pub(super) const LOAD_STARTED: Tag = 4;
    /// Orders the load to stop.
    pub(super) const LOAD_STOP: Tag = 5;
    /// Messages to the handler.
    pub(super) const HANDLER: Tag = 6;
    /// The handler is installed.
    pub(super) const HANDLER_READY: Tag = 7;
    /// Orders another round of computing; an empty message ends the kernel.
    pub(super) const HANDLER_ORDER: Tag = 8;
    /// Times at which the handler ran.
    pub(super) const HANDLER_REPORT: Tag = 9;
    /// Name of the shared file.
    pub(super) const SHARED_FILE: Tag = 10;
    /// Messages that the handler sends back.
    pub(super) const HANDLER_REPLY: Tag = 16;
    /// Acknowledges a line of the matrix.
    pub(super) const ACK: Tag = 11;
    /// North edge of a block; the tags after it are those of the other three.
    pub(super) const EDGE: Tag = 12;
}
