//! Rule sets: tables that select an algorithm where the caller names none.
//!
//! A [`Table`] is parsed from text with one rule per line: collective, algorithm, conditions.
//! MPICH's, Open MPI's and PUPPET's are built in, in the same format as a user's file
//! (`crates/schedule/rules/`). The default is MPICH's, because its thresholds are documented and
//! widely known.

mod parse;
mod write;

use std::ops::RangeInclusive;
use std::sync::OnceLock;

use crate::{Algorithm, Collective, Problem};

pub use parse::ParseError;

/// A rule. The first rule of a collective whose conditions hold decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The collective.
    pub collective: Collective,
    /// The algorithm to use.
    pub algorithm: Algorithm,
    /// Condition: the number of ranks.
    pub ranks: RangeInclusive<usize>,
    /// Condition: the size in bytes, as [`choose`] counts it.
    pub bytes: RangeInclusive<usize>,
    /// Condition: the block size in bytes, what each rank contributes to allgather or gets from
    /// reduce-scatter; for other collectives the same as `bytes`.
    pub block: RangeInclusive<usize>,
    /// Condition: the bytes per rank of the largest power of two not above P.
    pub share: RangeInclusive<usize>,
    /// Condition: the number of ranks is a power of two.
    pub power_of_two: bool,
    /// The reason for the rule.
    pub note: String,
}

/// Rules for every collective.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The rules by collective; the last one of each has no conditions.
    rows: [Vec<Row>; Collective::ALL.len()],
}

/// Returns the rules of MPICH.
pub fn mpich() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| built_in(include_str!("../../rules/mpich.rules")))
}

/// Returns the rules of Open MPI.
pub fn openmpi() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| built_in(include_str!("../../rules/openmpi.rules")))
}

/// Returns PUPPET's expansion (P6): all collectives are direct sends.
pub fn puppet() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| built_in(include_str!("../../rules/puppet.rules")))
}

fn built_in(text: &str) -> Table {
    Table::parse(text).expect("the tests read every built-in table")
}

/// Returns MPICH's algorithm for a collective on this number of ranks.
///
/// `bytes` is the size of the vector for broadcast, reduce, allreduce and scans, of one block for
/// alltoall, gather and scatter, and of all blocks together for allgather and reduce-scatter, as in
/// MPICH's thresholds.
pub fn choose(collective: Collective, ranks: usize, bytes: usize) -> Algorithm {
    mpich().choose(collective, ranks, bytes)
}

/// Returns MPICH's algorithm for a problem over elements of `element` bytes.
pub fn for_problem(problem: &Problem, element: usize) -> Algorithm {
    mpich().for_problem(problem, element)
}

impl Table {
    /// Parses rules, one per line: `collective algorithm conditions`, where a condition is
    /// `ranks<8`, `bytes<=2048`, `block<256`, `share>=8` or `power-of-two`; `#` begins a note. The
    /// last rule of each collective has no conditions.
    pub fn parse(text: &str) -> Result<Table, ParseError> {
        parse::table(text)
    }

    /// Returns a table in which these rules replace those of their collectives. The rules are
    /// validated as [`parse`](Self::parse) validates a text.
    pub fn with(&self, rules: &[Row]) -> Result<Table, ParseError> {
        let is_kept = |row: &&Row| rules.iter().all(|rule| rule.collective != row.collective);
        let lines: Vec<String> = self.rows().filter(is_kept).chain(rules).map(ToString::to_string).collect();
        Self::parse(&lines.join("\n"))
    }

    /// Returns all rules, grouped by collective and in order.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().flatten()
    }

    /// Returns the algorithm for a collective on this number of ranks; `bytes` as for [`choose`].
    pub fn choose(&self, collective: Collective, ranks: usize, bytes: usize) -> Algorithm {
        let found = self.rows[collective as usize].iter().find(|row| row.fits(ranks, bytes));
        // The last row has no conditions; the parser checks that.
        found.map_or(crate::algorithms(collective)[0], |row| row.algorithm)
    }

    /// Returns the algorithm for a problem over elements of `element` bytes.
    pub fn for_problem(&self, problem: &Problem, element: usize) -> Algorithm {
        let blocks = if in_all(problem.collective) { problem.ranks } else { 1 };
        let bytes = problem.count.saturating_mul(element).saturating_mul(blocks);
        self.choose(problem.collective, problem.ranks, bytes)
    }
}

/// Returns whether the size of a collective is that of all blocks together.
fn in_all(collective: Collective) -> bool {
    matches!(collective, Collective::Allgather | Collective::ReduceScatter)
}

const ALL: RangeInclusive<usize> = 0..=usize::MAX;

impl Row {
    /// Creates a rule without conditions.
    pub fn always(collective: Collective, algorithm: Algorithm) -> Self {
        Self {
            collective,
            algorithm,
            ranks: ALL,
            bytes: ALL,
            block: ALL,
            share: ALL,
            power_of_two: false,
            note: String::new(),
        }
    }

    /// Returns whether the rule has no conditions.
    pub fn is_unconditional(&self) -> bool {
        let ranges = [&self.ranks, &self.bytes, &self.block, &self.share];
        !self.power_of_two && ranges.into_iter().all(|range| *range == ALL)
    }

    fn fits(&self, ranks: usize, bytes: usize) -> bool {
        let ranks = ranks.max(1);
        let active = 1_usize << ranks.ilog2();
        let block = if in_all(self.collective) { bytes / ranks } else { bytes };
        self.ranks.contains(&ranks)
            && (!self.power_of_two || active == ranks)
            && self.bytes.contains(&bytes)
            && self.block.contains(&block)
            && self.share.contains(&(bytes / active))
    }
}
