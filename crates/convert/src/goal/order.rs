//! From graphs to orders.
//!
//! A rank of a schedule may wait for several messages at once, and go on with whatever comes first. A rank of a trace waits for one thing
//! after the other, and with a bad order two ranks could wait for each other for ever. So all ranks are carried out together, without
//! time: a rank waits for what has come already, and if nothing has, the others go first.

use std::collections::VecDeque;

use super::graph::Graph;
use super::mail::Mail;
use super::{Block, What};

/// What is done next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The operation with this number begins.
    Begin(u32),
    /// These, which were begun, are waited for.
    Wait(Vec<u32>),
}

/// An operation that needs itself in the end: the place of its block, and its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Circle {
    pub block: usize,
    pub operation: u32,
}

/// The order of each rank.
pub struct Orders(Vec<Vec<u32>>);

/// Says of a number that it is waited for; others begin.
const WAITS: u32 = 1 << 31;

/// Puts the operations of all ranks in orders in which everything comes behind what it needs: first what need not wait, then what must and
/// can, otherwise as in the file. `blocks` are those of ranks 0, 1, 2 and so on.
pub fn order(blocks: &[Block]) -> Result<Orders, Circle> {
    let mut play = Play::new(blocks);
    play.run();
    // Nobody can go on. Perhaps senders need not wait for their receivers; else somebody waits for ever, in whatever order.
    for relief in [Play::buffer, Play::give_up] {
        relief(&mut play);
        play.run();
    }
    for (block, graph) in play.graphs.iter().enumerate() {
        if let Some(operation) = graph.stuck() {
            return Err(Circle { block, operation });
        }
    }
    let mut orders = play.orders;
    for (order, graph) in orders.iter_mut().zip(&play.graphs) {
        order.extend(graph.pending().map(|one| one | WAITS));
    }
    Ok(Orders(orders))
}

impl Orders {
    /// What a rank does.
    pub fn steps(&self, block: usize) -> impl Iterator<Item = Step> {
        let mut left = self.0[block].as_slice();
        std::iter::from_fn(move || {
            let waits = left.iter().take_while(|one| *one & WAITS != 0).count();
            if waits > 0 {
                let step = Step::Wait(left[..waits].iter().map(|one| one & !WAITS).collect());
                left = &left[waits..];
                return Some(step);
            }
            let (first, rest) = left.split_first()?;
            left = rest;
            Some(Step::Begin(*first))
        })
    }
}

/// All ranks, carried out together.
struct Play<'a> {
    blocks: &'a [Block],
    graphs: Vec<Graph<'a>>,
    orders: Vec<Vec<u32>>,
    mail: Mail,
    queue: VecDeque<u32>,
    is_queued: Vec<bool>,
    /// Do sends end as soon as they have begun?
    is_buffered: bool,
}

impl<'a> Play<'a> {
    fn new(blocks: &'a [Block]) -> Self {
        Self {
            blocks,
            graphs: blocks.iter().map(Graph::new).collect(),
            orders: vec![Vec::new(); blocks.len()],
            mail: Mail::default(),
            queue: (0..blocks.len() as u32).collect(),
            is_queued: vec![true; blocks.len()],
            is_buffered: false,
        }
    }

    fn run(&mut self) {
        while let Some(rank) = self.queue.pop_front() {
            self.is_queued[rank as usize] = false;
            while let Some(next) = self.graphs[rank as usize].next() {
                let waits = self.graphs[rank as usize].wait_for(next);
                let order = &mut self.orders[rank as usize];
                order.extend(waits.into_iter().map(|one| one | WAITS));
                order.push(next);
                self.graphs[rank as usize].begin(next);
                self.post(rank, next);
            }
        }
    }

    /// A message that meets its other side is complete on both.
    fn post(&mut self, rank: u32, one: u32) {
        let met = match self.blocks[rank as usize].operations[one as usize].what {
            What::Calc(_) => return,
            What::Send { to, tag, .. } => self.mail.send(rank, to, tag, one).map(|receive| (to, receive)),
            What::Receive { from, tag, .. } => self.mail.receive(rank, from, tag, one),
        };
        let is_send = matches!(self.blocks[rank as usize].operations[one as usize].what, What::Send { .. });
        if met.is_some() || is_send && self.is_buffered {
            self.complete(rank, one);
        }
        if let Some((other, theirs)) = met {
            self.complete(other, theirs);
        }
    }

    fn complete(&mut self, rank: u32, one: u32) {
        // A rank beyond the blocks has nothing to do.
        let Some(graph) = self.graphs.get_mut(rank as usize) else { return };
        graph.complete(one);
        if !std::mem::replace(&mut self.is_queued[rank as usize], true) {
            self.queue.push_back(rank);
        }
    }

    /// Sends are complete as soon as they have begun.
    fn buffer(&mut self) {
        self.is_buffered = true;
        for (rank, one) in self.mail.unmatched_sends() {
            self.complete(rank, one);
        }
    }

