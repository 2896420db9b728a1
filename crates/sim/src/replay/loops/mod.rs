//! Loop compression: finds repeated sequences in a stream of operations and stores each once.
//!
//! Most programs iterate, so their traces are tandem repeats. A level reads one operation after the
//! other. It guesses the period from the last occurrence of the same operation, and checks whether
//! what follows keeps to it. Once a sequence has occurred twice, it counts further occurrences. A
//! finished loop is passed to the next level as one operation, which finds loops of loops. An
//! operation takes amortised constant time; memory is bounded by [`WINDOW`] and the output.

mod last_positions;

use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use crate::program::{Op, PackedOp};
use last_positions::LastPositions;

/// The depth of nested loops that are found.
const LEVELS: usize = 3;

/// Operations that a level keeps: periods up to half of this are found.
const WINDOW: usize = 1 << 16;

/// The least number of repeated operations that become a loop.
const MIN_REPEATED: usize = 4;

/// The bodies of loops, each stored once and followed by an end.
#[derive(Default)]
pub struct Bodies {
    ops: Vec<PackedOp>,
    /// The positions of bodies by hash.
    by_hash: FxHashMap<u64, SmallVec<[u32; 1]>>,
}

impl Bodies {
    /// Returns the position of a body, and adds it at its first use.
    pub fn position(&mut self, body: &[PackedOp]) -> u32 {
        let Self { ops, by_hash } = self;
        let positions = by_hash.entry(FxBuildHasher.hash_one(body)).or_default();
        let is_equal = |position: &u32| {
            let stored = &ops[*position as usize..];
            stored.get(..body.len()) == Some(body) && stored.get(body.len()) == Some(&PackedOp::from(Op::End))
        };
        if let Some(position) = positions.iter().copied().find(is_equal) {
            return position;
        }
        let position = ops.len() as u32;
        positions.push(position);
        ops.extend_from_slice(body);
        ops.push(Op::End.into());
        position
    }

    /// The number of operations of all bodies.
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Returns all bodies, one after the other.
    pub fn into_ops(self) -> Vec<PackedOp> {
        self.ops
    }
}

/// Compresses a stream of operations into loops.
#[derive(Default)]
pub struct LoopFolder {
    levels: [Level; LEVELS],
    /// The output of each level, kept for its allocation.
    passed: [Vec<PackedOp>; LEVELS],
    out: Vec<PackedOp>,
    /// The bodies of all loops.
    pub bodies: Bodies,
}

impl LoopFolder {
    /// Reads operations.
    pub fn extend<'a>(&mut self, ops: impl Iterator<Item = &'a PackedOp>) {
        self.pass(ops, 0, false);
    }

    /// Reads the same operations several times, without looking at each of them once they are
    /// recognised as a loop.
    pub fn repeat(&mut self, ops: &[PackedOp], times: u64) {
        for left in (0..times).rev() {
            let before = self.levels[0].progress();
            self.extend(ops.iter());
            if self.levels[0].continue_loop(before, ops.len(), left) {
                return;
            }
        }
    }

    /// Returns the compressed operations and the bodies that they repeat. Positions of bodies are
    /// relative to the first.
    pub fn finish(mut self) -> (Vec<PackedOp>, Bodies) {
        self.pass([].iter(), 0, true);
        (self.out, self.bodies)
    }

    /// The number of operations it holds.
    pub fn len(&self) -> usize {
        self.out.len() + self.bodies.len()
    }

    fn pass<'a>(&mut self, ops: impl Iterator<Item = &'a PackedOp>, depth: usize, ends: bool) {
        if depth == LEVELS {
            self.out.extend(ops);
            return;
        }
        let mut passed = std::mem::take(&mut self.passed[depth]);
        let level = &mut self.levels[depth];
        for op in ops {
            level.push(*op, &mut self.bodies, &mut passed);
        }
        if ends {
            level.end(&mut self.bodies, &mut passed);
        }
        if ends || !passed.is_empty() {
            self.pass_slice(&passed, depth + 1, ends);
        }
        passed.clear();
        self.passed[depth] = passed;
    }

    fn pass_slice(&mut self, ops: &[PackedOp], depth: usize, ends: bool) {
        self.pass(ops.iter(), depth, ends);
    }
}

/// Finds loops whose bodies contain no loops that this level would find.
#[derive(Default)]
struct Level {
    /// Operations that may still become part of a loop.
    tail: Vec<PackedOp>,
    /// The position of the first of them in the stream.
    base: usize,
    last: LastPositions,
    /// The period that is tried; 0 if none.
    period: usize,
    /// The number of consecutive operations that have kept to it.
    run: usize,
    active: Option<ActiveLoop>,
    /// How many loops have begun.
    loops: u64,
    /// Operations to process again, the next one last.
    again: Vec<PackedOp>,
}

