//! Writing the stream of a rank: calls become columns, columns become blocks.
//!
//! An event is written as the number of its signature and, where they differ from those of the last
//! event with this signature, its varying parts. A program repeats itself, so the signature that
//! followed last time is compared before any table is looked up, and a call that repeats in all
//! parts is one byte.
//!
//! Invariant: each block can be read without the events of earlier blocks, given their definitions.

#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;

use crate::action::Action;
use crate::block::{BlockKind, Content, GROUP};
use crate::field::{Comm, Name, Site, Type, WindowOrFileId};
use crate::site::CallSite;
use crate::table::{self, Communicator, Datatype, Signature, WindowOrFile};
use panto_container::varint::{put, put_signed};

/// The times of a call, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Times {
    /// Computation before the call.
    pub before: u64,
    /// Wall-clock time since the last call of any thread ended; kept only with stamps.
    pub gap: u64,
    /// Wall-clock time inside the call; kept only with stamps.
    pub inside: u64,
}

/// What identifies a call with all its parts, as the caller of a [`Recorder`] defines it: calls
/// with equal keys are equal.
pub type Key = [u64; 7];

/// Records the calls of a rank.
pub struct Recorder {
    has_stamps: bool,
    names: FxHashMap<String, Name>,
    types: u32,
    comms: u32,
    things: u32,
    sites: u32,
    numbers: FxHashMap<Signature, u32>,
    signatures: Vec<Interned>,
    /// The signature of the last event.
    last: usize,
    /// The signature that is expected next.
    expected: usize,
    block: Columns,
    values: Vec<i64>,
    /// How many bytes of the block's definitions [`Recorder::new_definitions`] has returned.
    announced: usize,
}

/// A signature, with what makes writing its events short and fast.
struct Interned {
    signature: Signature,
    /// The varying parts of its last event.
    values: Vec<i64>,
    /// The block of that event. Each block can be read without the events of earlier ones.
    block: u32,
    /// The signature that followed last time. Programs repeat themselves, and comparing is faster
    /// than a look-up.
    next: usize,
    /// The key of its last event, if the caller gave one.
    key: Option<Key>,
}

#[derive(Default)]
struct Columns {
    number: u32,
    events: u32,
    drops: bool,
    definitions: Vec<u8>,
    ids: Vec<u8>,
    values: Vec<u8>,
    before: Vec<u8>,
    gaps: Vec<u8>,
    inside: Vec<u8>,
}

impl Recorder {
    /// Keeps the wall clock of each call from now on. Nothing may have been recorded.
    pub(crate) fn keep_stamps(&mut self) {
        self.has_stamps = true;
    }

    /// Returns an empty recorder. With stamps it keeps the wall clock of each call, too.
    pub fn new(has_stamps: bool) -> Self {
        Self {
            has_stamps,
            names: FxHashMap::default(),
            types: 0,
            comms: 0,
            things: 0,
            sites: 0,
            numbers: FxHashMap::default(),
            signatures: Vec::new(),
            last: 0,
            expected: 0,
            block: Columns::default(),
            values: Vec::new(),
            announced: 0,
        }
    }

    /// Returns the definitions that were made since the last time. It must be called before each
    /// [`Recorder::seal`], or definitions of that block are not returned.
    pub fn new_definitions(&mut self) -> &[u8] {
        let from = std::mem::replace(&mut self.announced, self.block.definitions.len());
        &self.block.definitions[from..]
    }

    /// Returns the number of a name, which is defined if it is new.
    pub fn name(&mut self, name: &str) -> Name {
        if let Some(number) = self.names.get(name) {
            return *number;
        }
        let number = Name(self.names.len() as u32);
        self.names.insert(name.to_owned(), number);
        table::put_name(&mut self.block.definitions, name);
        number
    }

    /// Defines a datatype and returns its number.
    pub fn datatype(&mut self, datatype: &Datatype) -> Type {
        table::put_type(&mut self.block.definitions, datatype);
        self.types += 1;
        Type(self.types - 1)
    }

    /// Defines a communicator and returns its number.
    pub fn communicator(&mut self, comm: &Communicator) -> Comm {
        table::put_comm(&mut self.block.definitions, comm);
        self.comms += 1;
        Comm(self.comms - 1)
    }

    /// Defines a window or a file and returns its number.
    pub fn window_or_file(&mut self, object: &WindowOrFile) -> WindowOrFileId {
        table::put_window_or_file(&mut self.block.definitions, object);
        self.things += 1;
        WindowOrFileId(self.things - 1)
    }

    /// Defines a call site and returns its number. The stream's head must announce call sites.
    pub fn call_site(&mut self, site: &CallSite) -> Site {
        table::put_site(&mut self.block.definitions, site);
        self.sites += 1;
        Site(self.sites - 1)
    }

    /// Records a call.
    #[inline]
    pub fn record(&mut self, name: Name, action: &Action<'_>, times: Times) {
        self.record_at(name, None, action, times);
    }

