//! The mapping of ranks to processors.

/// PUPPET's generalised wrap mapping (P13): rank r runs on the (r mod n)-th processor of a list of
/// n.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RankMap {
    /// All processors in the order of their numbers.
    #[default]
    All,
    /// These processors, in this order.
    List(Vec<u32>),
}

impl RankMap {
    /// The processor of a rank on a network of `processors` processors.
    #[inline]
    pub fn processor(&self, rank: usize, processors: usize) -> u32 {
        match self {
            Self::All => (rank % processors) as u32,
            Self::List(list) => list[rank % list.len()],
        }
    }

    /// The number of ranks that it places before it wraps around.
    pub fn len(&self, processors: usize) -> usize {
        match self {
            Self::All => processors,
            Self::List(list) => list.len(),
        }
    }
}
