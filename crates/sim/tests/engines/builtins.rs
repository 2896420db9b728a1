//! Every built-in machine is plausible.

use panto_machine::{Machine, RankMap, Sharing, builtin};
use panto_schedule::{Collective, Problem, schedule};
use panto_sim::observe::NoObserver;
use panto_sim::program::{Op, SendMode};
use panto_sim::{Expansion, RunConfig, run};
use panto_units::Time;

use crate::ordered::wildcards::{channel, program};

/// Sizes in bytes. On the CM-5 multiples of 16 are faster than others.
const SIZES: [u64; 8] = [0, 16, 96, 128, 1_024, 16_384, 65_536, 1 << 20];

fn all() -> impl Iterator<Item = Machine> {
    let load = |name: &str| Machine::load(name, &[]).unwrap_or_else(|error| panic!("{name}: {error}"));
    builtin::all().iter().map(move |builtin| load(builtin.name))
}

/// Returns when rank 1 has received a message of rank 0, with the ranks on these processors.
fn message(machine: &Machine, processors: [u32; 2], mode: SendMode, bytes: u64) -> Time {
    let mut machine = machine.clone();
    machine.multitasking = true;
    machine.network.map = RankMap::List(processors.to_vec());
    machine.networks.clear();
    let receive = vec![Op::StartReceive { slot: 0, channel: 0 }, Op::Wait { slot: 0 }];
    let ranks = vec![vec![Op::Send { mode, channel: 0, bytes }], receive];
    let program = program(vec![channel(0, 1, 0)], Vec::new(), ranks);
    let config = RunConfig { machine: &machine, sharing: machine.sharing, compute_scales: &[], noise: None };
    let ends = run(&program, &config, &mut NoObserver).expect("no deadlock");
    ends.into_iter().max().expect("two ranks")
}

#[test]
fn longer_messages_take_longer() {
    for machine in all() {
        let times = SIZES.map(|bytes| message(&machine, [0, 1], SendMode::Standard, bytes));
        assert!(times.is_sorted(), "{}: {times:?}", machine.name);
    }
}

#[test]
fn a_message_to_oneself_is_not_slower_than_one_to_another() {
    for machine in all() {
        for bytes in SIZES {
            let [own, other] = [0, 1].map(|to| machine.network.between(0, to, bytes));
            assert!(own <= other, "{}, {bytes} B: {own:?} and {other:?}", machine.name);
        }
    }
}

#[test]
fn a_synchronous_send_is_not_faster_than_a_standard_one() {
    for machine in all() {
        for bytes in SIZES {
            let [standard, synchronous] = [SendMode::Standard, SendMode::Synchronous]
                .map(|mode| message(&machine, [0, 1], mode, bytes));
            assert!(standard <= synchronous, "{}, {bytes} B: {standard:?}, {synchronous:?}", machine.name);
        }
    }
}

#[test]
fn a_broadcast_is_not_faster_than_a_message() {
    for machine in all().filter(|machine| machine.sharing != Sharing::None) {
        for bytes in SIZES {
            let problem = Problem {
                collective: Collective::Broadcast,
                ranks: machine.processors().min(8),
                root: 0,
                count: bytes as usize,
            };
            let steps = schedule(&problem, machine.algorithm(&problem, 1)).expect("a schedule");
            let expansion = Expansion {
                machine: &machine,
                sharing: machine.sharing,
                collective: Collective::Broadcast,
                element: 1,
            };
            let end = expansion.run(&*steps).expect("an end").into_iter().max().expect("ranks");
            let alone = message(&machine, [0, 1], SendMode::Standard, bytes);
            assert!(end >= alone, "{}, {bytes} B: {end:?} and {alone:?}", machine.name);
        }
    }
}
