//! The collectives that can be exercised: every one that MPI has (S1).

use std::fmt;
use std::str::FromStr;

use panto_schedule::{Collective, Uneven};

use crate::error::{Error, Result};

/// A collective, with blocks of one length or of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Call {
    /// Blocks have one length.
    Plain(Collective),
    /// Every rank's block reaches the root.
    Gatherv,
    /// Every rank gets its block from the root.
    Scatterv,
    /// Every rank's block reaches all.
    Allgatherv,
    /// Every rank has a block for every other.
    Alltoallv,
}

impl Call {
    /// All of them, in the order in which MPI's standard has them.
    pub const ALL: [Self; 15] = [
        Self::Plain(Collective::Barrier),
        Self::Plain(Collective::Broadcast),
        Self::Plain(Collective::Gather),
        Self::Gatherv,
        Self::Plain(Collective::Scatter),
        Self::Scatterv,
        Self::Plain(Collective::Allgather),
        Self::Allgatherv,
        Self::Plain(Collective::Alltoall),
        Self::Alltoallv,
        Self::Plain(Collective::Reduce),
        Self::Plain(Collective::Allreduce),
        Self::Plain(Collective::ReduceScatter),
        Self::Plain(Collective::Scan),
        Self::Plain(Collective::Exscan),
    ];

    /// Its name, as MPI has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain(Collective::Broadcast) => "bcast",
            Self::Plain(collective) => collective.name(),
            Self::Gatherv => Uneven::Gatherv.name(),
            Self::Scatterv => Uneven::Scatterv.name(),
            Self::Allgatherv => Uneven::Allgatherv.name(),
            Self::Alltoallv => Uneven::Alltoallv.name(),
        }
    }

    /// The collective where blocks have one length.
    pub const fn plain(self) -> Option<Collective> {
        match self {
            Self::Plain(collective) => Some(collective),
            _ => None,
        }
    }

    /// The collective where they have several.
    pub const fn uneven(self) -> Option<Uneven> {
        match self {
            Self::Plain(_) => None,
            Self::Gatherv => Some(Uneven::Gatherv),
            Self::Scatterv => Some(Uneven::Scatterv),
            Self::Allgatherv => Some(Uneven::Allgatherv),
            Self::Alltoallv => Some(Uneven::Alltoallv),
        }
    }

    /// Has one rank a part of its own?
    pub const fn rooted(self) -> bool {
        match self {
            Self::Plain(collective) => collective.rooted(),
            Self::Gatherv | Self::Scatterv => true,
            Self::Allgatherv | Self::Alltoallv => false,
        }
    }

    /// Does it move data? A barrier moves none, and has no size.
    pub fn has_data(self) -> bool {
        self != Self::Plain(Collective::Barrier)
    }

    /// Does it combine data?
    pub const fn reduces(self) -> bool {
        use Collective::{Allreduce, Exscan, Reduce, ReduceScatter, Scan};
        matches!(self, Self::Plain(Reduce | Allreduce | ReduceScatter | Scan | Exscan))
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Reads the names that it writes, and those of Panto's schedules and of MPI's functions.
impl FromStr for Call {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let name = match text {
            "broadcast" => "bcast",
            "reduce_scatter" | "reduce_scatter_block" => "reduce-scatter",
            other => other,
        };
        Self::ALL.into_iter().find(|call| call.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::usage(format!("there is no collective `{text}`; there are {names}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for call in Call::ALL {
            assert_eq!(call.to_string().parse::<Call>().unwrap(), call);
            assert_eq!(call.plain().is_some(), call.uneven().is_none());
        }
        assert_eq!("broadcast".parse::<Call>().unwrap().name(), "bcast");
        assert_eq!("reduce_scatter_block".parse::<Call>().unwrap(), Call::Plain(Collective::ReduceScatter));
        let error = "ibcast".parse::<Call>().unwrap_err().to_string();
        assert!(error.contains("`ibcast`") && error.contains("bcast, gather, gatherv,"), "{error}");
    }
}
