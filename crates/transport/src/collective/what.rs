//! What a collective is to do, with blocks of one length or of several.

use panto_schedule::{Collective, Problem, UnevenProblem};

use crate::combine::{Combine, NO_COMBINE};

/// What a collective is to do.
#[derive(Debug, Clone)]
pub enum What {
    /// Blocks have one length.
    Even {
        /// The collective with its sizes.
        problem: Problem,
        /// Bytes of an element.
        element: usize,
        /// How elements are combined.
        combine: Combine,
    },
    /// Blocks of bytes have several lengths.
    Uneven(UnevenProblem),
}

impl What {
    /// The collective; without its blocks' lengths.
    pub fn collective(&self) -> Collective {
        match self {
            Self::Even { problem, .. } => problem.collective,
            Self::Uneven(problem) => problem.collective.even(),
        }
    }

    /// Bytes of a rank's input and output.
    pub fn bytes(&self, rank: usize) -> (usize, usize) {
        let (sizes, element) = match self {
            Self::Even { problem, element, .. } => (problem.sizes(rank), *element),
            Self::Uneven(problem) => (problem.sizes(rank), 1),
        };
        (sizes.input * element, sizes.output * element)
    }

    /// How many ranks take part.
    pub fn ranks(&self) -> usize {
        match self {
            Self::Even { problem, .. } => problem.ranks,
            Self::Uneven(problem) => problem.ranks(),
        }
    }

    /// Bytes of an element.
    pub fn element(&self) -> usize {
        match self {
            Self::Even { element, .. } => *element,
            Self::Uneven(_) => 1,
        }
    }

    /// How elements are combined.
    pub fn combine(&self) -> Combine {
        match self {
            Self::Even { combine, .. } => *combine,
            Self::Uneven(_) => NO_COMBINE,
        }
    }
}
