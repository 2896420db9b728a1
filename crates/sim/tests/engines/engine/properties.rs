//! Properties of the event engine that hold for every program.

use panto_machine::{Cost, Machine, Nodes, PerByte, Piece, RankMap};
use panto_sim::{SendProtocol, Sharing};
use panto_units::Time;
use proptest::prelude::*;

use super::driver::drive;
use crate::machines::{Grain, Placement, machines};
use crate::program::{Observation, Op, Program, Run};
use crate::programs::{Features, programs, settings};
use crate::reference::simulate;

const NO_WILDCARDS: Features = Features { wildcards: false, any_tag: false, tests: false, overtaking: false };
const OVERTAKING: Features = Features { overtaking: true, ..NO_WILDCARDS };
const WILDCARDS: Features = Features { wildcards: true, ..NO_WILDCARDS };
const ALL: Features = Features { wildcards: true, any_tag: true, tests: true, overtaking: false };

const MODELS: [Sharing; 2] = [Sharing::None, Sharing::Links];

/// Renumbers the ranks: rank r becomes rank `to[r]`, on the same processor.
fn renumber(machine: &Machine, program: &Program, to: &[u32]) -> (Machine, Program) {
    let rename = |op: &Op| match *op {
        Op::Send { protocol, to: receiver, tag, bytes, key } => {
            Op::Send { protocol, to: to[receiver as usize], tag, bytes, key }
        }
        Op::Receive { source, tag, key } => {
            Op::Receive { source: source.map(|source| to[source as usize]), tag, key }
        }
        op => op,
    };
    let processors = machine.network.processors();
    let mut mapping = vec![0; program.len()];
    let mut ranks = vec![Vec::new(); program.len()];
    for (rank, ops) in program.iter().enumerate() {
        mapping[to[rank] as usize] = machine.network.map.processor(rank, processors);
        ranks[to[rank] as usize] = ops.iter().map(rename).collect();
    }
    let mut machine = machine.clone();
    machine.network.map = RankMap::List(mapping);
    (machine, ranks)
}

/// Returns the run of a renumbered program with the original rank numbers.
fn restore_numbers(run: &Run, to: &[u32]) -> Run {
    let from = |new: u32| to.iter().position(|&number| number == new).unwrap() as u32;
    let rename = |observation: &Observation| match *observation {
        Observation::Message { source, tag, bytes, at, unexpected } => {
            Observation::Message { source: from(source), tag, bytes, at, unexpected }
        }
        Observation::Test(found) => Observation::Test(found),
    };
    Run {
        exits: to.iter().map(|&new| run.exits[new as usize]).collect(),
        observations: to
            .iter()
            .map(|&new| run.observations[new as usize].iter().map(rename).collect())
            .collect(),
    }
}

fn permutations() -> impl Strategy<Value = Vec<u32>> {
    Just((0..8).collect::<Vec<u32>>()).prop_shuffle()
}

/// Returns the machine with all costs doubled.
fn double_costs(machine: &Machine) -> Machine {
    let time = |time: Time| time + time;
    let rate = |rate: PerByte| PerByte::from_secs(2.0 * rate.as_secs()).unwrap();
    let piece =
        |piece: &Piece| Piece { startup: time(piece.startup), per_byte: rate(piece.per_byte), ..*piece };
    let cost = |cost: &Cost| {
        let mut pieces: Vec<Piece> = cost.pieces().map(piece).collect();
        let last = pieces.pop().unwrap();
        Cost::new(pieces, last)
    };
    let mut machine = machine.clone();
    let network = &mut machine.network;
    network.link = cost(&network.link);
    network.setup = cost(&network.setup);
    network.local = cost(&network.local);
    network.flow_rates.iter_mut().for_each(|per_byte| *per_byte = rate(*per_byte));
    let interfaces = |nodes: &Nodes| Nodes {
        size: nodes.size,
        interface: cost(&nodes.interface),
        inside: cost(&nodes.inside),
    };
    network.nodes = network.nodes.as_ref().map(interfaces);
    let overheads = &mut network.overheads;
    overheads.send = cost(&overheads.send);
    overheads.receive = cost(&overheads.receive);
    overheads.immediate = time(overheads.immediate);
    overheads.gap = time(overheads.gap);
    overheads.control = time(overheads.control);
    machine.processor.copy = rate(machine.processor.copy);
    machine.processor.poll = time(machine.processor.poll);
    machine
}

/// Returns the program with all computations doubled.
fn double_computations(program: &Program) -> Program {
    let op = |op: &Op| if let Op::Compute(time) = *op { Op::Compute(time + time) } else { *op };
    program.iter().map(|ops| ops.iter().map(op).collect()).collect()
}

/// Returns the run with all times doubled.
fn double_times(run: &Run) -> Run {
    let double = |observation: &Observation| match *observation {
        Observation::Message { source, tag, bytes, at, unexpected } => {
            Observation::Message { source, tag, bytes, at: at + at, unexpected }
        }
        Observation::Test(found) => Observation::Test(found),
    };
    Run {
        exits: run.exits.iter().map(|exit| exit.map(|exit| exit + exit)).collect(),
        observations: run.observations.iter().map(|all| all.iter().map(double).collect()).collect(),
    }
}