    /// Everything counts as complete.
    fn give_up(&mut self) {
        for rank in 0..self.blocks.len() as u32 {
            for one in 0..self.blocks[rank as usize].operations.len() as u32 {
                self.complete(rank, one);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Need, Operation};
    use super::*;

    fn block(rank: u32, whats: &[What], needs: &[(u32, u32, bool)]) -> Block {
        let need = |(of, on, complete): &(u32, u32, bool)| Need { of: *of, on: *on, complete: *complete };
        Block {
            rank,
            operations: whats.iter().map(|what| Operation { what: *what, line: 1 }).collect(),
            needs: needs.iter().map(need).collect(),
        }
    }

    fn steps(blocks: &[Block], rank: usize) -> Vec<Step> {
        order(blocks).unwrap_or_else(|circle| panic!("{circle:?}")).steps(rank).collect()
    }

    fn receive(from: u32, tag: u32) -> What {
        What::Receive { from: Some(from), bytes: 1, tag: Some(tag) }
    }

    fn send(to: u32, tag: u32) -> What {
        What::Send { to, bytes: 1, tag }
    }

    #[test]
    fn what_need_not_wait_comes_first() {
        // A send behind a receive, a second receive that needs nothing, and a computation behind the send's start.
        let whats = [receive(0, 0), send(0, 1), receive(0, 2), What::Calc(5)];
        let blocks = [block(0, &whats, &[(1, 0, true), (3, 1, false)])];
        let expected = [
            Step::Begin(0),
            Step::Begin(2),
            Step::Wait(vec![0]),
            Step::Begin(1),
            Step::Begin(3),
            Step::Wait(vec![1, 2]),
        ];
        assert_eq!(steps(&blocks, 0), expected);
    }

    #[test]
    fn one_wait_serves_all() {
        let needs = [(1, 0, true), (2, 0, true), (2, 0, true)];
        let blocks = [block(0, &[receive(0, 0), send(0, 0), send(0, 1)], &needs)];
        let expected =
            [Step::Begin(0), Step::Wait(vec![0]), Step::Begin(1), Step::Begin(2), Step::Wait(vec![1, 2])];
        assert_eq!(steps(&blocks, 0), expected);
    }

    #[test]
    fn later_lines_may_come_first() {
        let blocks = [block(0, &[send(0, 0), What::Calc(1)], &[(0, 1, true)])];
        assert_eq!(steps(&blocks, 0), [Step::Begin(1), Step::Begin(0), Step::Wait(vec![0])]);
    }

    /// In the order of the file, each rank would wait for the other's second chain.
    #[test]
    fn ranks_do_not_wait_for_each_other_in_a_circle() {
        let chains = |other: u32, tags: [u32; 4]| {
            let [one, two, three, four] = tags;
            let whats = [receive(other, one), send(other, two), receive(other, three), send(other, four)];
            (whats, [(1, 0, true), (3, 2, true)])
        };
        // Rank 1 begins with a message on tag 3, which is the second chain of rank 0.
        let (first, needs) = chains(1, [1, 2, 3, 4]);
        let (mut second, mut other_needs) = (vec![send(0, 3)], Vec::new());
        let (whats, shifted) = chains(0, [2, 9, 4, 1]);
        second.extend(whats);
        other_needs.extend(shifted.map(|(of, on, complete)| (of + 1, on + 1, complete)));
        let mut first = first.to_vec();
        first.push(receive(1, 9));
        let blocks = [block(0, &first, &needs), block(1, &second, &other_needs)];
        let waits: Vec<Step> =
            steps(&blocks, 0).into_iter().filter(|step| matches!(step, Step::Wait(_))).collect();
        assert_eq!(waits, [Step::Wait(vec![2]), Step::Wait(vec![0]), Step::Wait(vec![1, 3, 4])]);
    }

    #[test]
    fn wild_cards_take_what_is_there() {
        let any = What::Receive { from: None, bytes: 1, tag: None };
        let blocks = [
            block(0, &[receive(1, 5), What::Calc(1), any, What::Calc(2)], &[(1, 0, true), (3, 2, true)]),
            block(1, &[send(0, 7)], &[]),
        ];
        let waits: Vec<Step> =
            steps(&blocks, 0).into_iter().filter(|step| matches!(step, Step::Wait(_))).collect();
        assert_eq!(waits, [Step::Wait(vec![2]), Step::Wait(vec![0])]);
    }

    #[test]
    fn circles_are_found() {
        let whats = [send(0, 0), send(0, 0), send(0, 0)];
        let refused = |needs: &[(u32, u32, bool)]| order(&[block(0, &whats, needs)]).err();
        assert_eq!(refused(&[(1, 2, true), (2, 1, false)]), Some(Circle { block: 0, operation: 1 }));
        assert_eq!(refused(&[(0, 0, true)]), Some(Circle { block: 0, operation: 0 }));
    }
}
