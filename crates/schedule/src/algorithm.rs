//! The names of the algorithms.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// A way to carry out a collective. [`algorithms`](crate::algorithms) says which serve which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Algorithm {
    /// One rank after the other, with no cleverness: LIB for a broadcast, through rank 0 for allreduce, a chain for scans,
    /// and all at once where everybody sends to everybody.
    Linear,
    /// Along a binomial tree.
    Binomial,
    /// Runs of ranks halved again and again: REB for a broadcast.
    RecursiveHalving,
    /// REB in segments that follow each other through the tree.
    SegmentedHalving {
        /// How many; lowered to the number of elements.
        segments: usize,
    },
    /// Broadcast by binomial scatter and ring allgather (van de Geijn).
    ScatterAllgather,
    /// Broadcast by binomial scatter and recursive-doubling allgather.
    ScatterDoubling,
    /// Broadcast in segments from each rank to the next.
    Chain {
        /// How many; lowered to the number of elements.
        segments: usize,
    },
    /// Partners 1, 2, 4, ... ranks apart.
    RecursiveDoubling,
    /// Reduction by halving vectors, then gathering.
    Rabenseifner,
    /// Each rank receives from one neighbour and sends to the other.
    Ring,
    /// To the rank i ahead while from the rank i behind, for i = 1, 2, ...
    Pairwise,
    /// Blocks packed by the bits of the distance that they travel.
    Bruck,
    /// Linear exchange of the CM-5 paper.
    Lex,
    /// Pairwise exchange of the CM-5 paper.
    Pex,
    /// Recursive exchange of the CM-5 paper.
    Rex,
    /// Barrier that tells the ranks 1, 2, 4, ... ahead.
    Dissemination,
    /// Barrier through rank 0.
    Central,
}

/// Segments where the user names none.
const SEGMENTS: usize = 8;

impl Algorithm {
    /// All of them, those with segments as they are when the user names no number.
    pub const ALL: &'static [Algorithm] = &[
        Algorithm::Linear,
        Algorithm::Binomial,
        Algorithm::RecursiveHalving,
        Algorithm::SegmentedHalving { segments: SEGMENTS },
        Algorithm::ScatterAllgather,
        Algorithm::ScatterDoubling,
        Algorithm::Chain { segments: SEGMENTS },
        Algorithm::RecursiveDoubling,
        Algorithm::Rabenseifner,
        Algorithm::Ring,
        Algorithm::Pairwise,
        Algorithm::Bruck,
        Algorithm::Lex,
        Algorithm::Pex,
        Algorithm::Rex,
        Algorithm::Dissemination,
        Algorithm::Central,
    ];

    /// The name without the number of segments.
    pub const fn name(self) -> &'static str {
        match self {
            Algorithm::Linear => "linear",
            Algorithm::Binomial => "binomial",
            Algorithm::RecursiveHalving => "recursive-halving",
            Algorithm::SegmentedHalving { .. } => "segmented-halving",
            Algorithm::ScatterAllgather => "scatter-allgather",
            Algorithm::ScatterDoubling => "scatter-doubling",
            Algorithm::Chain { .. } => "chain",
            Algorithm::RecursiveDoubling => "recursive-doubling",
            Algorithm::Rabenseifner => "rabenseifner",
            Algorithm::Ring => "ring",
            Algorithm::Pairwise => "pairwise",
            Algorithm::Bruck => "bruck",
            Algorithm::Lex => "lex",
            Algorithm::Pex => "pex",
            Algorithm::Rex => "rex",
            Algorithm::Dissemination => "dissemination",
            Algorithm::Central => "central",
        }
    }

    /// How many segments, where there are any.
    pub const fn segments(self) -> Option<usize> {
        match self {
            Algorithm::Chain { segments } | Algorithm::SegmentedHalving { segments } => Some(segments),
            _ => None,
        }
    }

    fn with_segments(self, segments: usize) -> Option<Algorithm> {
        match self {
            Algorithm::Chain { .. } => Some(Algorithm::Chain { segments }),
            Algorithm::SegmentedHalving { .. } | Algorithm::RecursiveHalving => {
                Some(Algorithm::SegmentedHalving { segments })
            }
            _ => None,
        }
    }

    fn named(name: &str) -> Option<Algorithm> {
        match name {
            "lib" => Some(Algorithm::Linear),
            "reb" => Some(Algorithm::RecursiveHalving),
            _ => Algorithm::ALL.iter().copied().find(|algorithm| algorithm.name() == name),
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.segments() {
            Some(segments) => f.pad(&format!("{}:{segments}", self.name())),
            None => f.pad(self.name()),
        }
    }
}

/// Reads `ring`, `chain:8`, and the paper's `lib`, `reb` and `reb:8`.
impl FromStr for Algorithm {
    type Err = Error;

    fn from_str(text: &str) -> Result<Algorithm, Error> {
        let unknown = || Error::UnknownAlgorithm(text.to_owned());
        let Some((name, number)) = text.split_once(':') else {
            return Algorithm::named(text).ok_or_else(unknown);
        };
        let segments = number.parse().map_err(|_| unknown())?;
        if segments == 0 {
            return Err(Error::NoSegments);
        }
        Algorithm::named(name).and_then(|algorithm| algorithm.with_segments(segments)).ok_or_else(unknown)
    }
}
