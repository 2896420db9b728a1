//! Finds loops in a stream of operations, so that a program that repeats itself is kept once.
//!
//! A level looks at one operation after the other. It guesses the period from the last time that the same operation came, and sees
//! whether what follows keeps to it. Once a sequence came twice, it counts how often it comes again. A loop goes on to the next level as one
//! operation, which makes loops of loops; an operation takes constant time, amortised.

use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;

use smallvec::SmallVec;

use crate::program::{Act, Op};

/// Loops inside of loops, so deep.
const LEVELS: usize = 3;

/// Periods up to half of this are found.
const WINDOW: usize = 1 << 16;

/// So many operations must repeat others before that is worth a loop.
const WORTH: usize = 4;

/// What is repeated: sequences, each with an end, each there once.
#[derive(Default)]
pub struct Bodies {
    ops: Vec<Op>,
    known: FxHashMap<u64, SmallVec<[u32; 1]>>,
}

impl Bodies {
    /// The place of a sequence.
    pub fn place(&mut self, body: &[Op]) -> u32 {
        let Self { ops, known } = self;
        let places = known.entry(FxBuildHasher.hash_one(body)).or_default();
        let is_there = |place: &u32| {
            let there = &ops[*place as usize..];
            there.get(..body.len()) == Some(body) && there.get(body.len()) == Some(&Op::from(Act::End))
        };
        if let Some(place) = places.iter().copied().find(is_there) {
            return place;
        }
        let place = ops.len() as u32;
        places.push(place);
        ops.extend_from_slice(body);
        ops.push(Act::End.into());
        place
    }

    /// How many operations there are.
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// All sequences, one behind the other.
    pub fn into_ops(self) -> Vec<Op> {
        self.ops
    }
}

/// A stream of operations as loops.
#[derive(Default)]
pub struct Fold {
    levels: [Level; LEVELS],
    /// What comes out of each level.
    passed: [Vec<Op>; LEVELS],
    out: Vec<Op>,
    /// What is repeated.
    pub bodies: Bodies,
}

impl Fold {
    /// Goes on with these.
    pub fn extend<'a>(&mut self, ops: impl Iterator<Item = &'a Op>) {
        self.pass(ops, 0, false);
    }

    /// The end: the operations that are left, and what they repeat. Places of the latter count from its own beginning.
    pub fn finish(mut self) -> (Vec<Op>, Bodies) {
        self.pass([].iter(), 0, true);
        (self.out, self.bodies)
    }

    /// How many operations it holds.
    pub fn len(&self) -> usize {
        self.out.len() + self.bodies.len()
    }

    fn pass<'a>(&mut self, ops: impl Iterator<Item = &'a Op>, depth: usize, ends: bool) {
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

    fn pass_slice(&mut self, ops: &[Op], depth: usize, ends: bool) {
        self.pass(ops.iter(), depth, ends);
    }
}

/// Finds loops that have no loops inside.
#[derive(Default)]
struct Level {
    /// Operations that may still become part of a loop, and where the first of them is in the stream.
    tail: Vec<Op>,
    base: usize,
    /// Where each operation was last seen; those before `base` do not count.
    last: FxHashMap<Op, usize>,
    /// The period that is tried, and how many operations in a row have kept to it.
    period: usize,
    run: usize,
    looping: Option<Looping>,
    /// Operations to look at again, the next one last.
    again: Vec<Op>,
}

/// A loop that goes on.
struct Looping {
    body: Vec<Op>,
    times: u64,
    /// So many operations of its next round have come.
    come: usize,
}

impl Level {
    #[inline]
    fn push(&mut self, op: Op, bodies: &mut Bodies, out: &mut Vec<Op>) {
        if let Some(looping) = &mut self.looping
            && looping.takes(op)
        {
            return;
        }
        self.again.push(op);
        while let Some(op) = self.again.pop() {
            self.look(op, bodies, out);
        }
    }

    fn look(&mut self, op: Op, bodies: &mut Bodies, out: &mut Vec<Op>) {
        let Some(mut looping) = self.looping.take() else { return self.try_period(op, out) };
        if looping.takes(op) {
            self.looping = Some(looping);
            return;
        }
        // What came of a round that was not finished is looked at again, by itself.
        self.again.push(op);
        self.again.extend(looping.body[..looping.come].iter().rev());
        looping.close(bodies, out);
    }

    fn try_period(&mut self, op: Op, out: &mut Vec<Op>) {
        let length = self.tail.len();
        let position = self.base + length;
        let before = self.last.insert(op, position);
        let keeps = self.period > 0 && length >= self.period && self.tail[length - self.period] == op;
        if keeps {
            self.run += 1;
        } else {
            let known = before.filter(|place| *place >= self.base);
            self.period = known.map_or(0, |place| position - place);
            self.run = usize::from(known.is_some());
        }
        self.tail.push(op);
        if self.period > 0 && self.run >= WORTH && self.run.is_multiple_of(self.period) {
            self.begin_loop(out);
        } else if self.tail.len() == WINDOW {
            self.let_go(WINDOW / 2, out);
        }
    }

    fn begin_loop(&mut self, out: &mut Vec<Op>) {
        let length = self.tail.len();
        let body = self.tail[length - self.period..].to_vec();
        let times = (self.run / self.period + 1) as u64;
        out.extend_from_slice(&self.tail[..length - self.run - self.period]);
        self.base += length;
        self.tail.clear();
        (self.period, self.run) = (0, 0);
        self.looping = Some(Looping { body, times, come: 0 });
    }

    /// The oldest operations are in no loop.
    fn let_go(&mut self, count: usize, out: &mut Vec<Op>) {
        out.extend(self.tail.drain(..count));
        self.base += count;
        // What repeats must still be here, to be kept as a loop.
        self.run = self.run.min(self.tail.len().saturating_sub(self.period));
        if self.last.len() > 2 * WINDOW {
            let base = self.base;
            self.last.retain(|_, place| *place >= base);
        }
    }

    fn end(&mut self, bodies: &mut Bodies, out: &mut Vec<Op>) {
        if let Some(looping) = self.looping.take() {
            let rest = looping.body[..looping.come].to_vec();
            looping.close(bodies, out);
            out.extend(rest);
        }
        out.append(&mut self.tail);
    }
}

impl Looping {
    /// Is this what comes next in it?
    #[inline]
    fn takes(&mut self, op: Op) -> bool {
        if self.body[self.come] != op {
            return false;
        }
        self.come += 1;
        if self.come == self.body.len() {
            self.times += 1;
            self.come = 0;
        }
        true
    }

    fn close(self, bodies: &mut Bodies, out: &mut Vec<Op>) {
        out.push(Act::Repeat { at: bodies.place(&self.body), times: self.times }.into());
    }
}

#[cfg(test)]
mod tests;
