//! What the ranks of a program have in common while they are read one after the other.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use panto_machine::Machine;
use panto_trace::World;

use super::agreed::Agreed;
use super::channels::Channels;
use super::{Options, Warning};

/// What the ranks of a program have in common.
pub struct Shared<'a> {
    /// Whose rules expand collectives.
    pub machine: &'a Machine,
    /// What was asked for.
    pub options: Options,
    /// Which communicators are the same.
    pub world: World,
    /// Who sends to whom.
    pub channels: Channels,
    /// The collectives of each communicator.
    pub agreed: Agreed,
    /// Who works beside the ranks.
    pub helpers: Helpers,
    /// Names of functions.
    pub calls: Calls,
    /// What is said with the result.
    pub notes: Notes,
    /// Operations of the ranks that were read.
    pub operations: usize,
}

/// Names of functions, by number.
#[derive(Default)]
pub struct Calls {
    names: Vec<String>,
    numbers: FxHashMap<String, u32>,
}

impl Calls {
    /// The number of a name.
    pub fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// The name with a number.
    pub fn name(&self, number: u32) -> &str {
        self.names.get(number as usize).map_or("", String::as_str)
    }

    /// All of them.
    pub fn into_names(self) -> Vec<String> {
        self.names
    }
}

/// So many non-blocking collectives of a communicator go on at the same time; the next one begins when the first of these has ended.
pub const LANES: u32 = 4;

/// Helpers: for a rank, a communicator and a lane.
pub struct Helpers {
    ranks: u32,
    numbers: FxHashMap<(u32, u32, u32), u32>,
    homes: Vec<u32>,
}

impl Helpers {
    /// None for any of so many ranks.
    pub fn new(ranks: u32) -> Self {
        Self { ranks, numbers: FxHashMap::default(), homes: Vec::new() }
    }

    /// The number of a helper, behind those of the ranks.
    pub fn number(&mut self, rank: u32, comm: u32, lane: u32) -> u32 {
        let next = self.ranks + self.homes.len() as u32;
        *self.numbers.entry((rank, comm, lane)).or_insert_with(|| {
            self.homes.push(rank);
            next
        })
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    /// The ranks beside which helpers work.
    pub fn homes(&self) -> &[u32] {
        &self.homes
    }
}

/// What is said with the result.
#[derive(Default)]
pub struct Notes {
    /// A few, each said for many calls.
    assumptions: Vec<&'static str>,
    warnings: BTreeMap<String, u64>,
}

impl Notes {
    /// The result holds under this assumption.
    #[inline]
    pub fn assume(&mut self, what: &'static str) {
        if !self.assumptions.iter().any(|said| std::ptr::eq(*said, what)) {
            self.assumptions.push(what);
        }
    }

    /// Something was left out or changed, once more.
    pub fn warn(&mut self, what: String) {
        self.warn_of(what, 1);
    }

    /// The same, so many times.
    pub fn warn_of(&mut self, what: String, times: u64) {
        *self.warnings.entry(what).or_default() += times;
    }

    /// All of it.
    pub fn finish(mut self) -> (Vec<String>, Vec<Warning>) {
        self.assumptions.sort_unstable();
        self.assumptions.dedup();
        let assumptions = self.assumptions.into_iter().map(str::to_owned).collect();
        (assumptions, self.warnings.into_iter().map(|(what, count)| Warning { what, count }).collect())
    }
}
