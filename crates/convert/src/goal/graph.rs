//! Dependency graph of one rank's operations, and which of them can start.
//!
//! Both directions of the graph are in compressed sparse rows, built by counting sort: time and
//! memory are linear in operations and dependencies. An operation is queued when the last of its
//! dependencies is met, once in each queue at most.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::matching::NO_CHANNEL;
use super::{Dependency, Operation, OperationKind};

/// Operations of one rank with their dependencies and their progress.
#[derive(Debug, Default)]
pub struct Graph {
    /// Successors of each operation, with the flag [`COMPLETE`].
    successors: Rows,
    /// Messages that each operation requires to be complete.
    required: Rows,
    states: Vec<State>,
    /// Operations that can start without a wait, as [`candidate`] numbers them.
    now: BinaryHeap<Reverse<u32>>,
    /// Operations that can start after a wait for messages that are complete.
    ready: BinaryHeap<Reverse<u32>>,
    /// Buffer of [`wait_for`](Self::wait_for).
    waits: Vec<u32>,
}

/// Progress of an operation.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    /// Number of predecessors that have not started.
    left: u32,
    /// Number of messages that it must wait for.
    waits: u32,
    /// Number of the messages in `waits` that are not complete.
    missing: u32,
    /// Number of the channel of a message, or [`NO_CHANNEL`].
    channel: u32,
    kind: Kind,
    /// Whether it is a message that was started and not waited for.
    is_pending: bool,
    is_complete: bool,
    has_begun: bool,
}

/// Kind of an operation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kind {
    #[default]
    Calc,
    Send,
    Receive,
}

/// Flag on a successor: it requires the operation to be complete, not only started.
const COMPLETE: u32 = 1 << 31;

/// Flag on an operation that can start: it is not a receive. Receives come first: they take no
/// time, and a send above the eager limit waits for them.
const NO_RECEIVE: u32 = 1 << 31;

/// Lists of numbers, one after the other: list `i` is `items[starts[i]..starts[i + 1]]`.
#[derive(Debug, Default)]
struct Rows {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Rows {
    /// Sorts pairs of a list and an item by list; keeps their order within a list.
    fn new(lists: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0_u32; lists + 1];
        for (list, _) in pairs.clone() {
            starts[list as usize + 1] += 1;
        }
        for list in 0..lists {
            starts[list + 1] += starts[list];
        }
        let mut items = vec![0; starts[lists] as usize];
        // Each start moves to the end of its list, which is the start of the next.
        for (list, item) in pairs {
            let place = &mut starts[list as usize];
            items[*place as usize] = item;
            *place += 1;
        }
        starts.copy_within(..lists, 1);
        starts[0] = 0;
        Self { starts, items }
    }

    #[inline]
    fn places(&self, list: u32) -> std::ops::Range<usize> {
        self.starts[list as usize] as usize..self.starts[list as usize + 1] as usize
    }
}

impl Graph {
    pub fn new(operations: &[Operation], dependencies: &[Dependency]) -> Self {
        let count = operations.len();
        let mut states: Vec<State> = operations
            .iter()
            .map(|operation| State { kind: kind(operation), channel: NO_CHANNEL, ..State::default() })
            .collect();
        for dependency in dependencies {
            let is_wait = dependency.is_complete() && states[dependency.on() as usize].kind != Kind::Calc;
            let state = &mut states[dependency.of as usize];
            state.left += 1;
            state.waits += u32::from(is_wait);
            state.missing += u32::from(is_wait);
        }
        let flag = |dependency: &Dependency| if dependency.is_complete() { COMPLETE } else { 0 };
        let successors = Rows::new(
            count,
            dependencies.iter().map(|dependency| (dependency.on(), dependency.of | flag(dependency))),
        );
        let is_wait = |dependency: &&Dependency| {
            dependency.is_complete() && states[dependency.on() as usize].kind != Kind::Calc
        };
        let required = Rows::new(
            count,
            dependencies.iter().filter(is_wait).map(|dependency| (dependency.of, dependency.on())),
        );
        let now = (0..).zip(&states).filter(|(_, state)| state.left == 0);
        let now: Vec<_> = now.map(|(op, state)| candidate(op, state.kind)).collect();
        Self { successors, required, states, now: now.into(), ready: BinaryHeap::new(), waits: Vec::new() }
    }

