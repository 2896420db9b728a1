//! CoMet: communication metrics of a message-passing machine (C1-C19).

mod cast;
mod collective;
mod contention;
pub(crate) mod echo;
mod exchange;
mod guard;
mod handler;
mod io;
mod load;
mod matrix;
mod overlap;
pub(crate) mod pair;
mod rowcol;
mod shift;
mod transpose;

pub use collective::{Barrier, Broadcast, Reduction};
pub use contention::Contention;
pub use echo::Echo;
pub use exchange::Exchange;
pub use guard::Guard;
pub use handler::Handler;
pub use io::Io;
pub use overlap::Overlap;
pub use rowcol::{ColumnBroadcast, RowBroadcast};
pub use shift::Shift;
pub use transpose::Transpose;

/// The name of the suite.
pub(crate) const SUITE: &str = "comet";

/// Tags of the kernels' messages. The iPSC/860 called them message types.
mod tag {
    use panto_transport::Tag;

    pub(super) const DATA: Tag = 1;
    /// The background load, and its end when empty.
    pub(super) const LOAD: Tag = 2;
    /// A window of the load has arrived.
    pub(super) const LOAD_SEEN: Tag = 3;
    /// The load has begun.
    pub(super) const LOAD_RUNS: Tag = 4;
    /// The load shall end.
    pub(super) const LOAD_ENDS: Tag = 5;
    /// Goes to the handler.
    pub(super) const HANDLER: Tag = 6;
    /// The handler listens.
    pub(super) const HANDLER_READY: Tag = 7;
    /// Another round of computing; none when empty.
    pub(super) const HANDLER_ORDER: Tag = 8;
    /// When the handler ran.
    pub(super) const HANDLER_REPORT: Tag = 9;
    /// Which file the ranks share.
    pub(super) const SHARED_FILE: Tag = 10;
    /// A line of the matrix has arrived.
    pub(super) const ACK: Tag = 11;
    /// The northern edge of a block; the tags after it are the other three.
    pub(super) const EDGE: Tag = 12;
}
