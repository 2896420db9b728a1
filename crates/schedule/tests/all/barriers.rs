//! No rank leaves a barrier before all ranks have entered it.

use std::sync::Arc;

use panto_schedule::check::{Cost, InitialBuffers, run};
use panto_schedule::{Collective, Order, Plan, Schedule, Sizes, Span, Step, algorithms, steps};

use crate::harness::{build, problem};

/// A barrier whose messages carry the set of ranks known to have entered.
struct Telling(Arc<dyn Schedule>);

impl Schedule for Telling {
    fn ranks(&self) -> usize {
        self.0.ranks()
    }

    fn scratch(&self, _rank: usize) -> usize {
        self.ranks() * self.ranks()
    }

    fn rounds(&self, _rank: usize) -> usize {
        1
    }

    fn round(&self, rank: usize, _index: usize, out: &mut Vec<Step>) {
        let ranks = self.ranks();
        let known = Span::output(0, ranks);
        let heard = |from| Span::scratch(from * ranks, ranks);
        let learn = |from| Step::Reduce { from: heard(from), into: known, order: Order::IntoFirst };
        let mut started = Vec::new();
        out.push(Step::Copy { from: Span::input(0, ranks), to: known });
        for step in steps(&*self.0, rank) {
            match step {
                Step::Send { to, .. } => out.push(Step::Send { to, span: known }),
                Step::StartSend { to, .. } => out.push(Step::StartSend { to, span: known }),
                Step::StartReceive { from, .. } => {
                    started.push(from);
                    out.push(Step::StartReceive { from, span: heard(from) });
                }
                Step::Receive { from, .. } => {
                    out.extend([Step::Receive { from, span: heard(from) }, learn(from)]);
                }
                Step::WaitAll => {
                    out.push(Step::WaitAll);
                    out.extend(started.drain(..).map(learn));
                }
                Step::Copy { .. } | Step::Reduce { .. } => panic!("a barrier moves no data"),
            }
        }
    }

    fn keeps_order(&self) -> bool {
        true
    }
}

#[test]
fn every_rank_has_heard_of_every_other() {
    for &algorithm in algorithms(Collective::Barrier) {
        for ranks in 1..=40 {
            let telling = Telling(Arc::from(build(&problem(Collective::Barrier, ranks, 0, 0), algorithm)));
            let sizes = Sizes { input: ranks, output: ranks };
            let plans: Vec<_> = (0..ranks).map(|rank| Plan::new(&telling, rank, sizes).unwrap()).collect();
            let knows_itself = |rank| (0..ranks).map(|other| other == rank).collect();
            let brought = |rank| InitialBuffers { input: knows_itself(rank), output: vec![false; ranks] };
            let brought = (0..ranks).map(brought).collect();
            let cost = Cost { message: 1, element: 0 };
            let outcome = run(&plans, brought, &false, |a, b| a | b, cost).unwrap();
            assert!(outcome.outputs.iter().flatten().all(|&known| known), "{algorithm} on {ranks} ranks");
        }
    }
}
