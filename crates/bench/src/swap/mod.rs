//! COMMTEST: the peak point-to-point performance of a pair, by every protocol that a programmer can
//! choose (T1-T9).
//!
//! Two commands of PSTSWM are measured: SWAP, by which two ranks exchange data, and SENDRECV, by
//! which a rank sends to one rank and receives from another. A fixed volume is moved in messages of
//! many sizes ([`Settings::sizes`](crate::Settings::sizes) or [`usual_sizes`]), by each
//! [`Protocol`](panto_results::swap::Protocol), in a basic and in a preposting
//! [`Loop`](panto_results::swap::Loop), in three modes of the cache
//! ([`CacheMode`](panto_results::swap::CacheMode)).

mod absent;
mod better_pair;
mod eviction_probe;
mod experiment;
mod kernel;
mod operation;
mod pairs;
mod plan;
mod prepost;
mod rank_protocol;

pub use better_pair::{BetterPair, better_pair};
pub use experiment::{Options, usual_sizes};
pub use kernel::{SendReceive, Swap};
pub use pairs::Pairs;

/// Tags of the suite's messages.
mod tag {
    use panto_transport::Tag;

    /// The data.
    pub(super) const DATA: Tag = 21;
    /// The receive is posted, or the receiver is ready.
    pub(super) const HANDSHAKE: Tag = 22;
}
