//! The specification of a collective, with blocks of equal lengths or of different lengths and
//! destinations.

use panto_schedule::{BlockProblem, Collective, Problem};

use crate::reduce_op::{NO_REDUCTION, ReduceOp};

/// The specification of a collective.
#[derive(Debug, Clone)]
pub enum CollectiveSpec {
    /// Blocks of equal length.
    Even {
        /// The collective with its sizes.
        problem: Problem,
        /// Bytes per element.
        element: usize,
        /// The reduction operator.
        combine: ReduceOp,
    },
    /// Blocks of different lengths or destinations, in bytes.
    Blocks(BlockProblem),
}

impl CollectiveSpec {
    /// Returns the collective of all ranks with blocks of equal length that it is a variant of.
    pub fn collective(&self) -> Collective {
        match self {
            Self::Even { problem, .. } => problem.collective,
            Self::Blocks(problem) => problem.collective.plain(),
        }
    }

    /// Returns the bytes of a rank's input and output.
    pub fn bytes(&self, rank: usize) -> (usize, usize) {
        let (sizes, element) = match self {
            Self::Even { problem, element, .. } => (problem.sizes(rank), *element),
            Self::Blocks(problem) => (problem.sizes(rank), 1),
        };
        (sizes.input * element, sizes.output * element)
    }

    /// Returns the number of ranks.
    pub fn ranks(&self) -> usize {
        match self {
            Self::Even { problem, .. } => problem.ranks,
            Self::Blocks(problem) => problem.ranks(),
        }
    }

    /// Returns the bytes per element.
    pub fn element(&self) -> usize {
        match self {
            Self::Even { element, .. } => *element,
            Self::Blocks(_) => 1,
        }
    }

    /// Returns the reduction operator.
    pub fn combine(&self) -> ReduceOp {
        match self {
            Self::Even { combine, .. } => *combine,
            Self::Blocks(_) => NO_REDUCTION,
        }
    }
}