/// Replaces each wildcard by the source whose message it received. The program must not have tests.
fn resolve_wildcards(program: &Program, run: &Run) -> Program {
    let rank = |(ops, observations): (&Vec<Op>, &Vec<Observation>)| {
        let mut resolved = ops.clone();
        let mut observed = observations.iter();
        for (index, op) in ops.iter().enumerate() {
            let started = |key: &u32| {
                ops[..index]
                    .iter()
                    .position(|op| matches!(op, Op::Receive { key: Some(other), .. } if other == key))
            };
            let received = match op {
                Op::Receive { key: None, .. } => Some(index),
                Op::Wait(key) => started(key),
                _ => None,
            };
            if let Some(index) = received
                && let Some(Observation::Message { source: sender, .. }) = observed.next()
                && let Op::Receive { source, .. } = &mut resolved[index]
            {
                *source = Some(*sender);
            }
        }
        resolved
    };
    program.iter().zip(&run.observations).map(rank).collect()
}

/// Generates programs that pass one message from rank to rank, with no other sends.
fn token() -> impl Strategy<Value = Program> {
    let protocol = prop::sample::select(vec![
        SendProtocol::Buffered,
        SendProtocol::NoSpace,
        SendProtocol::Synchronous,
        SendProtocol::Handshake,
        SendProtocol::BufferedHandshake,
        SendProtocol::Rendezvous,
    ]);
    let hop = (0..8_u32, 0..300_u64, protocol, 0..40_u64, any::<bool>());
    (0..8_u32, prop::collection::vec(hop, 1..20)).prop_map(|(mut holder, hops)| {
        let mut program = vec![Vec::new(); 8];
        for (to, bytes, protocol, compute, any_source) in hops {
            if to != holder {
                program[holder as usize].push(Op::Compute(Time::from_picos(compute)));
                program[holder as usize].push(Op::Send { protocol, to, tag: 1, bytes, key: None });
                let source = (!any_source).then_some(holder);
                program[to as usize].push(Op::Receive { source, tag: Some(1), key: None });
                holder = to;
            }
        }
        program
    })
}

proptest! {
    #![proptest_config(settings(1_000))]

    #[test]
    fn renumbering_ranks_renumbers_the_run(
        machine in machines(Grain::Coarse, Placement::Dedicated),
        program in programs(Grain::Coarse, OVERTAKING),
        to in permutations(),
    ) {
        let to: Vec<u32> = to.into_iter().filter(|&rank| (rank as usize) < program.len()).collect();
        let (other, renamed) = renumber(&machine, &program, &to);
        let run = drive(&machine, Sharing::None, &program);
        prop_assert_eq!(restore_numbers(&drive(&other, Sharing::None, &renamed), &to), run);
    }

    /// With wildcards and shared processors, the result is independent of rank numbers only where
    /// no tie is broken by them.
    #[test]
    fn renumbering_ranks_renumbers_the_run_without_ties(
        machine in machines(Grain::Fine, Placement::Shared),
        program in programs(Grain::Fine, WILDCARDS),
        to in permutations(),
    ) {
        prop_assume!(!simulate(&machine, Sharing::None, &program).tied);
        let to: Vec<u32> = to.into_iter().filter(|&rank| (rank as usize) < program.len()).collect();
        let (other, renamed) = renumber(&machine, &program, &to);
        let run = drive(&machine, Sharing::None, &program);
        prop_assert_eq!(restore_numbers(&drive(&other, Sharing::None, &renamed), &to), run);
    }

    #[test]
    fn doubled_costs_double_all_times(
        machine in machines(Grain::Coarse, Placement::Dedicated),
        program in programs(Grain::Coarse, ALL),
    ) {
        let run = drive(&machine, Sharing::None, &program);
        let slow = drive(&double_costs(&machine), Sharing::None, &double_computations(&program));
        prop_assert_eq!(slow, double_times(&run));
    }

    #[test]
    fn doubled_costs_double_all_times_on_shared_processors(
        machine in machines(Grain::Fine, Placement::Shared),
        program in programs(Grain::Fine, NO_WILDCARDS),
    ) {
        let run = drive(&machine, Sharing::None, &program);
        let slow = drive(&double_costs(&machine), Sharing::None, &double_computations(&program));
        prop_assert!(slow.is_near(&double_times(&run), 100), "{:?} is not twice {:?}", slow, run);
    }

    /// The engine matches wildcards on arrival and named receives on sending; both give the same
    /// result.
    #[test]
    fn a_wildcard_equals_the_source_that_it_matches(
        machine in machines(Grain::Coarse, Placement::Dedicated),
        program in programs(Grain::Coarse, WILDCARDS),
    ) {
        for model in MODELS {
            let run = drive(&machine, model, &program);
            if run.exits.iter().all(Option::is_some) {
                prop_assert_eq!(drive(&machine, model, &resolve_wildcards(&program, &run)), run);
            }
        }
    }

    /// A message delayed by contention may be expected and save a copy, so the machine makes no
    /// copies.
    #[test]
    fn contention_makes_no_rank_faster(
        mut machine in machines(Grain::Coarse, Placement::Dedicated),
        program in programs(Grain::Coarse, OVERTAKING),
    ) {
        machine.processor.copies_unexpected = false;
        let fast = drive(&machine, Sharing::None, &program);
        let traffic = drive(&machine, Sharing::Links, &program);
        for (fast, traffic) in fast.exits.iter().zip(&traffic.exits) {
            prop_assert!(fast <= traffic, "{:?} with contention, {:?} without", traffic, fast);
        }
    }

    #[test]
    fn one_message_at_a_time_has_no_contention(
        machine in machines(Grain::Coarse, Placement::Dedicated),
        program in token(),
    ) {
        let fast = drive(&machine, Sharing::None, &program);
        prop_assert!(fast.exits.iter().all(Option::is_some));
        prop_assert_eq!(drive(&machine, Sharing::Links, &program), fast);
    }
}