    /// Records a call with its call site.
    #[inline]
    pub fn record_at(&mut self, name: Name, site: Option<Site>, action: &Action<'_>, times: Times) {
        self.values.clear();
        let constants = action.split(&mut self.values);
        let number = self.number(Signature { name, kind: action.kind(), constants, site });
        let known = &mut self.signatures[number];
        known.key = None;
        let is_same = known.block == self.block.number && are_equal(&known.values, &self.values);
        put(&mut self.block.ids, (number as u64) << 1 | u64::from(!is_same));
        if !is_same {
            if known.block != self.block.number {
                known.values.clear();
                known.block = self.block.number;
            }
            put_values(&mut self.block.values, &known.values, &self.values, action.kind().lists() > 0);
            std::mem::swap(&mut known.values, &mut self.values);
        }
        self.expected = known.next;
        self.put_times(times);
    }

    /// Sets the key of the call that was just recorded.
    #[inline]
    pub fn remember(&mut self, key: Key) {
        if let Some(known) = self.signatures.get_mut(self.last) {
            known.key = Some(key);
        }
    }

    /// Returns whether the call with this key is the one that is expected next, and equal to its
    /// last event. It need not be encoded then.
    #[inline]
    pub fn repeats(&self, key: &Key) -> bool {
        let is_same = |known: &Interned| known.block == self.block.number && known.key.as_ref() == Some(key);
        self.signatures.get(self.expected).is_some_and(is_same)
    }

    /// Records the expected call again, after [`repeats`](Self::repeats) returned true.
    #[inline]
    pub fn repeat(&mut self, times: Times) {
        let number = self.expected;
        put(&mut self.block.ids, (number as u64) << 1);
        self.last = number;
        self.expected = self.signatures[number].next;
        self.put_times(times);
    }

    #[inline]
    fn put_times(&mut self, times: Times) {
        put(&mut self.block.before, times.before);
        if self.has_stamps {
            put(&mut self.block.gaps, times.gap);
            put(&mut self.block.inside, times.inside);
        }
        self.block.events += 1;
    }

    #[inline]
    fn number(&mut self, signature: Signature) -> usize {
        let number = match self.signatures.get(self.expected) {
            Some(known) if is_same(&known.signature, &signature) => self.expected,
            _ => self.look_up(signature),
        };
        self.last = number;
        number
    }

    fn look_up(&mut self, signature: Signature) -> usize {
        let next_number = self.signatures.len() as u32;
        let number = *self.numbers.entry(signature).or_insert(next_number);
        if number == next_number {
            table::put_signature(&mut self.block.definitions, &signature);
            self.signatures.push(Interned {
                signature,
                values: Vec::new(),
                block: u32::MAX,
                next: 0,
                key: None,
            });
        }
        if let Some(last) = self.signatures.get_mut(self.last) {
            last.next = number as usize;
        }
        number as usize
    }

    /// Returns the number of events that are not yet in a block.
    pub fn events(&self) -> u32 {
        self.block.events
    }

    /// Returns the bytes that are not yet in a block, before they are packed.
    pub fn bytes(&self) -> usize {
        let block = &self.block;
        let columns =
            [&block.definitions, &block.ids, &block.values, &block.before, &block.gaps, &block.inside];
        columns.iter().map(|column| column.len()).sum()
    }

    /// Drops all events so far, also those in earlier blocks.
    pub fn drop_events(&mut self) {
        let number = self.block.number + 1;
        let definitions = std::mem::take(&mut self.block.definitions);
        self.block = Columns { number, drops: true, definitions, ..Columns::default() };
    }

    /// Appends the pending events as a block that begins at this wall-clock time, in nanoseconds,
    /// and starts an empty one.
    pub fn seal(&mut self, wall: u64, out: &mut Vec<u8>) {
        let block = &mut self.block;
        Content {
            kind: BlockKind::Events,
            drops: block.drops,
            events: block.events,
            wall,
            sections: [
                &block.definitions,
                &block.ids,
                &block.values,
                &block.before,
                &block.gaps,
                &block.inside,
            ],
        }
        .seal(out);
        self.announced = 0;
        block.number += 1;
        block.events = 0;
        block.drops = false;
        let columns = [
            &mut block.definitions,
            &mut block.ids,
            &mut block.values,
            &mut block.before,
            &mut block.gaps,
            &mut block.inside,
        ];
        columns.into_iter().for_each(Vec::clear);
    }
}

/// Compares two signatures without a branch for each part, and without a call to `memcmp`.
#[inline]
fn is_same(one: &Signature, other: &Signature) -> bool {
    let differing =
        one.constants.iter().zip(&other.constants).fold(0, |bits, (one, other)| bits | (one ^ other));
    differing == 0 && one.name == other.name && one.kind == other.kind && one.site == other.site
}

#[inline]
fn are_equal(one: &[i64], other: &[i64]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one == other)
}

/// Appends varying parts as differences from those of the last event with this signature: for each
/// group a mask of those that differ, then their differences.
fn put_values(out: &mut Vec<u8>, last: &[i64], values: &[i64], has_lists: bool) {
    if has_lists {
        put(out, values.len() as u64);
    }
    for (group, values) in values.chunks(GROUP).enumerate() {
        let last = |place: usize| last.get(group * GROUP + place).copied().unwrap_or(0);
        let differs = |place: usize| u64::from(values[place] != last(place)) << place;
        put(out, (0..values.len()).map(differs).sum());
        for (place, value) in values.iter().enumerate().filter(|(place, value)| last(*place) != **value) {
            put_signed(out, value.wrapping_sub(last(place)));
        }
    }
}
