//! What an MPI program did: the trace format alone, its writer and its reader.
//!
//! A trace has a *stream* for each rank: blocks of events, each with its checksum, appended as the program runs. So a killed program
//! leaves all but its last block. An event is a call with its parameters and the computation before it (P2). Streams of all ranks are
//! combined into one file. `docs/traces.md` describes the layout; [`Action`] lists what a call can do.
//!
//! This crate knows no MPI and does no tracing: `panto-tracer` fills a [`Recorder`] inside strangers' programs, so dependencies are few.
#![forbid(unsafe_code)]

mod action;
mod block;
mod combine;
mod error;
mod facts;
mod field;
#[cfg(test)]
mod hostile;
mod merge;
mod ranks;
mod read;
mod record;
mod stream;
mod summary;
mod table;
mod varint;
mod world;
mod write;

pub use action::{Action, Constants, Kind, MOST_CONSTANTS};
pub use combine::{Combined, combine};
pub use error::{Error, Result};
pub use facts::{Facts, key};
pub use field::{Comm, Field, Form, Look, Mode, Name, Object, Pattern, Peer, Slot, Type, Until};
pub use merge::{Merged, merge};
pub use ranks::{Ranks, Run};
pub use read::{Event, Events, RankTrace, Stamps, Trace};
pub use record::{Key, Recorder, Times};
pub use stream::{Head, VERSION, stream_end, stream_start};
pub use summary::{Blocks, Collectives, Decade, Function, Grid, Pair, RankSummary, Summary};
pub use table::{Communicator, Datatype, Signature, Tables, Thing};
pub use world::{SharedComm, SharedId, World};
pub use write::WholeWriter;
