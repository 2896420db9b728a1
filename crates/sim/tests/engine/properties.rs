//! What holds whatever the program.

use panto_machine::{Cost, Machine, Map, Nodes, PerByte, Piece};
use panto_sim::{Manner, Model};
use panto_units::Time;
use proptest::prelude::*;

use crate::driver::drive;
use crate::machines::{Grain, Room, machines};
use crate::program::{Op, Program, Run, Saw};
use crate::programs::{Words, programs, settings};
use crate::reference::simulate;

const NAMED: Words = Words { wild: false, any_tag: false, tests: false, overtaking: false };
const OVERTAKING: Words = Words { overtaking: true, ..NAMED };
const WILD: Words = Words { wild: true, ..NAMED };
const ALL: Words = Words { wild: true, any_tag: true, tests: true, overtaking: false };

const MODELS: [Model; 2] = [Model::Fast, Model::Traffic];

/// Rank r becomes rank `to[r]`, on the same processor.
fn renumbered(machine: &Machine, program: &Program, to: &[u32]) -> (Machine, Program) {
    let rename = |op: &Op| match *op {
        Op::Send { manner, to: receiver, tag, bytes, later } => {
            Op::Send { manner, to: to[receiver as usize], tag, bytes, later }
        }
        Op::Receive { source, tag, later } => {
            Op::Receive { source: source.map(|source| to[source as usize]), tag, later }
        }
        op => op,
    };
    let processors = machine.network.processors();
    let mut places = vec![0; program.len()];
    let mut ranks = vec![Vec::new(); program.len()];
    for (rank, ops) in program.iter().enumerate() {
        places[to[rank] as usize] = machine.network.map.processor(rank, processors);
        ranks[to[rank] as usize] = ops.iter().map(rename).collect();
    }
    let mut machine = machine.clone();
    machine.network.map = Map::List(places);
    (machine, ranks)
}

/// The run of the renumbered program, with the old numbers.
fn numbered_back(run: &Run, to: &[u32]) -> Run {
    let from = |new: u32| to.iter().position(|&number| number == new).unwrap() as u32;
    let rename = |saw: &Saw| match *saw {
        Saw::Message { source, tag, bytes, at, unexpected } => {
            Saw::Message { source: from(source), tag, bytes, at, unexpected }
        }
        Saw::Test(found) => Saw::Test(found),
    };
    Run {
        exits: to.iter().map(|&new| run.exits[new as usize]).collect(),
        saw: to.iter().map(|&new| run.saw[new as usize].iter().map(rename).collect()).collect(),
    }
}

fn permutations() -> impl Strategy<Value = Vec<u32>> {
    Just((0..8).collect::<Vec<u32>>()).prop_shuffle()
}

