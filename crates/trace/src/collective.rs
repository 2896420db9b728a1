//! Collective operations, with their codes in the file.

use std::cmp::Ordering;

use panto_calls::Collective;

use crate::field::{Field, coded};

/// A collective operation of a trace: over the whole group of a communicator, or over each rank's
/// neighbors in the communicator's process topology.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CollectiveKind {
    /// A collective of the whole group, with blocks of equal or different lengths.
    Group(Collective),
    /// `MPI_Neighbor_allgather`, `MPI_Neighbor_allgatherv`.
    NeighborAllgather,
    /// `MPI_Neighbor_alltoall`, `MPI_Neighbor_alltoallv`, `MPI_Neighbor_alltoallw`.
    NeighborAlltoall,
}

impl CollectiveKind {
    /// Returns the operation without regard to who takes part: a neighbor allgather is an
    /// allgather.
    pub fn collective(self) -> Collective {
        match self {
            Self::Group(collective) => collective,
            Self::NeighborAllgather => Collective::Allgather,
            Self::NeighborAlltoall => Collective::Alltoall,
        }
    }

    /// Returns whether ranks exchange data with their neighbors only.
    pub fn is_among_neighbors(self) -> bool {
        matches!(self, Self::NeighborAllgather | Self::NeighborAlltoall)
    }
}

impl From<Collective> for CollectiveKind {
    fn from(collective: Collective) -> Self {
        Self::Group(collective)
    }
}

/// Orders by the codes of the format.
impl Ord for CollectiveKind {
    fn cmp(&self, other: &Self) -> Ordering {
        self.put().cmp(&other.put())
    }
}

impl PartialOrd for CollectiveKind {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

coded! {
    Collective {
        0 Barrier,
        1 Broadcast,
        2 Gather,
        3 Scatter,
        4 Allgather,
        5 Alltoall,
        6 Reduce,
        7 Allreduce,
        8 ReduceScatter,
        9 Scan,
        10 Exscan,
    }
}

impl Field for CollectiveKind {
    #[inline]
    fn put(self) -> i64 {
        match self {
            Self::Group(collective) => collective.put(),
            Self::NeighborAllgather => 11,
            Self::NeighborAlltoall => 12,
        }
    }
    #[inline]
    fn get(number: i64) -> Option<Self> {
        match number {
            11 => Some(Self::NeighborAllgather),
            12 => Some(Self::NeighborAlltoall),
            code => Collective::get(code).map(Self::Group),
        }
    }
}
