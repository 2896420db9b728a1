//! Collectives as the interface numbers them.

/// A collective. Its number is its bit in a [`CollectiveSet`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
#[allow(missing_docs, reason = "the names are MPI's")]
pub enum CollectiveKind {
    Barrier = 0,
    Broadcast,
    Gather,
    Gatherv,
    Scatter,
    Scatterv,
    Allgather,
    Allgatherv,
    Alltoall,
    Alltoallv,
    Reduce,
    Allreduce,
    ReduceScatter,
    Scan,
    Exscan,
}

impl CollectiveKind {
    /// All collectives, by their numbers.
    pub const ALL: [Self; 15] = [
        Self::Barrier,
        Self::Broadcast,
        Self::Gather,
        Self::Gatherv,
        Self::Scatter,
        Self::Scatterv,
        Self::Allgather,
        Self::Allgatherv,
        Self::Alltoall,
        Self::Alltoallv,
        Self::Reduce,
        Self::Allreduce,
        Self::ReduceScatter,
        Self::Scan,
        Self::Exscan,
    ];

    /// Returns its name on Panto's command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Barrier => "barrier",
            Self::Broadcast => "bcast",
            Self::Gather => "gather",
            Self::Gatherv => "gatherv",
            Self::Scatter => "scatter",
            Self::Scatterv => "scatterv",
            Self::Allgather => "allgather",
            Self::Allgatherv => "allgatherv",
            Self::Alltoall => "alltoall",
            Self::Alltoallv => "alltoallv",
            Self::Reduce => "reduce",
            Self::Allreduce => "allreduce",
            Self::ReduceScatter => "reduce-scatter",
            Self::Scan => "scan",
            Self::Exscan => "exscan",
        }
    }

    /// Returns the collective with this number.
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.get(number as usize).copied()
    }
}

/// A set of collectives: one bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct CollectiveSet(pub u64);

impl CollectiveSet {
    /// Makes the set of these collectives.
    pub const fn of(list: &[CollectiveKind]) -> Self {
        let (mut bits, mut place) = (0, 0);
        while place < list.len() {
            bits |= 1 << list[place] as u32;
            place += 1;
        }
        Self(bits)
    }

    /// Whether the set contains this collective.
    pub const fn contains(self, kind: CollectiveKind) -> bool {
        self.0 & (1 << kind as u32) != 0
    }

    /// Returns the collectives of the set.
    pub fn list(self) -> Vec<CollectiveKind> {
        CollectiveKind::ALL.into_iter().filter(|&kind| self.contains(kind)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_sets_agree() {
        for (number, kind) in CollectiveKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, number);
            assert_eq!(CollectiveKind::from_number(number as u32), Some(kind));
            assert_eq!(CollectiveSet::of(&[kind]).list(), [kind]);
        }
        assert_eq!(CollectiveKind::from_number(15), None);
        let two = CollectiveSet::of(&[CollectiveKind::Exscan, CollectiveKind::Barrier]);
        assert!(
            two.contains(CollectiveKind::Barrier)
                && two.contains(CollectiveKind::Exscan)
                && !two.contains(CollectiveKind::Scan)
        );
    }
}
