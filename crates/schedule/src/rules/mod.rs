//! What chooses an algorithm when nobody asked for one: tables, not code.
//!
//! A [`Table`] is read from a text of one rule a line: collective, algorithm, conditions. MPICH's, Open MPI's and PUPPET's are
//! built in, in the same format as a user's file (`crates/schedule/rules/`). Panto's own choice is MPICH's, because its
//! thresholds are documented and known to every reader of the field.

mod parse;
mod write;

use std::ops::RangeInclusive;
use std::sync::OnceLock;

use crate::{Algorithm, Collective, Problem};

pub use parse::ParseError;

/// A rule: the first of its collective that fits decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// For which collective.
    pub collective: Collective,
    /// What is used.
    pub algorithm: Algorithm,
    /// For these numbers of ranks.
    pub ranks: RangeInclusive<usize>,
    /// For these sizes, as [`choose`] counts them.
    pub bytes: RangeInclusive<usize>,
    /// For blocks of these sizes: what each rank brings to allgather or gets from reduce-scatter; else the same as `bytes`.
    pub block: RangeInclusive<usize>,
    /// For so many bytes for each rank of the largest power of two not above P.
    pub share: RangeInclusive<usize>,
    /// Whether only for powers of two.
    pub power_of_two: bool,
    /// Why.
    pub note: String,
}

/// Rules for every collective.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// By the number of the collective; each ends with a row without conditions.
    rows: [Vec<Row>; Collective::ALL.len()],
}

/// MPICH's choices.
pub fn mpich() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| built_in(include_str!("../../rules/mpich.rules")))
}

/// Open MPI's choices.
pub fn openmpi() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| built_in(include_str!("../../rules/openmpi.rules")))
}

/// PUPPET's expansion (P6): everything is direct sends.
pub fn puppet() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| built_in(include_str!("../../rules/puppet.rules")))
}

fn built_in(text: &str) -> Table {
    Table::parse(text).expect("the tests read every built-in table")
}

/// The algorithm of MPICH for a collective on this many ranks.
///
/// `bytes` are those of the vector for broadcast, reduce, allreduce and scans, of one block for alltoall, gather and scatter, and
/// of all blocks together for allgather and reduce-scatter: MPICH's thresholds are meant so.
pub fn choose(collective: Collective, ranks: usize, bytes: usize) -> Algorithm {
    mpich().choose(collective, ranks, bytes)
}

/// The algorithm of MPICH for a problem over elements of `element` bytes.
pub fn for_problem(problem: &Problem, element: usize) -> Algorithm {
    mpich().for_problem(problem, element)
}

impl Table {
    /// Reads rules: one a line, `collective algorithm conditions`, where a condition is `ranks<8`, `bytes<=2048`, `block<256`,
    /// `share>=8` or `power-of-two`; `#` begins a note. The last rule of each collective has no conditions.
    pub fn parse(text: &str) -> Result<Table, ParseError> {
        parse::table(text)
    }

    /// A table of these rules in place of those for their collectives; the others stay. The rules are held to what
    /// [`parse`](Self::parse) holds a text to.
    pub fn with(&self, rules: &[Row]) -> Result<Table, ParseError> {
        let is_kept = |row: &&Row| rules.iter().all(|rule| rule.collective != row.collective);
        let lines: Vec<String> = self.rows().filter(is_kept).chain(rules).map(ToString::to_string).collect();
        Self::parse(&lines.join("\n"))
    }

    /// All rules, those of a collective together and in their order.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().flatten()
    }

    /// The algorithm for a collective on this many ranks; `bytes` as for [`choose`].
    pub fn choose(&self, collective: Collective, ranks: usize, bytes: usize) -> Algorithm {
        let found = self.rows[collective as usize].iter().find(|row| row.fits(ranks, bytes));
        // The last row always fits (the parser holds it to that).
        found.map_or(crate::algorithms(collective)[0], |row| row.algorithm)
    }

    /// The algorithm for a problem over elements of `element` bytes.
    pub fn for_problem(&self, problem: &Problem, element: usize) -> Algorithm {
        let blocks = if in_all(problem.collective) { problem.ranks } else { 1 };
        let bytes = problem.count.saturating_mul(element).saturating_mul(blocks);
        self.choose(problem.collective, problem.ranks, bytes)
    }
}

/// Are the bytes of a collective those of all blocks together?
fn in_all(collective: Collective) -> bool {
    matches!(collective, Collective::Allgather | Collective::ReduceScatter)
}

const ALL: RangeInclusive<usize> = 0..=usize::MAX;

impl Row {
    /// A rule without conditions.
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

    /// Does it hold whatever the problem?
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
