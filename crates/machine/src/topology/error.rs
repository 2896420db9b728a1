//! What can be wrong with a topology.

use std::fmt;

use super::MOST_PROCESSORS;

/// Why there is no such topology.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TopologyError {
    /// A number is too small.
    TooFew {
        /// Of what, as in `processors of a ring`.
        what: &'static str,
        /// The number.
        given: u64,
        /// The least that is allowed.
        least: u64,
    },
    /// A number is too large.
    TooMany {
        /// Of what.
        what: &'static str,
        /// The number.
        given: u64,
        /// The most that is allowed.
        most: u64,
    },
    /// The product of its numbers is more than [`MOST_PROCESSORS`].
    TooLarge {
        /// The topology, as in `torus 1000000x1000000`.
        name: String,
    },
    /// The file of a graph is wrong.
    Graph(GraphError),
}

/// What is wrong with the file of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraphError {
    /// No list at all.
    Empty,
    /// Not the number of a processor.
    NotANumber {
        /// The line, from 1.
        line: usize,
        /// What stands there, shortened.
        found: String,
    },
    /// Only some lists say whose they are.
    Mixed {
        /// The first line that differs from those before it.
        line: usize,
    },
    /// A number that no processor has.
    NoSuchProcessor {
        /// The line.
        line: usize,
        /// The number.
        number: u64,
        /// How many processors there are.
        processors: usize,
    },
    /// A link from a processor to itself.
    ToItself {
        /// The line.
        line: usize,
        /// The processor.
        processor: u32,
    },
    /// A processor has two lists, or lists another twice.
    Twice {
        /// The second time.
        line: usize,
        /// The processor.
        processor: u32,
    },
    /// More than a graph may have.
    TooMany {
        /// `processors` or `links`.
        what: &'static str,
        /// The line where it became too much.
        line: usize,
        /// How many there may be.
        most: usize,
    },
    /// No way from one processor to another.
    Unreachable {
        /// From here
        from: u32,
        /// to here.
        to: u32,
    },
}

impl fmt::Display for TopologyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFew { what, given, least } => {
                write!(f, "{given} {what}: there must be at least {least}")
            }
            Self::TooMany { what, given, most } => write!(f, "{given} {what}: there may be at most {most}"),
            Self::TooLarge { name } => {
                write!(f, "{name} has too many processors: there may be at most {MOST_PROCESSORS} (2^30)")
            }
            Self::Graph(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(
                f,
                "no processors: line i must list the processors that processor i sends to directly, as in `1 2` or `0: 1 2`"
            ),
            Self::NotANumber { line, found } => {
                write!(f, "line {line}: `{found}` is not the number of a processor, which are 0, 1, 2, ...")
            }
            Self::Mixed { line } => write!(
                f,
                "line {line}: either every list begins with its processor, as in `0: 1 2`, or none does"
            ),
            Self::NoSuchProcessor { line, number, processors } => write!(
                f,
                "line {line}: there is no processor {number}: with {processors} list(s), processors are 0 to {}",
                processors.saturating_sub(1)
            ),
            Self::ToItself { line, processor } => {
                write!(
                    f,
                    "line {line}: processor {processor} lists itself; a message to itself needs no link"
                )
            }
            Self::Twice { line, processor } => {
                write!(f, "line {line}: processor {processor} is there for the second time")
            }
            Self::TooMany { what, line, most } => {
                write!(f, "line {line}: too many {what}: a graph may have at most {most}")
            }
            Self::Unreachable { from, to } => {
                write!(
                    f,
                    "the graph is not connected: there is no way from processor {from} to processor {to}"
                )
            }
        }
    }
}

impl std::error::Error for TopologyError {}
impl std::error::Error for GraphError {}

impl From<GraphError> for TopologyError {
    fn from(error: GraphError) -> Self {
        Self::Graph(error)
    }
}