/// All times twice as long.
fn slower(machine: &Machine) -> Machine {
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

fn longer(program: &Program) -> Program {
    let op = |op: &Op| if let Op::Compute(time) = *op { Op::Compute(time + time) } else { *op };
    program.iter().map(|ops| ops.iter().map(op).collect()).collect()
}

fn twice(run: &Run) -> Run {
    let saw = |saw: &Saw| match *saw {
        Saw::Message { source, tag, bytes, at, unexpected } => {
            Saw::Message { source, tag, bytes, at: at + at, unexpected }
        }
        Saw::Test(found) => Saw::Test(found),
    };
    Run {
        exits: run.exits.iter().map(|exit| exit.map(|exit| exit + exit)).collect(),
        saw: run.saw.iter().map(|all| all.iter().map(saw).collect()).collect(),
    }
}

/// Each wild card gets the name of the rank whose message it received. The program has no tests.
fn named(program: &Program, run: &Run) -> Program {
    let rank = |(ops, saw): (&Vec<Op>, &Vec<Saw>)| {
        let mut named = ops.clone();
        let mut seen = saw.iter();
        for (place, op) in ops.iter().enumerate() {
            let started = |name: &u32| {
                ops[..place]
                    .iter()
                    .position(|op| matches!(op, Op::Receive { later: Some(other), .. } if other == name))
            };
            let received = match op {
                Op::Receive { later: None, .. } => Some(place),
                Op::Wait(name) => started(name),
                _ => None,
            };
            if let Some(place) = received
                && let Some(Saw::Message { source: sender, .. }) = seen.next()
                && let Op::Receive { source, .. } = &mut named[place]
            {
                *source = Some(*sender);
            }
        }
        named
    };
    program.iter().zip(&run.saw).map(rank).collect()
}

/// A message goes from rank to rank, and nobody else sends.
fn token() -> impl Strategy<Value = Program> {
    let manner = prop::sample::select(vec![
        Manner::Buffered,
        Manner::NoSpace,
        Manner::Synchronous,
        Manner::Handshake,
        Manner::Rendezvous,
    ]);
    let hop = (0..8_u32, 0..300_u64, manner, 0..40_u64, any::<bool>());
    (0..8_u32, prop::collection::vec(hop, 1..20)).prop_map(|(mut holder, hops)| {
        let mut program = vec![Vec::new(); 8];
        for (to, bytes, manner, compute, wild) in hops {
            if to != holder {
                program[holder as usize].push(Op::Compute(Time::from_picos(compute)));
                program[holder as usize].push(Op::Send { manner, to, tag: 1, bytes, later: None });
                let source = (!wild).then_some(holder);
                program[to as usize].push(Op::Receive { source, tag: Some(1), later: None });
                holder = to;
            }
        }
        program
    })
}

proptest! {
    #![proptest_config(settings(1_000))]

    #[test]
    fn numbers_are_names(
        machine in machines(Grain::Coarse, Room::Enough),
        program in programs(Grain::Coarse, OVERTAKING),
        to in permutations(),
    ) {
        let to: Vec<u32> = to.into_iter().filter(|&rank| (rank as usize) < program.len()).collect();
        let (other, renamed) = renumbered(&machine, &program, &to);
        let run = drive(&machine, Model::Fast, &program);
        prop_assert_eq!(numbered_back(&drive(&other, Model::Fast, &renamed), &to), run);
    }

    /// Where nothing is decided by a tie, that holds for all programs.
    #[test]
    fn numbers_are_names_without_ties(
        machine in machines(Grain::Fine, Room::Short),
        program in programs(Grain::Fine, WILD),
        to in permutations(),
    ) {
        prop_assume!(!simulate(&machine, Model::Fast, &program).tied);
        let to: Vec<u32> = to.into_iter().filter(|&rank| (rank as usize) < program.len()).collect();
        let (other, renamed) = renumbered(&machine, &program, &to);
        let run = drive(&machine, Model::Fast, &program);
        prop_assert_eq!(numbered_back(&drive(&other, Model::Fast, &renamed), &to), run);
    }

    #[test]
    fn twice_as_slow(machine in machines(Grain::Coarse, Room::Enough), program in programs(Grain::Coarse, ALL)) {
        let run = drive(&machine, Model::Fast, &program);
        prop_assert_eq!(drive(&slower(&machine), Model::Fast, &longer(&program)), twice(&run));
    }

    #[test]
    fn twice_as_slow_on_shared_processors(
        machine in machines(Grain::Fine, Room::Short),
        program in programs(Grain::Fine, NAMED),
    ) {
        let run = drive(&machine, Model::Fast, &program);
        let slow = drive(&slower(&machine), Model::Fast, &longer(&program));
        prop_assert!(slow.is_near(&twice(&run), 100), "{:?} is not twice {:?}", slow, run);
    }

    /// A rank that takes messages as they come is matched otherwise than one that names them, with the same result.
    #[test]
    fn a_wild_card_is_the_name_that_it_finds(
        machine in machines(Grain::Coarse, Room::Enough),
        program in programs(Grain::Coarse, WILD),
    ) {
        for model in MODELS {
            let run = drive(&machine, model, &program);
            if run.exits.iter().all(Option::is_some) {
                prop_assert_eq!(drive(&machine, model, &named(&program, &run)), run);
            }
        }
    }

    /// A message that comes later may save a copy, so here none is made.
    #[test]
    fn traffic_makes_nobody_faster(
        mut machine in machines(Grain::Coarse, Room::Enough),
        program in programs(Grain::Coarse, OVERTAKING),
    ) {
        machine.processor.copies_unexpected = false;
        let fast = drive(&machine, Model::Fast, &program);
        let traffic = drive(&machine, Model::Traffic, &program);
        for (fast, traffic) in fast.exits.iter().zip(&traffic.exits) {
            prop_assert!(fast <= traffic, "{:?} in traffic, {:?} without", traffic, fast);
        }
    }

    #[test]
    fn one_message_at_a_time_meets_nobody(machine in machines(Grain::Coarse, Room::Enough), program in token()) {
        let fast = drive(&machine, Model::Fast, &program);
        prop_assert!(fast.exits.iter().all(Option::is_some));
        prop_assert_eq!(drive(&machine, Model::Traffic, &program), fast);
    }
}
