//! Linearization of the dependency graphs: one sequence of operations and waits per rank.
//!
//! A rank of a schedule may wait for several messages at once and continue with whichever arrives
//! first. A rank of a trace waits for one after the other, and with an unfortunate sequence two
//! ranks would wait for each other: a deadlock that the schedule does not have. So all ranks are
//! executed together, without time: a rank waits only for messages that have been matched, and
//! yields to the other ranks if there is none.

use std::collections::VecDeque;

use super::graph::{Graph, Kind};
use super::matching::{Channel, Items, NO_CHANNEL, Queue, Unmatched, number_channels};
use super::{OperationKind, RankSchedule};

/// One entry of a rank's sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// The operation with this number starts.
    Begin(u32),
    /// The rank waits for these operations, which were started before; their numbers have the flag
    /// [`WAITS`].
    Wait(&'a [u32]),
}

/// An operation that depends on itself, directly or through others: index of its schedule, and its
/// number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cycle {
    pub schedule: usize,
    pub operation: u32,
}

/// The sequence of each rank, encoded with [`WAITS`].
pub struct Orders(Vec<Vec<u32>>);

/// Flag on an operation number: the entry is a wait. Entries without it start the operation.
pub const WAITS: u32 = 1 << 31;

/// Orders the operations of all ranks so that each follows what it depends on: first operations
/// that need not wait, then those whose messages are matched, otherwise as in the file.
/// `schedules[i]` is that of rank `i`; its graph is used up.
pub fn order(schedules: &mut [RankSchedule], threads: usize) -> Result<Orders, Cycle> {
    let channels = number_channels(schedules, threads);
    let graphs = schedules.iter_mut().map(|schedule| std::mem::take(&mut schedule.graph)).collect();
    let mut execution = Execution::new(schedules, graphs, channels);
    execution.run();
    // No rank can proceed. Complete sends without their receives (buffering); if that does not
    // help, the schedule deadlocks in any order, and every operation counts as complete.
    for assume in [Execution::buffer, Execution::complete_all] {
        if execution.is_finished() {
            break;
        }
        assume(&mut execution);
        execution.run();
    }
    for (schedule, graph) in execution.graphs.iter().enumerate() {
        if let Some(operation) = graph.blocked() {
            return Err(Cycle { schedule, operation });
        }
    }
    let mut orders = execution.orders;
    for (order, graph) in orders.iter_mut().zip(&execution.graphs) {
        order.extend(graph.pending().map(|op| op | WAITS));
    }
    Ok(Orders(orders))
}

impl Orders {
    /// Returns the sequence of one rank, with consecutive waits joined.
    pub fn steps(&self, schedule: usize) -> impl Iterator<Item = Step<'_>> {
        let is_same_step = |one: &u32, other: &u32| one & other & WAITS != 0;
        self.0[schedule].chunk_by(is_same_step).map(|entries| match entries {
            [op] if op & WAITS == 0 => Step::Begin(*op),
            _ => Step::Wait(entries),
        })
    }
}

/// All ranks, executed together without time.
struct Execution<'a> {
    schedules: &'a [RankSchedule],
    graphs: Vec<Graph>,
    orders: Vec<Vec<u32>>,
    unmatched: Unmatched,
    /// Operations of each rank that were matched since it was last executed: its graph is in cache
    /// then.
    matched: Vec<Queue>,
    matched_items: Items,
    queue: VecDeque<u32>,
    is_queued: Vec<bool>,
    /// Number of operations that have not started.
    left: u64,
    /// Whether sends complete as soon as they start.
    is_buffered: bool,
}

impl<'a> Execution<'a> {
    fn new(schedules: &'a [RankSchedule], graphs: Vec<Graph>, channels: Vec<Channel>) -> Self {
        let order = |schedule: &RankSchedule| Vec::with_capacity(schedule.operations.len() * 3 / 2);
        Self {
            schedules,
            graphs,
            orders: schedules.iter().map(order).collect(),
            unmatched: Unmatched::new(channels, schedules.len()),
            matched: vec![Queue::default(); schedules.len()],
            matched_items: Items::default(),
            queue: (0..schedules.len() as u32).collect(),
            is_queued: vec![true; schedules.len()],
            left: schedules.iter().map(|schedule| schedule.operations.len() as u64).sum(),
            is_buffered: false,
        }
    }