    /// Returns the kind of an operation.
    #[inline]
    pub fn kind(&self, op: u32) -> Kind {
        self.states[op as usize].kind
    }

    /// Returns the number of the channel of a message.
    #[inline]
    pub fn channel(&self, op: u32) -> u32 {
        self.states[op as usize].channel
    }

    /// Sets the number of the channel of a message.
    pub fn set_channel(&mut self, op: u32, channel: u32) {
        self.states[op as usize].channel = channel;
    }

    /// Queues an operation whose counts changed, if it can start.
    #[inline]
    fn offer(&mut self, op: u32) {
        let state = self.states[op as usize];
        if state.left > 0 || state.has_begun {
            return;
        }
        if state.waits == 0 {
            self.now.push(candidate(op, state.kind));
        } else if state.missing == 0 {
            self.ready.push(candidate(op, state.kind));
        }
    }

    /// Removes and returns an operation that can start; `None` if there is none now.
    #[inline]
    pub fn next(&mut self) -> Option<u32> {
        loop {
            let Reverse(next) = self.now.pop().or_else(|| self.ready.pop())?;
            let op = next & !NO_RECEIVE;
            // An operation that had to wait may be in both queues.
            if !self.states[op as usize].has_begun {
                return Some(op);
            }
        }
    }

    /// Returns the messages that `op` must wait for, sorted, and marks them as waited for.
    #[inline]
    pub fn wait_for(&mut self, op: u32) -> &[u32] {
        self.waits.clear();
        if self.states[op as usize].waits > 0 {
            self.find_waits(op);
        }
        &self.waits
    }

    fn find_waits(&mut self, op: u32) {
        let mut waits = std::mem::take(&mut self.waits);
        for place in self.required.places(op) {
            let on = self.required.items[place];
            if std::mem::take(&mut self.states[on as usize].is_pending) {
                waits.push(on);
            }
        }
        waits.sort_unstable();
        for on in &waits {
            self.for_each_dependent(*on, |state| {
                state.waits -= 1;
                state.waits == 0
            });
        }
        self.waits = waits;
    }

    /// Marks a message as complete: it was matched, or counts as buffered.
    #[inline]
    pub fn complete(&mut self, op: u32) {
        let state = &mut self.states[op as usize];
        if state.kind != Kind::Calc && !std::mem::replace(&mut state.is_complete, true) {
            self.for_each_dependent(op, |state| {
                state.missing -= 1;
                state.missing == 0
            });
        }
    }

    /// Applies `change` to the successors that require `on` to be complete, once per dependency;
    /// offers those for which it returns true.
    #[inline]
    fn for_each_dependent(&mut self, on: u32, change: impl Fn(&mut State) -> bool) {
        for place in self.successors.places(on) {
            let successor = self.successors.items[place];
            let of = successor & !COMPLETE;
            if successor & COMPLETE != 0 && change(&mut self.states[of as usize]) {
                self.offer(of);
            }
        }
    }

    /// Starts an operation.
    #[inline]
    pub fn begin(&mut self, op: u32) {
        let state = &mut self.states[op as usize];
        state.has_begun = true;
        state.is_pending = state.kind != Kind::Calc;
        for place in self.successors.places(op) {
            let of = self.successors.items[place] & !COMPLETE;
            let left = &mut self.states[of as usize].left;
            *left -= 1;
            if *left == 0 {
                self.offer(of);
            }
        }
    }

    /// Returns messages that were started and never waited for.
    pub fn pending(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.states).filter(|(_, state)| state.is_pending).map(|(op, _)| op)
    }

    /// Returns an operation that cannot start because a predecessor cannot: it is part of a cycle,
    /// or follows one.
    pub fn blocked(&self) -> Option<u32> {
        (0..).zip(&self.states).find(|(_, state)| state.left > 0).map(|(op, _)| op)
    }
}

/// Returns the number of an operation in a queue: the lowest starts first.
#[inline]
fn candidate(op: u32, kind: Kind) -> Reverse<u32> {
    Reverse(if kind == Kind::Receive { op } else { op | NO_RECEIVE })
}

fn kind(operation: &Operation) -> Kind {
    match operation.kind {
        OperationKind::Calc(_) => Kind::Calc,
        OperationKind::Send { .. } => Kind::Send,
        OperationKind::Receive { .. } => Kind::Receive,
    }
}
