//! Machine models: the cost of a message between any two processors.
//!
//! A [`Machine`] describes processors, [`Network`]s, the protocol of sends and the algorithms of
//! collectives. It is immutable data: it knows no program and keeps no state. `panto-sim` runs
//! programs on it. The model follows PUPPET's (topology, switching, link cost, rank map), extended
//! by the overheads of LogGP, nodes with network interfaces, and contention.
//!
//! Codes such as P9 in comments are requirements: rows of `docs/conformance.md`.
#![forbid(unsafe_code)]

mod buffer;
mod cost;
mod describe;
mod file;
mod machine;
mod map;
mod network;
mod quality;
mod sharing;
mod topology;

pub use buffer::{BufferSide, SendBuffer};
pub use cost::{Cost, PerByte, Piece, Residue, Scale};
pub use describe::{Description, PathTimes, one_way};
pub use file::{CostKind, Error, Figure, Interval, Location, Model, builtin, looks_like_a_path, write};
pub use machine::{CollectiveSend, Collectives, Machine, Processor, Protocol, Rules, Source, Speed};
pub use map::RankMap;
pub use network::{FlowParts, Network, Nodes, Overheads, Switching, Transit};
pub use quality::Quality;
pub use sharing::{Sharing, UnknownSharing};
pub use topology::{
    Dragonfly, FatTree, Graph, GraphError, Grid, LinkId, MAX_PROCESSORS, Topology, TopologyError, Tree,
};
