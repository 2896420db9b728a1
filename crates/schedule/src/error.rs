//! The errors of this crate. Each text names the remedy.

use std::fmt;

use crate::{Algorithm, BlockCollective, Collective, Span, Step, algorithms};

/// Why a schedule, plan, mesh or shape could not be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A pattern without ranks.
    NoRanks,
    /// The root is not one of the ranks.
    Root {
        /// The requested root.
        root: usize,
        /// Number of ranks.
        ranks: usize,
    },
    /// The rank is not one of the ranks.
    Rank {
        /// The requested rank.
        rank: usize,
        /// Number of ranks.
        ranks: usize,
    },
    /// More elements than memory can hold.
    TooLarge {
        /// Number of ranks.
        ranks: usize,
        /// Number of elements requested.
        count: usize,
    },
    /// The algorithm does not implement the collective.
    Unsupported {
        /// The requested collective.
        collective: Collective,
        /// The requested algorithm.
        algorithm: Algorithm,
    },
    /// The algorithm does not implement the collective with blocks of unequal length.
    UnsupportedBlocks {
        /// The requested collective.
        collective: BlockCollective,
        /// The requested algorithm.
        algorithm: Algorithm,
    },
    /// A pipeline of no segments.
    NoSegments,
    /// A k-nomial tree with a base below 2.
    Radix,
    /// An exchange with a window of 0.
    NoWindow,
    /// No algorithm has this name.
    UnknownAlgorithm(String),
    /// No hop shape has this name.
    UnknownShape(String),
    /// Not of the form `4x2`.
    MeshText(String),
    /// The number of cells of the mesh differs from the number of ranks.
    MeshSize {
        /// Number of rows requested.
        rows: usize,
        /// Number of columns requested.
        cols: usize,
        /// Number of ranks.
        ranks: usize,
    },
    /// The placement names a rank twice or one that does not exist.
    Placement {
        /// The first offending rank.
        rank: usize,
        /// Number of cells of the mesh.
        ranks: usize,
    },
    /// A Gray code needs a power of two.
    NotPowerOfTwo {
        /// Number of ranks.
        ranks: usize,
    },
    /// A schedule that must not be executed.
    Plan {
        /// The rank whose steps they are.
        rank: usize,
        /// The number of the offending step, counted from 0.
        step: usize,
        /// What is wrong with it.
        fault: Fault,
    },
}

/// What is wrong with a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The span ends outside of its buffer.
    OutOfBounds {
        /// The span.
        span: Span,
        /// Elements in the buffer.
        len: usize,
    },
    /// The input would be written.
    WritesInput(Step),
    /// The peer is no rank.
    NoSuchPeer {
        /// The peer.
        peer: usize,
        /// Number of ranks.
        ranks: usize,
    },
    /// The rank sends to itself.
    SelfMessage,
    /// A copy or reduction between spans of different lengths.
    Lengths(Step),
    /// A copy or reduction between spans that overlap.
    Overlap(Step),
    /// The span is being received into.
    BeingReceived(Span),
    /// The span would be written while it is being sent.
    BeingSent(Span),
    /// The steps end while started messages have not been waited for.
    NotWaited,
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoRanks => f.write_str("0 ranks; use at least 1"),
            Error::Root { root, ranks } => {
                write!(f, "root {root} is not one of {ranks} ranks; give one from 0 to {}", last(*ranks))
            }
            Error::Rank { rank, ranks } => {
                write!(f, "rank {rank} is not one of {ranks} ranks; give one from 0 to {}", last(*ranks))
            }
            Error::TooLarge { ranks, count } => {
                write!(
                    f,
                    "{count} elements on {ranks} ranks are more than memory can hold; give fewer of either"
                )
            }
            Error::Unsupported { collective, algorithm } => unserved(f, *collective, *algorithm),
            Error::UnsupportedBlocks { collective, algorithm } => write!(
                f,
                "{algorithm} does not implement {}; use {}",
                collective.name(),
                list(collective.algorithms())
            ),
            Error::NoSegments => {
                f.write_str("a pipeline needs at least one segment; use for instance chain:8")
            }
            Error::Radix => {
                f.write_str("a k-nomial tree needs a base of at least 2; use for instance knomial:4")
            }
            Error::NoWindow => {
                f.write_str("an exchange needs at least one partner at a time; use for instance scattered:32")
            }
            Error::UnknownAlgorithm(name) => {
                write!(f, "unknown algorithm \"{name}\"; valid names: {}", list(Algorithm::ALL))
            }
            Error::UnknownShape(name) => write!(
                f,
                "unknown topology \"{name}\"; valid names: complete, hypercube, ring, linear, mesh:RxC and torus:RxC"
            ),
            Error::MeshText(text) => {
                write!(
                    f,
                    "\"{text}\" is not a mesh; give rows and columns, such as 4x2, and ranks row by row if you like, such as 2x2:0,1,3,2"
                )
            }
            Error::MeshSize { rows, cols, ranks } => write!(
                f,
                "a mesh of {rows}x{cols} does not have {ranks} cells; give two factors of {ranks}, or change the number of ranks"
            ),
            Error::Placement { rank, ranks } => write!(
                f,
                "the placement names rank {rank} twice, or that rank does not exist; name each rank from 0 to {} once",
                last(*ranks)
            ),
            Error::NotPowerOfTwo { ranks } => {
                write!(
                    f,
                    "a Gray code needs a power of two, and {ranks} is not one; use the near-square mesh"
                )
            }
            Error::Plan { rank, step, fault } => {
                write!(f, "step {step} of rank {rank} must not be executed: {fault}; correct the schedule")
            }
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::OutOfBounds { span, len } => {
                write!(f, "{span} ends outside of a buffer of {len} elements")
            }
            Fault::WritesInput(step) => write!(f, "\"{step}\" writes the input"),
            Fault::NoSuchPeer { peer, ranks } => write!(f, "rank {peer} is not one of {ranks} ranks"),
            Fault::SelfMessage => f.write_str("the rank sends to itself; use a copy"),
            Fault::Lengths(step) => write!(f, "\"{step}\" uses spans of different lengths"),
            Fault::Overlap(step) => write!(f, "\"{step}\" uses spans that overlap"),
            Fault::BeingReceived(span) => write!(f, "{span} is still being received into"),
            Fault::BeingSent(span) => write!(f, "{span} is written while it is still being sent"),
            Fault::NotWaited => f.write_str("the steps end before all started messages were waited for"),
        }
    }
}

fn last(ranks: usize) -> usize {
    ranks.saturating_sub(1)
}

fn unserved(f: &mut fmt::Formatter<'_>, collective: Collective, algorithm: Algorithm) -> fmt::Result {
    write!(f, "{algorithm} does not implement {collective}; use {}", list(algorithms(collective)))
}

fn list<T: fmt::Display>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
