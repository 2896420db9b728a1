//! A schedule without stacks takes exactly as long as the same schedule on ranks with stacks.

use panto_machine::Machine;
use panto_schedule::{Algorithm, Collective, Problem, algorithms, schedule};
use panto_sim::Expansion;
use panto_transport::simulated::{Endpoint, Sharing};
use panto_transport::{
    AlgorithmChoice, Buffers, PreparedCollective, Result, SUM_F64, Time, Transport, World,
};

use crate::machines::{PROTOCOLS, busy, world};

const ELEMENT: usize = 8;

fn online(machine: &Machine, model: Sharing, problem: Problem, algorithm: Algorithm) -> Vec<Time> {
    let rank = |t: &Endpoint| -> Result<Time> {
        let mut prepared =
            PreparedCollective::new(t, problem, ELEMENT, AlgorithmChoice::Algorithm(algorithm))?;
        let input = vec![0; problem.input_len(t.rank()) * ELEMENT];
        let mut output = vec![0; problem.output_len(t.rank()) * ELEMENT];
        prepared
            .run(t, Buffers { input: &input, output: &mut output, element: ELEMENT, combine: SUM_F64 })?;
        Ok(t.now())
    };
    world(machine.clone(), model).run(problem.ranks, rank).expect("it runs")
}

fn compare(machine: &Machine, model: Sharing) {
    for collective in Collective::ALL {
        for &algorithm in algorithms(collective) {
            for (ranks, count) in [(1, 3), (2, 0), (5, 7), (8, 600)] {
                let count = if collective == Collective::Barrier { 0 } else { count };
                let problem = Problem { collective, ranks, root: ranks / 2, count };
                let steps = schedule(&problem, algorithm).expect("served");
                let expansion = Expansion { machine, sharing: model, collective, element: ELEMENT as u64 };
                let expanded = expansion.run(&*steps).expect("no deadlock");
                let online = online(machine, model, problem, algorithm);
                let protocol = machine.protocol;
                assert_eq!(
                    expanded, online,
                    "{collective} by {algorithm} on {ranks}, {protocol:?}, {model:?}"
                );
            }
        }
    }
}

#[test]
fn stacks_make_no_difference() {
    for protocol in PROTOCOLS {
        compare(&busy(8, protocol), Sharing::None);
        compare(&busy(8, protocol), Sharing::Links);
    }
}

#[test]
fn stacks_make_no_difference_on_shared_processors() {
    let mut machine = busy(3, PROTOCOLS[3]);
    machine.multitasking = true;
    compare(&machine, Sharing::None);
    compare(&machine, Sharing::Links);
}
