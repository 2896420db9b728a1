//! The state that all ranks share while a trace is read.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use panto_machine::Machine;
use panto_trace::{CallSite, Places, World};

use super::agreement::CollectiveLog;
use super::channels::Channels;
use super::cut::{Cut, Dependencies};
use super::rank_reader::MAX_OPERATIONS;
use super::{Options, Warning};

/// The state that all ranks share.
pub struct Context<'a> {
    /// The machine whose rules expand collectives.
    pub machine: &'a Machine,
    /// How the trace is interpreted.
    pub options: Options,
    /// The communicators, identified across ranks.
    pub world: Cow<'a, World>,
    /// The channels of the program.
    pub channels: Channels,
    /// The collectives of each communicator.
    pub collectives: CollectiveLog,
    /// The helpers beside the ranks.
    pub helpers: Helpers,
    /// The names of functions.
    pub calls: Calls,
    /// Assumptions and warnings.
    pub notes: Notes,
    /// The number of operations of the ranks read so far.
    pub operations: usize,
    /// How far ranks are read, if some of them end too early.
    pub cut: Option<&'a Cut>,
    /// What calls depend on, while the cut is searched for.
    pub dependencies: Option<Dependencies>,
}

impl<'a> Context<'a> {
    /// The state before any rank is read.
    pub fn new(machine: &'a Machine, options: Options, world: Cow<'a, World>, ranks: u32) -> Self {
        Self {
            machine,
            options,
            world,
            channels: Channels::default(),
            collectives: CollectiveLog::default(),
            helpers: Helpers::new(ranks),
            calls: Calls::default(),
            notes: Notes::default(),
            operations: 0,
            cut: None,
            dependencies: None,
        }
    }
}

impl Context<'_> {
    /// Adds what higher ranks that were read apart agree on, their notes and their number of
    /// operations; `None` if the ranks have to be read in one pass.
    pub fn merge(&mut self, other: &mut Self) -> Option<()> {
        self.notes.merge(std::mem::take(&mut other.notes));
        self.operations += other.operations;
        let is_possible = self.collectives.merge(&other.collectives) && self.operations <= MAX_OPERATIONS;
        is_possible.then_some(())
    }
}

/// The names of functions, by number.
#[derive(Default)]
pub struct Calls {
    names: Vec<String>,
    sites: Vec<Option<CallSite>>,
    numbers: FxHashMap<(String, Option<CallSite>), u32>,
}

impl Calls {
    /// Adds the names of other ranks. Returns the number here of each.
    pub fn merge(&mut self, other: &Self) -> Vec<u32> {
        other.names.iter().zip(&other.sites).map(|(name, site)| self.number(name, site.as_ref())).collect()
    }

    /// Returns the number of a function that is called from a place, and adds it at its first use.
    pub fn number(&mut self, name: &str, site: Option<&CallSite>) -> u32 {
        let key = (name.to_owned(), site.cloned());
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.sites.push(site.cloned());
        self.numbers.insert(key, number);
        number
    }

    /// Returns the name with a number.
    pub fn name(&self, number: u32) -> &str {
        self.names.get(number as usize).map_or("", String::as_str)
    }

    /// The number of functions, each counted once for every call site.
    pub fn len(&self) -> u32 {
        self.names.len() as u32
    }

    /// Returns all names, and for each the place in the source, or the address, of its call site.
    pub fn into_names(self, places: &Places) -> (Vec<String>, Vec<Option<String>>) {
        let sites = self.sites.iter().map(|site| site.as_ref().map(|site| places.name(site)));
        let sites = sites.collect();
        (self.names, sites)
    }
}

/// The most non-blocking collectives of a communicator that proceed at the same time; the next one
/// begins when the first of these has ended.
pub const MAX_CONCURRENT: u32 = 4;

/// The helpers of all ranks, by rank, communicator and index.
pub struct Helpers {
    ranks: u32,
    numbers: FxHashMap<HelperKey, u32>,
    /// What identifies each helper.
    keys: Vec<HelperKey>,
    /// The rank of each helper.
    homes: Vec<u32>,
}

/// What identifies a helper: rank, communicator and index.
type HelperKey = (u32, u32, u32);

impl Helpers {
    /// No helpers for any of `ranks` ranks.
    pub fn new(ranks: u32) -> Self {
        Self { ranks, numbers: FxHashMap::default(), keys: Vec::new(), homes: Vec::new() }
    }

    /// Adds the helpers of other ranks. Returns the number here of each.
    pub fn merge(&mut self, other: &Self) -> Vec<u32> {
        other.keys.iter().map(|&(rank, comm, index)| self.number(rank, comm, index)).collect()
    }

    /// Returns the number of a helper, which follows those of the ranks, and creates it at its
    /// first use.
    pub fn number(&mut self, rank: u32, comm: u32, index: u32) -> u32 {
        let next = self.ranks + self.homes.len() as u32;
        *self.numbers.entry((rank, comm, index)).or_insert_with(|| {
            self.keys.push((rank, comm, index));
            self.homes.push(rank);
            next
        })
    }

    /// Returns whether a helper has a number.
    pub fn is_known(&self, rank: u32, comm: u32, index: u32) -> bool {
        self.numbers.contains_key(&(rank, comm, index))
    }

    /// The number of ranks.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    /// The rank beside which each helper runs.
    pub fn homes(&self) -> &[u32] {
        &self.homes
    }
}

/// The assumptions and warnings of a result.
#[derive(Default)]
pub struct Notes {
    /// A few distinct texts, each added by many calls.
    assumptions: Vec<&'static str>,
    warnings: BTreeMap<String, u64>,
}

impl Notes {
    /// Adds an assumption under which the result holds.
    #[inline]
    pub fn assume(&mut self, what: &'static str) {
        if !self.assumptions.iter().any(|known| std::ptr::eq(*known, what)) {
            self.assumptions.push(what);
        }
    }

    /// Counts a warning: something was skipped or changed.
    pub fn warn(&mut self, message: String) {
        self.warn_times(message, 1);
    }

    /// Counts a warning several times.
    pub fn warn_times(&mut self, message: String, times: u64) {
        *self.warnings.entry(message).or_default() += times;
    }

    /// Adds those of other ranks.
    pub fn merge(&mut self, other: Self) {
        self.assumptions.extend(other.assumptions);
        for (message, count) in other.warnings {
            self.warn_times(message, count);
        }
    }

    /// Returns all assumptions and warnings, sorted.
    pub fn finish(mut self) -> (Vec<String>, Vec<Warning>) {
        self.assumptions.sort_unstable();
        self.assumptions.dedup();
        let assumptions = self.assumptions.into_iter().map(str::to_owned).collect();
        (assumptions, self.warnings.into_iter().map(|(message, count)| Warning { message, count }).collect())
    }
}
