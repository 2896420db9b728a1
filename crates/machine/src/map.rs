//! Which rank runs where.

/// PUPPET's generalised wrap map (P13): rank r runs on the (r mod n)-th processor of a list of n.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Map {
    /// All processors in their order.
    #[default]
    All,
    /// These, in this order.
    List(Vec<u32>),
}

impl Map {
    /// Where a rank runs on a network of so many processors.
    #[inline]
    pub fn processor(&self, rank: usize, processors: usize) -> u32 {
        match self {
            Self::All => (rank % processors) as u32,
            Self::List(list) => list[rank % list.len()],
        }
    }

    /// How many ranks it places before it wraps around.
    pub fn len(&self, processors: usize) -> usize {
        match self {
            Self::All => processors,
            Self::List(list) => list.len(),
        }
    }
}