/// The state of a level: its loop, the number of iterations, and the position in the current one.
type Progress = Option<(u64, u64, usize)>;

/// A loop that has not ended yet.
struct ActiveLoop {
    body: Vec<PackedOp>,
    times: u64,
    /// The number of operations of its current iteration so far.
    position: usize,
}

impl Level {
    #[inline]
    fn push(&mut self, op: PackedOp, bodies: &mut Bodies, out: &mut Vec<PackedOp>) {
        if let Some(active) = &mut self.active
            && active.accepts(op)
        {
            return;
        }
        self.again.push(op);
        while let Some(op) = self.again.pop() {
            self.process(op, bodies, out);
        }
    }

    fn process(&mut self, op: PackedOp, bodies: &mut Bodies, out: &mut Vec<PackedOp>) {
        let Some(mut active) = self.active.take() else { return self.try_period(op, out) };
        if active.accepts(op) {
            self.active = Some(active);
            return;
        }
        // The operations of an incomplete iteration are processed again.
        self.again.push(op);
        self.again.extend(active.body[..active.position].iter().rev());
        active.close(bodies, out);
    }

    fn try_period(&mut self, op: PackedOp, out: &mut Vec<PackedOp>) {
        let length = self.tail.len();
        let position = self.base + length;
        let before = self.last.exchange(op, &self.tail, self.base);
        let keeps = self.period > 0 && length >= self.period && self.tail[length - self.period] == op;
        if keeps {
            self.run += 1;
        } else {
            self.period = before.map_or(0, |last| position - last);
            self.run = usize::from(before.is_some());
        }
        self.tail.push(op);
        if self.period > 0 && self.run >= MIN_REPEATED && self.run.is_multiple_of(self.period) {
            self.begin_loop(out);
        } else if self.tail.len() == WINDOW {
            self.flush(WINDOW / 2, out);
        }
    }

    fn begin_loop(&mut self, out: &mut Vec<PackedOp>) {
        let length = self.tail.len();
        let body = self.tail[length - self.period..].to_vec();
        let times = (self.run / self.period + 1) as u64;
        out.extend_from_slice(&self.tail[..length - self.run - self.period]);
        self.base += length;
        self.tail.clear();
        (self.period, self.run) = (0, 0);
        self.loops += 1;
        self.active = Some(ActiveLoop { body, times, position: 0 });
    }

    /// Outputs the oldest operations, which are in no loop.
    fn flush(&mut self, count: usize, out: &mut Vec<PackedOp>) {
        out.extend(self.tail.drain(..count));
        self.base += count;
        // A loop can contain only operations that are still in the tail.
        self.run = self.run.min(self.tail.len().saturating_sub(self.period));
    }

    fn progress(&self) -> Progress {
        self.active.as_ref().map(|active| (self.loops, active.times, active.position))
    }

    /// Counts `more` further repetitions of the last `length` operations, if they were whole
    /// iterations of one loop. Returns whether they were.
    fn continue_loop(&mut self, before: Progress, length: usize, more: u64) -> bool {
        let (Some((number, times, position)), Some(active)) = (before, &mut self.active) else {
            return false;
        };
        let iterations = active.times.saturating_sub(times);
        let is_same = number == self.loops && position == active.position;
        let is_whole = is_same && iterations.saturating_mul(active.body.len() as u64) == length as u64;
        if is_whole {
            active.times += iterations * more;
        }
        is_whole
    }

    fn end(&mut self, bodies: &mut Bodies, out: &mut Vec<PackedOp>) {
        if let Some(active) = self.active.take() {
            let rest = active.body[..active.position].to_vec();
            active.close(bodies, out);
            out.extend(rest);
        }
        out.append(&mut self.tail);
    }
}

impl ActiveLoop {
    /// Returns whether this is the next operation of the loop, and counts it.
    #[inline]
    fn accepts(&mut self, op: PackedOp) -> bool {
        if self.body[self.position] != op {
            return false;
        }
        self.position += 1;
        if self.position == self.body.len() {
            self.times += 1;
            self.position = 0;
        }
        true
    }

    fn close(self, bodies: &mut Bodies, out: &mut Vec<PackedOp>) {
        out.push(Op::Repeat { at: bodies.position(&self.body), times: self.times }.into());
    }
}

#[cfg(test)]
mod tests;