    fn is_finished(&self) -> bool {
        self.left == 0
    }

    fn run(&mut self) {
        while let Some(rank) = self.queue.pop_front() {
            self.is_queued[rank as usize] = false;
            while let Some(op) = self.matched_items.pop(&mut self.matched[rank as usize]) {
                self.graphs[rank as usize].complete(op);
            }
            while let Some(next) = self.graphs[rank as usize].next() {
                let graph = &mut self.graphs[rank as usize];
                let order = &mut self.orders[rank as usize];
                order.extend(graph.wait_for(next).iter().map(|op| op | WAITS));
                order.push(next);
                graph.begin(next);
                self.left -= 1;
                self.post(rank, next);
            }
        }
    }

    /// Posts an operation; a matched message is complete on both ranks.
    #[inline]
    fn post(&mut self, rank: u32, op: u32) {
        let graph = &self.graphs[rank as usize];
        let (kind, channel) = (graph.kind(op), graph.channel(op));
        if kind == Kind::Calc {
            return;
        }
        let is_send = kind == Kind::Send;
        let met = if channel == NO_CHANNEL {
            self.post_without_channel(rank, op)
        } else {
            self.unmatched.post(channel, op, is_send)
        };
        if met.is_some() || is_send && self.is_buffered {
            self.complete(rank, op);
        }
        match met {
            Some((other, theirs)) if other == rank => self.complete(other, theirs),
            Some((other, theirs)) => {
                self.matched_items.push(&mut self.matched[other as usize], theirs);
                self.enqueue(other);
            }
            None => {}
        }
    }

    fn post_without_channel(&mut self, rank: u32, op: u32) -> Option<(u32, u32)> {
        match self.schedules[rank as usize].operations[op as usize].kind {
            OperationKind::Calc(_) => None,
            OperationKind::Send { to, tag, .. } => {
                self.unmatched.send(rank, to, tag, op).map(|receive| (to, receive))
            }
            OperationKind::Receive { from, tag, .. } => self.unmatched.receive(rank, from, tag, op),
        }
    }

    fn complete(&mut self, rank: u32, op: u32) {
        self.graphs[rank as usize].complete(op);
        self.enqueue(rank);
    }

    fn enqueue(&mut self, rank: u32) {
        if !std::mem::replace(&mut self.is_queued[rank as usize], true) {
            self.queue.push_back(rank);
        }
    }

    /// From now on sends complete as soon as they start.
    fn buffer(&mut self) {
        self.is_buffered = true;
        for (rank, op) in self.unmatched.unmatched_sends() {
            self.complete(rank, op);
        }
    }

