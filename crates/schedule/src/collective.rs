//! The operations of which all ranks are part.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// An operation of which all ranks are part. [`Problem`](crate::Problem) says which data each has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Collective {
    /// The root's vector reaches all.
    Broadcast,
    /// The combination of all vectors reaches the root.
    Reduce,
    /// The combination of all vectors reaches all.
    Allreduce,
    /// Every rank's block reaches all.
    Allgather,
    /// Every rank's block reaches the root.
    Gather,
    /// Every rank gets its block from the root.
    Scatter,
    /// Every rank has a block for every other: complete exchange.
    Alltoall,
    /// Every rank gets the combination of all blocks with its number.
    ReduceScatter,
    /// Every rank gets the combination of the vectors of the ranks up to itself.
    Scan,
    /// Every rank but the first gets the combination of the vectors of the ranks before itself.
    Exscan,
    /// Nobody leaves before all have come.
    Barrier,
}

impl Collective {
    /// All of them.
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

    /// The name, as [`FromStr`] reads it.
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

    /// Whether one rank has a part of its own.
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
    type Err = Error;

    fn from_str(name: &str) -> Result<Collective, Error> {
        let found = Collective::ALL.into_iter().find(|collective| collective.name() == name);
        found.ok_or_else(|| Error::UnknownCollective(name.to_owned()))
    }
}
