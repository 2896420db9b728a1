//! The collectives, as the interface counts them.

/// A collective. Its number is a bit of [`Kinds`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
#[allow(missing_docs, reason = "the names are MPI's")]
pub enum Kind {
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

impl Kind {
    /// All of them, by their numbers.
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

    /// The name that Panto's command line has for it.
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

    /// The one with a number.
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.get(number as usize).copied()
    }
}

/// A set of collectives: a bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Kinds(pub u64);

impl Kinds {
    /// Those of a list.
    pub const fn of(list: &[Kind]) -> Self {
        let (mut bits, mut place) = (0, 0);
        while place < list.len() {
            bits |= 1 << list[place] as u32;
            place += 1;
        }
        Self(bits)
    }

    /// Is it in the set?
    pub const fn has(self, kind: Kind) -> bool {
        self.0 & (1 << kind as u32) != 0
    }

    /// Those that are in it.
    pub fn list(self) -> Vec<Kind> {
        Kind::ALL.into_iter().filter(|&kind| self.has(kind)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_sets_agree() {
        for (number, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, number);
            assert_eq!(Kind::from_number(number as u32), Some(kind));
            assert_eq!(Kinds::of(&[kind]).list(), [kind]);
        }
        assert_eq!(Kind::from_number(15), None);
        let two = Kinds::of(&[Kind::Exscan, Kind::Barrier]);
        assert!(two.has(Kind::Barrier) && two.has(Kind::Exscan) && !two.has(Kind::Scan));
    }
}
