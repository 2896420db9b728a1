//! The names of the algorithms.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// An algorithm for a collective. [`algorithms`](crate::algorithms) lists which implement which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Algorithm {
    /// The naive algorithm: the root serves one rank after the other in a rooted collective (LIB
    /// for a broadcast), allreduce goes through rank 0, scans are a chain, and an all-to-all starts
    /// everything at once.
    Linear,
    /// A binomial tree.
    Binomial,
    /// Recursive halving of runs of ranks: REB for a broadcast.
    RecursiveHalving,
    /// REB, pipelined in segments.
    SegmentedHalving {
        /// Number of segments; lowered to the number of elements.
        segments: usize,
    },
    /// Broadcast by binomial scatter and ring allgather (van de Geijn).
    ScatterAllgather,
    /// Broadcast by binomial scatter and recursive-doubling allgather.
    ScatterDoubling,
    /// Pipelined broadcast: segments travel from each rank to the next.
    Chain {
        /// Number of segments; lowered to the number of elements.
        segments: usize,
    },
    /// Recursive doubling: partners are 1, 2, 4, ... ranks apart.
    RecursiveDoubling,
    /// Rabenseifner's reduction: recursive halving of the vector, then a gather.
    Rabenseifner,
    /// A ring: each rank receives from one neighbour and sends to the other.
    Ring,
    /// Pairwise: in step i = 1, 2, ... a rank sends to the rank i ahead and receives from the rank
    /// i behind.
    Pairwise,
    /// Bruck: blocks are packed by the bits of the distance they travel.
    Bruck,
    /// LEX, the linear exchange of the CM-5 paper.
    Lex,
    /// LEX with non-blocking messages: a rank does not wait for its sends of a step.
    LexAsync,
    /// PEX, the pairwise exchange of the CM-5 paper.
    Pex,
    /// REX, the recursive exchange of the CM-5 paper.
    Rex,
    /// Dissemination barrier: in each round a rank notifies the rank 1, 2, 4, ... ahead.
    Dissemination,
    /// Central barrier through rank 0.
    Central,
    /// A binary tree.
    Binary,
    /// A k-nomial tree: the parent of a rank is the rank with its lowest non-zero digit cleared.
    Knomial {
        /// Base of the digits, at least 2.
        radix: usize,
    },
    /// Direct exchange with a limited number of partners at a time; MPICH calls it scattered.
    Scattered {
        /// Partners at a time; lowered to the number of other ranks.
        window: usize,
    },
    /// Gather in which the root prompts each rank in turn; Open MPI calls it `linear_sync`.
    LinearSync,
    /// Neighbour-exchange allgather: alternately with either neighbour, two blocks at a time (Chen
    /// and others, 2005). With an odd number of ranks it is a ring.
    Neighbour,
}

/// Default number of segments of a pipeline.
pub(crate) const SEGMENTS: usize = 8;
/// Default base of a k-nomial tree: Open MPI's.
pub(crate) const RADIX: usize = 4;
/// Default window of a scattered exchange, in messages: MPICH's.
pub(crate) const WINDOW: usize = 32;

impl Algorithm {
    /// All algorithms, those with a parameter at its default.
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
        Algorithm::LexAsync,
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

    /// Returns the name without its parameter.
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
            Algorithm::LexAsync => "lex-async",
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

    /// Returns the parameter (segments, base or window) of an algorithm that has one.
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

    /// Returns an error if the parameter is out of range.
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

    /// Returns whether the two differ at most in their parameter.
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

/// Parses `ring`, `chain:8`, `knomial:4`, and the CM-5 paper's `lib`, `reb` and `reb:8`.
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
