//! What the operations of a rank need, and how far it is.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Block, Need, What};

/// The operations of a rank, some of which have begun.
pub struct Graph<'a> {
    block: &'a Block,
    /// Needs by what they are on: those on operation i are `behind[starts[i]..starts[i + 1]]`.
    behind: Vec<Need>,
    starts: Vec<usize>,
    /// The same by what has them.
    ahead: Vec<Need>,
    ends: Vec<usize>,
    /// How many needs of an operation have not begun.
    left: Vec<u32>,
    /// How many messages it must wait for,
    waits: Vec<u32>,
    /// and how many of these are not complete.
    missing: Vec<u32>,
    /// Messages that were begun and not waited for.
    pending: Vec<bool>,
    is_complete: Vec<bool>,
    has_begun: Vec<bool>,
    /// What can begin at once,
    now: BinaryHeap<Reverse<u32>>,
    /// and what can begin after a wait for what is complete.
    ready: BinaryHeap<Reverse<u32>>,
}

impl<'a> Graph<'a> {
    pub fn new(block: &'a Block) -> Self {
        let count = block.operations.len();
        let (behind, starts) = sorted(&block.needs, count, |need| need.on);
        let (ahead, ends) = sorted(&block.needs, count, |need| need.of);
        let (mut left, mut waits) = (vec![0; count], vec![0; count]);
        for need in &block.needs {
            left[need.of as usize] += 1;
            waits[need.of as usize] += u32::from(need.complete && is_message(block, need.on));
        }
        let mut graph = Self {
            block,
            behind,
            starts,
            ahead,
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
        (0..count as u32).for_each(|one| graph.offer(one));
        graph
    }

    /// Puts an operation in its queue if it can begin.
    fn offer(&mut self, one: u32) {
        let index = one as usize;
        if self.left[index] > 0 || self.has_begun[index] {
            return;
        }
        if self.waits[index] == 0 {
            self.now.push(Reverse(one));
        } else if self.missing[index] == 0 {
            self.ready.push(Reverse(one));
        }
    }

    /// What can begin.
    pub fn next(&mut self) -> Option<u32> {
        loop {
            let Reverse(next) = self.now.pop().or_else(|| self.ready.pop())?;
            // One that had to wait may be in both queues.
            if !self.has_begun[next as usize] {
                return Some(next);
            }
        }
    }

    /// The messages that an operation waits for; nobody waits for them again.
    pub fn wait_for(&mut self, one: u32) -> Vec<u32> {
        let needs = &self.ahead[self.ends[one as usize]..self.ends[one as usize + 1]];
        let mut waits: Vec<u32> = needs.iter().filter(|need| need.complete).map(|need| need.on).collect();
        waits.retain(|on| self.pending[*on as usize]);
        waits.sort_unstable();
        waits.dedup();
        for on in &waits {
            self.pending[*on as usize] = false;
            self.behind_complete(*on, |graph, of| graph.waits[of] -= 1);
        }
        waits
    }

    /// A message is complete, as far as anybody can tell.
    pub fn complete(&mut self, one: u32) {
        if is_message(self.block, one) && !std::mem::replace(&mut self.is_complete[one as usize], true) {
            self.behind_complete(one, |graph, of| graph.missing[of] -= 1);
        }
    }

    /// Does something to each operation that needs this one complete, as often as it says so.
    fn behind_complete(&mut self, on: u32, change: impl Fn(&mut Self, usize)) {
        for place in self.starts[on as usize]..self.starts[on as usize + 1] {
            let need = self.behind[place];
            if need.complete {
                change(self, need.of as usize);
                self.offer(need.of);
            }
        }
    }

    /// An operation begins.
    pub fn begin(&mut self, one: u32) {
        self.has_begun[one as usize] = true;
        self.pending[one as usize] = is_message(self.block, one);
        for place in self.starts[one as usize]..self.starts[one as usize + 1] {
            let of = self.behind[place].of;
            self.left[of as usize] -= 1;
            self.offer(of);
        }
    }

    /// Messages that nobody waited for.
    pub fn pending(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.pending).filter(|(_, pending)| **pending).map(|(one, _)| one)
    }

    /// An operation that cannot begin, because something that it needs cannot.
    pub fn stuck(&self) -> Option<u32> {
        (0..).zip(&self.left).find(|(_, left)| **left > 0).map(|(one, _)| one)
    }
}

fn is_message(block: &Block, one: u32) -> bool {
    !matches!(block.operations[one as usize].what, What::Calc(_))
}

/// Needs by an operation, and where those of each begin.
fn sorted(needs: &[Need], count: usize, by: impl Fn(&Need) -> u32) -> (Vec<Need>, Vec<usize>) {
    let mut sorted = needs.to_vec();
    sorted.sort_by_key(&by);
    let mut starts = vec![0; count + 1];
    for need in needs {
        starts[by(need) as usize + 1] += 1;
    }
    for one in 0..count {
        starts[one + 1] += starts[one];
    }
    (sorted, starts)
}
