//! Parameters of the suite `scenario`: collectives, and the names of figures (S1).

use std::fmt;
use std::str::FromStr;

use panto_calls::Collective;
use panto_schedule::BlockCollective;

use crate::error::{Error, Result};

/// The name of the message layer's own collectives, as a value of
/// [`param::IMPLEMENTATION`](crate::param::IMPLEMENTATION).
pub const LIBRARY: &str = "library";

/// Names of figures of records.
pub mod figure {
    /// Relative excess of computations: the median by the wall clock.
    pub const COMP_ERROR: &str = "comp_error";
    /// Relative excess of computations by CPU time, which does not pass while others have the core.
    pub const COMP_CPU_ERROR: &str = "comp_cpu_error";
    /// Operations that a participant issues in the time of the record.
    pub const OPERATIONS: &str = "operations";
}

/// A collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CollectiveCall {
    /// Blocks of equal length, for all ranks.
    Plain(Collective),
    /// Blocks whose lengths or destinations differ.
    Blocks(BlockCollective),
}

impl CollectiveCall {
    /// All collectives, in the order of the MPI standard.
    pub const ALL: [Self; 21] = [
        Self::Plain(Collective::Barrier),
        Self::Plain(Collective::Broadcast),
        Self::Plain(Collective::Gather),
        Self::Blocks(BlockCollective::Gatherv),
        Self::Plain(Collective::Scatter),
        Self::Blocks(BlockCollective::Scatterv),
        Self::Plain(Collective::Allgather),
        Self::Blocks(BlockCollective::Allgatherv),
        Self::Plain(Collective::Alltoall),
        Self::Blocks(BlockCollective::Alltoallv),
        Self::Blocks(BlockCollective::Alltoallw),
        Self::Plain(Collective::Reduce),
        Self::Plain(Collective::Allreduce),
        Self::Plain(Collective::ReduceScatter),
        Self::Plain(Collective::Scan),
        Self::Plain(Collective::Exscan),
        Self::Blocks(BlockCollective::NeighborAllgather),
        Self::Blocks(BlockCollective::NeighborAllgatherv),
        Self::Blocks(BlockCollective::NeighborAlltoall),
        Self::Blocks(BlockCollective::NeighborAlltoallv),
        Self::Blocks(BlockCollective::NeighborAlltoallw),
    ];

    /// Returns the name, as in MPI.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain(Collective::Broadcast) => "bcast",
            Self::Plain(collective) => collective.name(),
            Self::Blocks(collective) => collective.name(),
        }
    }

    /// Returns the collective of all ranks with blocks of equal length that it is, if it is one.
    pub const fn plain(self) -> Option<Collective> {
        match self {
            Self::Plain(collective) => Some(collective),
            Self::Blocks(_) => None,
        }
    }

    /// Returns the collective of all ranks with blocks of equal length that it is, or is a variant
    /// of.
    pub const fn base(self) -> Collective {
        match self {
            Self::Plain(collective) => collective,
            Self::Blocks(collective) => collective.plain(),
        }
    }

    /// Returns whether it has a root.
    pub const fn rooted(self) -> bool {
        self.base().rooted()
    }

    /// Returns whether it moves data. A barrier moves none, and has no size.
    pub fn has_data(self) -> bool {
        self != Self::Plain(Collective::Barrier)
    }

    /// Returns whether it combines data.
    pub const fn reduces(self) -> bool {
        use Collective::{Allreduce, Exscan, Reduce, ReduceScatter, Scan};
        matches!(self, Self::Plain(Reduce | Allreduce | ReduceScatter | Scan | Exscan))
    }
}

impl fmt::Display for CollectiveCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Parses the names that it formats, and those of Panto's schedules and of MPI's functions.
impl FromStr for CollectiveCall {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let name = match text {
            "broadcast" => "bcast",
            "reduce_scatter" | "reduce_scatter_block" => "reduce-scatter",
            other => other,
        };
        let is_named = |call: &Self| call.name() == name || call.name().replace('-', "_") == name;
        Self::ALL.into_iter().find(is_named).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::usage(format!("unknown collective `{text}`; use {names}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for call in CollectiveCall::ALL {
            assert_eq!(call.to_string().parse::<CollectiveCall>().unwrap(), call);
        }
        assert_eq!("broadcast".parse::<CollectiveCall>().unwrap().name(), "bcast");
        assert_eq!(
            "reduce_scatter_block".parse::<CollectiveCall>().unwrap(),
            CollectiveCall::Plain(Collective::ReduceScatter)
        );
        let error = "ibcast".parse::<CollectiveCall>().unwrap_err().to_string();
        assert!(error.contains("`ibcast`") && error.contains("bcast, gather, gatherv,"), "{error}");
    }
}
