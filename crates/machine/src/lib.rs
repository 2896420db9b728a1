//! Machines that pass messages: what a message costs between any two processors.
//!
//! A [`Machine`] is a model: processors that compute, [`Network`]s that carry messages, how a standard send behaves, how
//! collectives are carried out. It knows no rank's program and keeps no state; `panto-sim` runs programs on it.
#![forbid(unsafe_code)]

mod cost;
mod describe;
mod file;
mod machine;
mod map;
mod network;
mod topology;

pub use cost::{Cost, PerByte, Piece, Residue};
pub use describe::{Description, Reach, one_way};
pub use file::{Error, Figure, Interval, Model, Place, builtin};
pub use machine::{CollectiveSend, Collectives, Machine, Processor, Protocol, Rules, Source};
pub use map::Map;
pub use network::{Network, Nodes, Overheads, Switching, Transit};
pub use topology::{
    Dragonfly, FatTree, Graph, GraphError, Grid, LinkId, MOST_PROCESSORS, Topology, TopologyError, Tree,
};
