//! The collectives of each communicator: its members must carry out the same ones in the same order.

use rustc_hash::FxHashMap;

use panto_trace::Pattern;

/// What all members do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum What {
    /// A collective operation.
    Pattern(Pattern),
    /// Parts of different lengths: `MPI_Gatherv` and its like.
    Listed(Pattern),
    /// Makes a communicator.
    Creation,
    /// Synchronises a window.
    Window,
}

/// A collective, as members agree on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Instance {
    /// Which.
    pub what: What,
    /// Is it waited for by another call?
    pub started: bool,
    /// The root's number, if all know it.
    pub root: Option<u32>,
    /// Elements of the vector, or of one block.
    pub count: u64,
    /// Bytes of an element.
    pub element: u64,
    /// May operands change places?
    pub commutes: bool,
    /// The function that the first member called.
    pub call: u32,
}

/// What a member finds where it carries out a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Met {
    /// The one with this number, as the first member described it.
    Same(u32),
    /// Another one.
    Other(u32),
    /// The members that were there have no more.
    End,
}

/// The collectives of one communicator.
#[derive(Default)]
struct List {
    /// The rank that came first: it decides.
    first: u32,
    instances: Vec<u32>,
}

/// The collectives of each communicator.
#[derive(Default)]
pub struct Agreed {
    lists: FxHashMap<u32, List>,
    instances: Vec<Instance>,
    numbers: FxHashMap<Instance, u32>,
}

impl Agreed {
    /// A rank carries out its `nth` collective of a communicator.
    pub fn meet(&mut self, comm: u32, rank: u32, nth: usize, own: Instance) -> Met {
        let list = self.lists.entry(comm).or_insert_with(|| List { first: rank, instances: Vec::new() });
        if let Some(number) = list.instances.get(nth) {
            let agreed = &self.instances[*number as usize];
            return if agreed.is_like(&own) { Met::Same(*number) } else { Met::Other(*number) };
        }
        if list.first != rank {
            return Met::End;
        }
        let next = self.instances.len() as u32;
        let number = *self.numbers.entry(own).or_insert_with(|| {
            self.instances.push(own);
            next
        });
        list.instances.push(number);
        Met::Same(number)
    }

    /// The collective with a number.
    pub fn instance(&self, number: u32) -> Instance {
        self.instances[number as usize]
    }

    /// The rank that came first in a communicator.
    pub fn first(&self, comm: u32) -> u32 {
        self.lists.get(&comm).map_or(0, |list| list.first)
    }

    /// The `nth` collective of a communicator.
    pub fn nth(&self, comm: u32, nth: usize) -> Option<Instance> {
        self.lists.get(&comm)?.instances.get(nth).map(|number| self.instance(*number))
    }

    /// Communicators with collectives, and the rank that came first in each.
    pub fn comms(&self) -> impl Iterator<Item = (u32, u32)> {
        self.lists.iter().map(|(comm, list)| (*comm, list.first))
    }
}

impl Instance {
    /// Are these two members' views of one collective? Lengths are another matter.
    fn is_like(&self, other: &Self) -> bool {
        self.what == other.what && self.started == other.started && self.root == other.root
    }

    /// What somebody did who called this.
    pub fn describe(&self, call: &str) -> String {
        self.root.map_or_else(|| format!("calls {call}"), |root| format!("calls {call} with root {root}"))
    }

    /// Bytes of the vector, or of one block.
    pub fn bytes(&self) -> u64 {
        self.count.saturating_mul(self.element)
    }
}
