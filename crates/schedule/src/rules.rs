//! What Panto uses when nobody asked for an algorithm: a table, not code.
//!
//! The thresholds are those of MPICH 4 (its generic device, for operations that commute), because they are
//! documented and known to every reader of the field.

use crate::Algorithm::{self, Binomial, Bruck, Dissemination, Linear, Pairwise, Rabenseifner};
use crate::Algorithm::{RecursiveDoubling, RecursiveHalving, Ring, ScatterAllgather, ScatterDoubling};
use crate::{Collective, Problem};

/// A row of the table: the first that fits decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// For which collective.
    pub collective: Collective,
    /// Up from this many ranks.
    pub min_ranks: usize,
    /// Up to this many ranks.
    pub max_ranks: usize,
    /// Whether only for powers of two.
    pub power_of_two: bool,
    /// Up from this many bytes for each rank of the largest power of two not above P.
    pub min_share: usize,
    /// Up to this many bytes.
    pub max_bytes: usize,
    /// What is used.
    pub algorithm: Algorithm,
    /// Why.
    pub note: &'static str,
}

/// MPICH's choices.
pub const TABLE: &[Row] = &[
    row(Collective::Broadcast, Binomial, "few ranks have a shallow tree").ranks(1, 7),
    row(Collective::Broadcast, Binomial, "short: start-up dominates").up_to(12_288),
    row(Collective::Broadcast, ScatterDoubling, "medium: lg rounds while partners exist")
        .power_of_two()
        .up_to(524_288),
    row(Collective::Broadcast, ScatterAllgather, "long: the least bytes, and neighbours only"),
    row(Collective::Reduce, Binomial, "short: start-up dominates").up_to(2_048),
    row(Collective::Reduce, Rabenseifner, "long: the least bytes"),
    row(Collective::Allreduce, RecursiveDoubling, "one double or less").up_to(8),
    row(Collective::Allreduce, Rabenseifner, "at least one element of eight bytes for each active rank")
        .share(8),
    row(Collective::Allreduce, RecursiveDoubling, "too few elements to halve"),
    row(Collective::Allgather, RecursiveDoubling, "below 512 KiB in all").power_of_two().up_to(524_287),
    row(Collective::Allgather, Bruck, "below 80 KiB in all: lg rounds for any P").up_to(81_919),
    row(Collective::Allgather, Ring, "long: neighbours only"),
    row(Collective::Alltoall, Bruck, "tiny blocks: start-up dominates").ranks(8, usize::MAX).up_to(256),
    row(Collective::Alltoall, Linear, "medium: let the transport order them (MPICH: scattered)")
        .up_to(32_768),
    row(Collective::Alltoall, Pairwise, "long: one partner at a time avoids contention"),
    row(Collective::ReduceScatter, RecursiveHalving, "below 512 KiB in all: lg rounds").up_to(524_287),
    row(Collective::ReduceScatter, Pairwise, "long: the least bytes"),
    row(Collective::Gather, Binomial, "always"),
    row(Collective::Scatter, Binomial, "always"),
    row(Collective::Scan, RecursiveDoubling, "always"),
    row(Collective::Exscan, RecursiveDoubling, "always"),
    row(Collective::Barrier, Dissemination, "always"),
];

/// The algorithm for a collective on this many ranks.
///
/// `bytes` are those of the vector for broadcast, reduce, allreduce and scans, of one block for alltoall, and of all
/// blocks together for allgather and reduce-scatter: MPICH's thresholds are meant so. Others do not look at them.
pub fn choose(collective: Collective, ranks: usize, bytes: usize) -> Algorithm {
    let found = TABLE.iter().find(|row| row.fits(collective, ranks, bytes));
    // The table ends with a row without conditions for each collective (a test holds it to that).
    found.map_or(crate::algorithms(collective)[0], |row| row.algorithm)
}

/// The algorithm for a problem over elements of `element` bytes.
pub fn for_problem(problem: &Problem, element: usize) -> Algorithm {
    let blocks = match problem.collective {
        Collective::Allgather | Collective::ReduceScatter => problem.ranks,
        _ => 1,
    };
    choose(problem.collective, problem.ranks, problem.count.saturating_mul(element).saturating_mul(blocks))
}

/// PUPPET's expansion (P6): every collective is direct sends, the barrier from everybody to everybody, allreduce to rank 0
/// and back.
pub const fn puppet(collective: Collective) -> Algorithm {
    match collective {
        Collective::Broadcast
        | Collective::Reduce
        | Collective::Allreduce
        | Collective::Gather
        | Collective::Scatter
        | Collective::Allgather
        | Collective::Alltoall
        | Collective::ReduceScatter
        | Collective::Barrier
        // PUPPET has no scans: a chain is as direct as they can be.
        | Collective::Scan
        | Collective::Exscan => Linear,
    }
}

const fn row(collective: Collective, algorithm: Algorithm, note: &'static str) -> Row {
    let (max_ranks, max_bytes) = (usize::MAX, usize::MAX);
    Row { collective, min_ranks: 0, max_ranks, power_of_two: false, min_share: 0, max_bytes, algorithm, note }
}

impl Row {
    const fn ranks(self, min_ranks: usize, max_ranks: usize) -> Row {
        Row { min_ranks, max_ranks, ..self }
    }

    const fn power_of_two(self) -> Row {
        Row { power_of_two: true, ..self }
    }

    const fn share(self, min_share: usize) -> Row {
        Row { min_share, ..self }
    }

    const fn up_to(self, max_bytes: usize) -> Row {
        Row { max_bytes, ..self }
    }

    fn fits(&self, collective: Collective, ranks: usize, bytes: usize) -> bool {
        let active = 1_usize << ranks.max(1).ilog2();
        self.collective == collective
            && (self.min_ranks..=self.max_ranks).contains(&ranks)
            && (!self.power_of_two || active == ranks)
            && bytes / active >= self.min_share
            && bytes <= self.max_bytes
    }
}
