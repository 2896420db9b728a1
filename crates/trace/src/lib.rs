//! The trace format, its writer and its reader: what an MPI program did.
//!
//! A trace has a *stream* for each rank: checksummed blocks of events, appended as the program
//! runs, so that a killed program leaves all but its last block. An *event* is one MPI call with
//! its parameters and the computation before it (P2). Its constant parameters are interned as a
//! *signature*; an event is the number of its signature, and the varying parameters that changed
//! since its last event. The streams of all ranks are combined into one file ([`combine`]).
//! `docs/traces.md` describes the layout byte by byte, [`Action`] lists what a call can do,
//! `panto-container` has head, tail and packing.
//!
//! Invariants: each block can be read without the events of others, given the definitions before
//! it; nothing that a file says makes a reader panic or allocate without bound. Cost: about one
//! byte for a call that repeats; reading is sequential, in memory that does not grow with the
//! trace.
//!
//! This crate knows no MPI and does no tracing: `panto-tracer` fills a [`Recorder`] inside other
//! people's programs, so it has few dependencies.
//!
//! The code P2 in comments is a requirement, a row of `docs/conformance.md`.
#![forbid(unsafe_code)]

mod action;
mod block;
mod build;
mod collective;
mod combine;
mod comms;
mod error;
mod field;
#[cfg(test)]
mod malformed;
mod merge;
mod metadata;
mod ranks;
mod read;
mod record;
mod region;
mod site;
mod stream;
mod summary;
mod table;
mod world;
mod write;

pub use action::{Action, Constants, Kind, MOST_CONSTANTS};
pub use build::{Builder, Data};
pub use collective::CollectiveKind;
pub use combine::{CombineSummary, combine};
pub use comms::{CommInfo, Comms, Progress};
pub use error::{Error, Result};
pub use field::{
    CallForm, Comm, CompletionKind, Field, Name, Peer, ProbeKind, Site, Slot, Type, WindowOrFileId,
};
pub use merge::{MergeSummary, merge};
pub use metadata::{Metadata, key, stopped};
pub use panto_calls::{Collective, SendMode};
pub use ranks::{Ranks, Run};
pub use read::{Event, Events, RankTrace, Repetitions, Sequence, Stamps, Trace};
pub use record::{Key, Recorder, Times};
pub use region::{OpenRegions, REGION_LEVEL, RegionMark, RegionNames, region_begin, region_end};
pub use site::{CallSite, Places};
pub use stream::{Head, VERSION, stream_end, stream_start};
pub use summary::{
    Blocks, Collectives, Decade, Function, Grid, Pair, RankSummary, Region, SiteCalls, Summary,
};
pub use table::{Communicator, Datatype, Signature, Tables, WindowOrFile};
pub use world::{SharedComm, SharedId, World};
pub use write::TraceWriter;
