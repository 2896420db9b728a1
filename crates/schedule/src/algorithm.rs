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
    /// Along a tree with two children each.
    Binary,
    /// Along a tree in which a rank without its lowest digit is its parent.
    Knomial {
        /// The base of the digits, at least 2.
        radix: usize,
    },
    /// Everybody sends to everybody, to so many at a time: what MPICH calls scattered.
    Scattered {
        /// How many at a time; lowered to the number of the others.
        window: usize,
    },
    /// The root asks each rank in turn before it sends.
    LinearSync,
    /// Allgather between two neighbours in turn, two blocks a time (Chen and others, 2005). With an odd number of ranks it is a ring.
    Neighbour,
}

/// Segments where the user names none.
pub(crate) const SEGMENTS: usize = 8;
/// Open MPI's base of a k-nomial tree.
pub(crate) const RADIX: usize = 4;
/// MPICH's number of messages at a time.
pub(crate) const WINDOW: usize = 32;

impl Algorithm {
    /// All of them, those with a number as they are when the user names none.
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
        Algorithm::Binary,
        Algorithm::Knomial { radix: RADIX },
        Algorithm::Scattered { window: WINDOW },
        Algorithm::LinearSync,
        Algorithm::Neighbour,
    ];

    /// The name without its number.
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
            Algorithm::Binary => "binary",
            Algorithm::Knomial { .. } => "knomial",
            Algorithm::Scattered { .. } => "scattered",
            Algorithm::LinearSync => "linear-sync",
            Algorithm::Neighbour => "neighbour",
        }
    }

    /// Its number of segments, base or window, where it has one.
    pub const fn number(self) -> Option<usize> {
        match self {
            Algorithm::Chain { segments: number }
            | Algorithm::SegmentedHalving { segments: number }
            | Algorithm::Knomial { radix: number }
            | Algorithm::Scattered { window: number } => Some(number),
            _ => None,
        }
    }

    fn with_number(self, number: usize) -> Option<Algorithm> {
        match self {
            Algorithm::Chain { .. } => Some(Algorithm::Chain { segments: number }),
            Algorithm::SegmentedHalving { .. } | Algorithm::RecursiveHalving => {
                Some(Algorithm::SegmentedHalving { segments: number })
            }
            Algorithm::Knomial { .. } => Some(Algorithm::Knomial { radix: number }),
            Algorithm::Scattered { .. } => Some(Algorithm::Scattered { window: number }),
            _ => None,
        }
    }

    /// Refuses a number that no schedule can have.
    pub(crate) fn validate(self) -> Result<(), Error> {
        match self {
            Algorithm::Chain { segments: 0 } | Algorithm::SegmentedHalving { segments: 0 } => {
                Err(Error::NoSegments)
            }
            Algorithm::Knomial { radix: 0 | 1 } => Err(Error::Radix),
            Algorithm::Scattered { window: 0 } => Err(Error::NoWindow),
            _ => Ok(()),
        }
    }

    /// Are the two the same but for their numbers?
    pub fn is_kind_of(self, other: Algorithm) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
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
        match self.number() {
            Some(number) => f.pad(&format!("{}:{number}", self.name())),
            None => f.pad(self.name()),
        }
    }
}

/// Reads `ring`, `chain:8`, `knomial:4`, and the paper's `lib`, `reb` and `reb:8`.
impl FromStr for Algorithm {
    type Err = Error;

    fn from_str(text: &str) -> Result<Algorithm, Error> {
        let unknown = || Error::UnknownAlgorithm(text.to_owned());
        let Some((name, number)) = text.split_once(':') else {
            return Algorithm::named(text).ok_or_else(unknown);
        };
        let number = number.parse().map_err(|_| unknown())?;
        let algorithm = Algorithm::named(name).and_then(|algorithm| algorithm.with_number(number));
        let algorithm = algorithm.ok_or_else(unknown)?;
        algorithm.validate().map(|()| algorithm)
    }
}
