//! What can go wrong, in plain words that name the remedy.

use std::fmt;

use crate::{Algorithm, Collective, Span, Step, Uneven, algorithms};

/// Why something could not be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A pattern without ranks.
    NoRanks,
    /// The root is not one of the ranks.
    Root {
        /// The root asked for.
        root: usize,
        /// How many ranks there are.
        ranks: usize,
    },
    /// The rank is not one of the ranks.
    Rank {
        /// The rank asked for.
        rank: usize,
        /// How many ranks there are.
        ranks: usize,
    },
    /// More elements than memory can hold.
    TooLarge {
        /// How many ranks there are.
        ranks: usize,
        /// Elements asked for.
        count: usize,
    },
    /// The algorithm does not serve the collective.
    Unserved {
        /// The collective asked for.
        collective: Collective,
        /// The algorithm asked for.
        algorithm: Algorithm,
    },
    /// The algorithm does not serve the collective with blocks of unequal length.
    UnservedUneven {
        /// The collective asked for.
        collective: Uneven,
        /// The algorithm asked for.
        algorithm: Algorithm,
    },
    /// A pipeline of no segments.
    NoSegments,
    /// A tree whose ranks have no digits.
    Radix,
    /// An exchange with nobody at a time.
    NoWindow,
    /// No collective has this name.
    UnknownCollective(String),
    /// No algorithm has this name.
    UnknownAlgorithm(String),
    /// No hop shape has this name.
    UnknownShape(String),
    /// Not of the form `4x2`.
    MeshText(String),
    /// The mesh has not as many cells as there are ranks.
    MeshSize {
        /// Rows asked for.
        rows: usize,
        /// Columns asked for.
        cols: usize,
        /// How many ranks there are.
        ranks: usize,
    },
    /// The placement names a rank twice or one that does not exist.
    Placement {
        /// The first offending rank.
        rank: usize,
        /// How many cells the mesh has.
        ranks: usize,
    },
    /// A Gray code needs a power of two.
    NotPowerOfTwo {
        /// How many ranks there are.
        ranks: usize,
    },
    /// A schedule that must not be executed.
    Plan {
        /// Whose steps they are.
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
        /// How many ranks there are.
        ranks: usize,
    },
    /// The rank talks to itself.
    SelfMessage,
    /// A copy or reduction between spans of two lengths.
    Lengths(Step),
    /// A copy or reduction between spans that overlap.
    Overlap(Step),
    /// The span is being received into.
    BeingReceived(Span),
    /// The span would be written while it is being sent.
    BeingSent(Span),
    /// The steps end with something started and not waited for.
    NotWaited,
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoRanks => f.write_str("there are no ranks; give at least one"),
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
            Error::Unserved { collective, algorithm } => unserved(f, *collective, *algorithm),
            Error::UnservedUneven { collective, algorithm } => write!(
                f,
                "{algorithm} does not serve {}; use {}",
                collective.name(),
                list(collective.algorithms())
            ),
            Error::NoSegments => {
                f.write_str("a pipeline needs at least one segment; give for instance chain:8")
            }
            Error::Radix => {
                f.write_str("a k-nomial tree needs a base of at least 2; give for instance knomial:4")
            }
            Error::NoWindow => f.write_str(
                "an exchange needs at least one partner at a time; give for instance scattered:32",
            ),
            Error::UnknownCollective(name) => {
                write!(f, "no collective is called \"{name}\"; there are {}", list(&Collective::ALL))
            }
            Error::UnknownAlgorithm(name) => {
                write!(f, "no algorithm is called \"{name}\"; there are {}", list(Algorithm::ALL))
            }
            Error::UnknownShape(name) => write!(
                f,
                "no hop shape is called \"{name}\"; there are complete, hypercube, ring, linear, mesh:RxC and torus:RxC"
            ),
            Error::MeshText(text) => {
                write!(f, "\"{text}\" is no mesh; give rows and columns, for instance 4x2")
            }
            Error::MeshSize { rows, cols, ranks } => write!(
                f,
                "a mesh of {rows}x{cols} does not have {ranks} cells; give two factors of {ranks}, or change the number of ranks"
            ),
            Error::Placement { rank, ranks } => write!(
                f,
                "the placement names rank {rank} twice or has no such cell; name each rank from 0 to {} once",
                last(*ranks)
            ),
            Error::NotPowerOfTwo { ranks } => {
                write!(f, "a Gray code needs a power of two and {ranks} is none; use the near-square mesh")
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
            Fault::SelfMessage => f.write_str("the rank talks to itself, where a copy would do"),
            Fault::Lengths(step) => write!(f, "\"{step}\" joins spans of two lengths"),
            Fault::Overlap(step) => write!(f, "\"{step}\" joins spans that overlap"),
            Fault::BeingReceived(span) => write!(f, "{span} is still being received into"),
            Fault::BeingSent(span) => write!(f, "{span} is written while it is still being sent"),
            Fault::NotWaited => f.write_str("the steps end before everything started was waited for"),
        }
    }
}

fn last(ranks: usize) -> usize {
    ranks.saturating_sub(1)
}

fn unserved(f: &mut fmt::Formatter<'_>, collective: Collective, algorithm: Algorithm) -> fmt::Result {
    write!(f, "{algorithm} does not serve {collective}; use {}", list(algorithms(collective)))
}

fn list<T: fmt::Display>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
