//! Dependency graph of one rank's operations, and which of them can start.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Dependency, OperationKind, RankSchedule};

/// Operations of one rank with their dependencies and their progress.
pub struct Graph<'a> {
    schedule: &'a RankSchedule,
    /// Dependencies sorted by predecessor: those on operation `i` are
    /// `successors[starts[i]..starts[i + 1]]`.
    successors: Vec<Dependency>,
    starts: Vec<usize>,
    /// Dependencies sorted by successor; those of operation `i` are `predecessors[ends[i]..ends[i +
    /// 1]]`.
    predecessors: Vec<Dependency>,
    ends: Vec<usize>,
    /// Number of predecessors of each operation that have not started.
    left: Vec<u32>,
    /// Number of messages each operation must wait for.
    waits: Vec<u32>,
    /// Number of the messages in `waits` that are not complete.
    missing: Vec<u32>,
    /// Whether a message was started and not waited for.
    pending: Vec<bool>,
    is_complete: Vec<bool>,
    has_begun: Vec<bool>,
    /// Operations that can start without a wait.
    now: BinaryHeap<Reverse<Candidate>>,
    /// Operations that can start after a wait for messages that are complete.
    ready: BinaryHeap<Reverse<Candidate>>,
}

/// An operation that can start. Receives come first: they take no time, and a send above the eager
/// limit waits for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    is_no_receive: bool,
    op: u32,
}

impl<'a> Graph<'a> {
    pub fn new(schedule: &'a RankSchedule) -> Self {
        let count = schedule.operations.len();
        let (successors, starts) = sorted(&schedule.dependencies, count, |dependency| dependency.on);
        let (predecessors, ends) = sorted(&schedule.dependencies, count, |dependency| dependency.of);
        let (mut left, mut waits) = (vec![0; count], vec![0; count]);
        for dependency in &schedule.dependencies {
            left[dependency.of as usize] += 1;
            waits[dependency.of as usize] +=
                u32::from(dependency.complete && is_message(schedule, dependency.on));
        }
        let mut graph = Self {
            schedule,
            successors,
            starts,
            predecessors,
            ends,
            left,
            missing: waits.clone(),
            waits,
            pending: vec![false; count],
            is_complete: vec![false; count],
            has_begun: vec![false; count],
            now: BinaryHeap::new(),
            ready: BinaryHeap::new(),
        };
        (0..count as u32).for_each(|op| graph.offer(op));
        graph
    }

    /// Queues an operation if it can start.
    fn offer(&mut self, op: u32) {
        let index = op as usize;
        if self.left[index] > 0 || self.has_begun[index] {
            return;
        }
        let is_no_receive = !matches!(self.schedule.operations[index].kind, OperationKind::Receive { .. });
        let candidate = Reverse(Candidate { is_no_receive, op });
        if self.waits[index] == 0 {
            self.now.push(candidate);
        } else if self.missing[index] == 0 {
            self.ready.push(candidate);
        }
    }

    /// Removes and returns an operation that can start; `None` if there is none now.
    pub fn next(&mut self) -> Option<u32> {
        loop {
            let Reverse(next) = self.now.pop().or_else(|| self.ready.pop())?;
            // An operation that had to wait may be in both queues.
            if !self.has_begun[next.op as usize] {
                return Some(next.op);
            }
        }
    }

    /// Returns the messages that `op` must wait for and marks them as waited for.
    pub fn wait_for(&mut self, op: u32) -> Vec<u32> {
        let dependencies = &self.predecessors[self.ends[op as usize]..self.ends[op as usize + 1]];
        let mut waits: Vec<u32> = dependencies
            .iter()
            .filter(|dependency| dependency.complete)
            .map(|dependency| dependency.on)
            .collect();
        waits.retain(|on| self.pending[*on as usize]);
        waits.sort_unstable();
        waits.dedup();
        for on in &waits {
            self.pending[*on as usize] = false;
            self.for_each_dependent(*on, |graph, of| graph.waits[of] -= 1);
        }
        waits
    }

    /// Marks a message as complete: it was matched, or counts as buffered.
    pub fn complete(&mut self, op: u32) {
        if is_message(self.schedule, op) && !std::mem::replace(&mut self.is_complete[op as usize], true) {
            self.for_each_dependent(op, |graph, of| graph.missing[of] -= 1);
        }
    }

    /// Applies `change` to the successors that require `on` to be complete, once per dependency.
    fn for_each_dependent(&mut self, on: u32, change: impl Fn(&mut Self, usize)) {
        for place in self.starts[on as usize]..self.starts[on as usize + 1] {
            let dependency = self.successors[place];
            if dependency.complete {
                change(self, dependency.of as usize);
                self.offer(dependency.of);
            }
        }
    }

    /// Starts an operation.
    pub fn begin(&mut self, op: u32) {
        self.has_begun[op as usize] = true;
        self.pending[op as usize] = is_message(self.schedule, op);
        for place in self.starts[op as usize]..self.starts[op as usize + 1] {
            let of = self.successors[place].of;
            self.left[of as usize] -= 1;
            self.offer(of);
        }
    }

    /// Returns messages that were started and never waited for.
    pub fn pending(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.pending).filter(|(_, pending)| **pending).map(|(op, _)| op)
    }

    /// Returns an operation that cannot start because a predecessor cannot: part of a cycle or
    /// successors one.
    pub fn blocked(&self) -> Option<u32> {
        (0..).zip(&self.left).find(|(_, left)| **left > 0).map(|(op, _)| op)
    }
}

fn is_message(schedule: &RankSchedule, op: u32) -> bool {
    !matches!(schedule.operations[op as usize].kind, OperationKind::Calc(_))
}

/// Sorts dependencies by the operation `key` names; returns them with the start of each operation's
/// range.
fn sorted(
    dependencies: &[Dependency],
    count: usize,
    key: impl Fn(&Dependency) -> u32,
) -> (Vec<Dependency>, Vec<usize>) {
    let mut sorted = dependencies.to_vec();
    sorted.sort_by_key(&key);
    let mut starts = vec![0; count + 1];
    for dependency in dependencies {
        starts[key(dependency) as usize + 1] += 1;
    }
    for op in 0..count {
        starts[op + 1] += starts[op];
    }
    (sorted, starts)
}
