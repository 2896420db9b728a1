//! Errors of topologies and graph files.

use std::fmt;

use super::MAX_PROCESSORS;

/// An invalid topology.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TopologyError {
    /// A number is too small.
    TooFew {
        /// What it counts, as in `processors of a ring`.
        what: &'static str,
        /// The number.
        given: u64,
        /// The minimum.
        least: u64,
    },
    /// A number is too large.
    TooMany {
        /// What it counts.
        what: &'static str,
        /// The number.
        given: u64,
        /// The maximum.
        most: u64,
    },
    /// The product of its numbers is more than [`MAX_PROCESSORS`].
    TooLarge {
        /// The topology, as in `torus 1000000x1000000`.
        name: String,
    },
    /// The graph file is invalid.
    Graph(GraphError),
}

/// An invalid graph file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraphError {
    /// The file has no list.
    Empty,
    /// A word is not the number of a processor.
    NotANumber {
        /// The line, from 1.
        line: usize,
        /// The word, shortened.
        found: String,
    },
    /// Only some lists begin with their processor.
    Mixed {
        /// The first line that differs from those before it.
        line: usize,
    },
    /// The number of a processor is out of range.
    NoSuchProcessor {
        /// The line.
        line: usize,
        /// The number.
        number: u64,
        /// The number of processors.
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
        /// The line of the duplicate.
        line: usize,
        /// The processor.
        processor: u32,
    },
    /// The graph is too large.
    TooMany {
        /// `processors` or `links`.
        what: &'static str,
        /// The line at which the limit is exceeded.
        line: usize,
        /// The maximum.
        most: usize,
    },
    /// The graph is not strongly connected.
    Unreachable {
        /// A processor.
        from: u32,
        /// A processor that has no path from `from`.
        to: u32,
    },
}

impl fmt::Display for TopologyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFew { what, given, least } => {
                write!(f, "{given} {what}: the minimum is {least}")
            }
            Self::TooMany { what, given, most } => write!(f, "{given} {what}: the maximum is {most}"),
            Self::TooLarge { name } => {
                write!(f, "{name} has too many processors: the maximum is {MAX_PROCESSORS} (2^30)")
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
                write!(f, "line {line}: `{found}` is not a processor number (0, 1, 2, ...)")
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
                write!(f, "line {line}: processor {processor} is listed twice")
            }
            Self::TooMany { what, line, most } => {
                write!(f, "line {line}: too many {what}: the maximum is {most}")
            }
            Self::Unreachable { from, to } => {
                write!(
                    f,
                    "the graph is not connected: there is no path from processor {from} to processor {to}"
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