    /// Marks every operation as complete.
    fn complete_all(&mut self) {
        for rank in 0..self.schedules.len() as u32 {
            for op in 0..self.schedules[rank as usize].operations.len() as u32 {
                self.complete(rank, op);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Dependency, Operation, Origin};
    use super::*;

    /// A step with numbers as in the schedule.
    #[derive(Debug, PartialEq, Eq)]
    enum Step {
        Begin(u32),
        Wait(Vec<u32>),
    }

    fn schedule(rank: u32, kinds: &[OperationKind], dependencies: &[(u32, u32, bool)]) -> RankSchedule {
        let dependency = |(of, on, complete): &(u32, u32, bool)| Dependency::new(*of, *on, *complete);
        let operations: Vec<Operation> =
            kinds.iter().map(|kind| Operation { kind: *kind, line: 1 }).collect();
        let dependencies: Vec<Dependency> = dependencies.iter().map(dependency).collect();
        RankSchedule::new(rank, operations, &dependencies, Origin::Lines(0))
    }

    fn steps(mut schedules: impl AsMut<[RankSchedule]>, rank: usize) -> Vec<Step> {
        let orders = order(schedules.as_mut(), 1).unwrap_or_else(|cycle| panic!("{cycle:?}"));
        let step = |step: super::Step<'_>| match step {
            super::Step::Begin(op) => Step::Begin(op),
            super::Step::Wait(ops) => Step::Wait(ops.iter().map(|op| op & !WAITS).collect()),
        };
        orders.steps(rank).map(step).collect()
    }

    fn receive(from: u32, tag: u32) -> OperationKind {
        OperationKind::Receive { from: Some(from), bytes: 1, tag: Some(tag) }
    }

    fn send(to: u32, tag: u32) -> OperationKind {
        OperationKind::Send { to, bytes: 1, tag }
    }

    #[test]
    fn operations_without_waits_come_first() {
        // A send behind a receive, a receive without dependencies, and a computation behind the
        // send's start.
        let kinds = [receive(0, 0), send(0, 1), receive(0, 2), OperationKind::Calc(5)];
        let schedules = [schedule(0, &kinds, &[(1, 0, true), (3, 1, false)])];
        let expected = [
            Step::Begin(0),
            Step::Begin(2),
            Step::Wait(vec![0]),
            Step::Begin(1),
            Step::Begin(3),
            Step::Wait(vec![1, 2]),
        ];
        assert_eq!(steps(schedules, 0), expected);
    }

    #[test]
    fn one_wait_serves_all_successors() {
        let dependencies = [(1, 0, true), (2, 0, true), (2, 0, true)];
        let schedules = [schedule(0, &[receive(0, 0), send(0, 0), send(0, 1)], &dependencies)];
        let expected =
            [Step::Begin(0), Step::Wait(vec![0]), Step::Begin(1), Step::Begin(2), Step::Wait(vec![1, 2])];
        assert_eq!(steps(schedules, 0), expected);
    }

    #[test]
    fn dependencies_may_refer_to_later_lines() {
        let schedules = [schedule(0, &[send(0, 0), OperationKind::Calc(1)], &[(0, 1, true)])];
        assert_eq!(steps(schedules, 0), [Step::Begin(1), Step::Begin(0), Step::Wait(vec![0])]);
    }

    /// In the order of the file, each rank would wait for the other's second chain: a deadlock.
    #[test]
    fn sequences_do_not_deadlock() {
        let chains = |other: u32, tags: [u32; 4]| {
            let [one, two, three, four] = tags;
            let kinds = [receive(other, one), send(other, two), receive(other, three), send(other, four)];
            (kinds, [(1, 0, true), (3, 2, true)])
        };
        // Rank 1 starts with a message on tag 3, which is the second chain of rank 0.
        let (first, dependencies) = chains(1, [1, 2, 3, 4]);
        let (mut second, mut other_dependencies) = (vec![send(0, 3)], Vec::new());
        let (kinds, shifted) = chains(0, [2, 9, 4, 1]);
        second.extend(kinds);
        other_dependencies.extend(shifted.map(|(of, on, complete)| (of + 1, on + 1, complete)));
        let mut first = first.to_vec();
        first.push(receive(1, 9));
        let schedules = [schedule(0, &first, &dependencies), schedule(1, &second, &other_dependencies)];
        let waits: Vec<Step> =
            steps(schedules, 0).into_iter().filter(|step| matches!(step, Step::Wait(_))).collect();
        assert_eq!(waits, [Step::Wait(vec![2]), Step::Wait(vec![0]), Step::Wait(vec![1, 3, 4])]);
    }

    #[test]
    fn wildcards_match_posted_sends() {
        let any = OperationKind::Receive { from: None, bytes: 1, tag: None };
        let schedules = [
            schedule(
                0,
                &[receive(1, 5), OperationKind::Calc(1), any, OperationKind::Calc(2)],
                &[(1, 0, true), (3, 2, true)],
            ),
            schedule(1, &[send(0, 7)], &[]),
        ];
        let waits: Vec<Step> =
            steps(schedules, 0).into_iter().filter(|step| matches!(step, Step::Wait(_))).collect();
        assert_eq!(waits, [Step::Wait(vec![2]), Step::Wait(vec![0])]);
    }

    #[test]
    fn cycles_are_found() {
        let kinds = [send(0, 0), send(0, 0), send(0, 0)];
        let refused =
            |dependencies: &[(u32, u32, bool)]| order(&mut [schedule(0, &kinds, dependencies)], 1).err();
        assert_eq!(refused(&[(1, 2, true), (2, 1, false)]), Some(Cycle { schedule: 0, operation: 1 }));
        assert_eq!(refused(&[(0, 0, true)]), Some(Cycle { schedule: 0, operation: 0 }));
    }
}
