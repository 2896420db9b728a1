//! The collective operations.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// A collective operation: all ranks of a communicator take part.
///
/// Variants with blocks of different lengths (`MPI_Gatherv`) and non-blocking ones (`MPI_Igather`)
/// are the same operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Collective {
    /// `MPI_Bcast`: the root's vector reaches all ranks.
    Broadcast,
    /// `MPI_Reduce`: the combination of all vectors reaches the root.
    Reduce,
    /// `MPI_Allreduce`: the combination of all vectors reaches all ranks.
    Allreduce,
    /// `MPI_Allgather`: every rank's block reaches all ranks.
    Allgather,
    /// `MPI_Gather`: every rank's block reaches the root.
    Gather,
    /// `MPI_Scatter`: every rank receives its block from the root.
    Scatter,
    /// `MPI_Alltoall`: every rank has a block for every other (complete exchange).
    Alltoall,
    /// `MPI_Reduce_scatter_block`: rank *i* receives the combination of all ranks' *i*-th blocks.
    ReduceScatter,
    /// `MPI_Scan`: every rank receives the combination of the vectors of the ranks up to itself.
    Scan,
    /// `MPI_Exscan`: every rank but the first receives the combination of the vectors of the ranks
    /// before it.
    Exscan,
    /// `MPI_Barrier`: no rank leaves before all have entered.
    Barrier,
}

impl Collective {
    /// All collectives.
    pub const ALL: [Collective; 11] = [
        Collective::Broadcast,
        Collective::Reduce,
        Collective::Allreduce,
        Collective::Allgather,
        Collective::Gather,
        Collective::Scatter,
        Collective::Alltoall,
        Collective::ReduceScatter,
        Collective::Scan,
        Collective::Exscan,
        Collective::Barrier,
    ];

    /// Returns the name, as [`FromStr`] reads it.
    pub const fn name(self) -> &'static str {
        match self {
            Collective::Broadcast => "broadcast",
            Collective::Reduce => "reduce",
            Collective::Allreduce => "allreduce",
            Collective::Allgather => "allgather",
            Collective::Gather => "gather",
            Collective::Scatter => "scatter",
            Collective::Alltoall => "alltoall",
            Collective::ReduceScatter => "reduce-scatter",
            Collective::Scan => "scan",
            Collective::Exscan => "exscan",
            Collective::Barrier => "barrier",
        }
    }

    /// Returns the function of MPI, the blocking one with blocks of equal length.
    pub const fn function(self) -> &'static str {
        match self {
            Collective::Broadcast => "MPI_Bcast",
            Collective::Reduce => "MPI_Reduce",
            Collective::Allreduce => "MPI_Allreduce",
            Collective::Allgather => "MPI_Allgather",
            Collective::Gather => "MPI_Gather",
            Collective::Scatter => "MPI_Scatter",
            Collective::Alltoall => "MPI_Alltoall",
            Collective::ReduceScatter => "MPI_Reduce_scatter_block",
            Collective::Scan => "MPI_Scan",
            Collective::Exscan => "MPI_Exscan",
            Collective::Barrier => "MPI_Barrier",
        }
    }

    /// Returns whether one rank, the root, has a role of its own.
    pub const fn rooted(self) -> bool {
        matches!(self, Collective::Broadcast | Collective::Reduce | Collective::Gather | Collective::Scatter)
    }
}

impl fmt::Display for Collective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Collective {
    type Err = UnknownCollective;

    fn from_str(name: &str) -> Result<Collective, UnknownCollective> {
        let found = Collective::ALL.into_iter().find(|collective| collective.name() == name);
        found.ok_or_else(|| UnknownCollective(name.to_owned()))
    }
}

/// The error for a name that no collective has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownCollective(
    /// The unknown name.
    pub String,
);

impl fmt::Display for UnknownCollective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Collective::ALL.map(Collective::name).join(", ");
        write!(f, "unknown collective \"{}\"; valid names: {names}", self.0)
    }
}

impl Error for UnknownCollective {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for collective in Collective::ALL {
            assert_eq!(collective.name().parse(), Ok(collective));
        }
    }

    #[test]
    fn an_unknown_name_lists_the_valid_ones() {
        let error = "gossip".parse::<Collective>().unwrap_err();
        assert!(
            error.to_string().starts_with("unknown collective \"gossip\"; valid names: broadcast, reduce,")
        );
    }
}
