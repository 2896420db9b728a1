//! Messages that share the ports of their endpoints.

use panto_machine::{Cost, Machine, Network, Nodes, Switching, Topology};
use panto_sim::observe::NoObserver;
use panto_sim::program::{Channel, Op, Program, SendMode};
use panto_sim::{EngineChoice, OrderReason, RunConfig, RunError, Sharing, ahead, choose_engine, ordered};
use panto_units::Time;
use proptest::prelude::*;

use super::against_ahead::broken_programs;
use super::wildcards::{channel, program};
use crate::log::Log;
use crate::machines::{per_byte, ps};
use crate::programs::settings;
use crate::random::{all_machines, programs};

/// A machine on which a message takes 100 ps and 1 ps for each byte. Its flows share links.
fn star(processors: u64) -> Machine {
    let link = Cost::line(ps(100), per_byte(1));
    let topology = Topology::complete(processors).unwrap();
    Machine::plain("star", Network::plain(topology, Switching::Flow { header: 0 }, link))
}

fn config(machine: &Machine) -> RunConfig<'_> {
    RunConfig { machine, sharing: Sharing::Endpoints, compute_scales: &[], noise: None }
}

fn start_send(slot: u32, channel: u32, bytes: u64) -> Op {
    Op::StartSend { mode: SendMode::Standard, slot, channel, bytes }
}

/// Runs a program on both engines, which must agree.
fn ends(machine: &Machine, program: &Program) -> Vec<u64> {
    let config = config(machine);
    let all: Result<Vec<Time>, RunError> = ahead::run(program, &config, &mut NoObserver);
    assert_eq!(all, ordered::run(program, &config, &mut NoObserver));
    all.unwrap().into_iter().map(Time::as_picos).collect()
}

#[test]
fn messages_leave_a_rank_one_after_the_other() {
    let channels = (1..4).map(|to| channel(0, to, 0)).collect();
    let sends = (0..3).map(|to| start_send(to, to, 1_000)).collect();
    let receive = |from: u32| vec![Op::Receive { channel: from }];
    let program = program(channels, Vec::new(), vec![sends, receive(0), receive(1), receive(2)]);
    assert_eq!(ends(&star(4), &program), [0, 1_100, 2_100, 3_100]);
}

/// Of three messages that are waited for together, the last to arrive is the first that is waited
/// for.
#[test]
fn messages_reach_a_rank_one_after_the_other_in_the_order_of_arrival() {
    let channels: Vec<Channel> = (1..4).map(|from| channel(from, 0, 0)).collect();
    let posts = (0..3).map(|from| Op::StartReceive { slot: from, channel: from });
    let waits = (0..3).map(|slot| Op::Wait { slot });
    let late = |by: u64, channel: u32| vec![Op::Compute(ps(by)), start_send(0, channel, 1_000)];
    let ranks = vec![posts.chain(waits).collect(), late(20, 0), late(10, 1), late(0, 2)];
    assert_eq!(ends(&star(4), &program(channels, Vec::new(), ranks))[0], 3_100);
}

/// A short message that arrived long ago is not delayed by a long one that is received before it.
#[test]
fn what_arrived_before_is_not_delayed() {
    let ranks = vec![
        vec![Op::Receive { channel: 0 }, Op::Receive { channel: 1 }],
        vec![Op::Compute(ps(5_000)), start_send(0, 0, 1_000)],
        vec![start_send(0, 1, 10)],
    ];
    let channels = vec![channel(1, 0, 0), channel(2, 0, 0)];
    assert_eq!(ends(&star(3), &program(channels, Vec::new(), ranks))[0], 6_100);
}

/// Both ranks of a node send to another node at once, over one interface.
#[test]
fn ranks_of_a_node_share_its_interface() {
    let mut machine = star(2);
    let interface = Cost::line(ps(0), per_byte(2));
    machine.network.nodes = Some(Nodes { size: 2, interface, inside: Cost::default() });
    let ranks = vec![
        vec![start_send(0, 0, 1_000)],
        vec![start_send(0, 1, 1_000)],
        vec![Op::Receive { channel: 0 }],
        vec![Op::Receive { channel: 1 }],
    ];
    let program = program(vec![channel(0, 2, 0), channel(1, 3, 0)], Vec::new(), ranks);
    let config = config(&machine);
    let reason = OrderReason::SharedInterfaces;
    assert_eq!(choose_engine(&program, &config), EngineChoice::TimeOrdered(reason));
    let ends = panto_sim::run(&program, &config, &mut NoObserver).unwrap();
    // 2,000 ps in either interface and 1,100 ps between them; the second follows 2,000 ps later.
    assert_eq!(ends[2..], [ps(5_100), ps(7_100)]);
}

#[test]
fn interrupts_have_an_engine_of_their_own() {
    let mut machine = star(2);
    machine.processor.interrupts = true;
    let ranks = vec![vec![start_send(0, 0, 10)], vec![Op::Receive { channel: 0 }]];
    let program = program(vec![channel(0, 1, 0)], Vec::new(), ranks);
    let choice = |sharing| choose_engine(&program, &RunConfig { sharing, ..config(&machine) });
    assert_eq!(choice(Sharing::Endpoints), EngineChoice::InterruptDriven);
    assert_eq!(choice(Sharing::None), EngineChoice::RunAhead);
    assert_eq!(choice(Sharing::Links), EngineChoice::TimeOrdered(OrderReason::Contention));
}

/// A message of a random exchange: sender, receiver, bytes, and the computation before it.
type Sent = (u32, u32, u64, u64);

const RANKS: u32 = 5;

/// Returns a program in which every rank posts its receives, sends with computation in between, and
/// waits for everything.
fn exchange(messages: &[Sent]) -> Program {
    let mut channels = Vec::new();
    let mut ranks: Vec<[Vec<Op>; 3]> = vec![Default::default(); RANKS as usize];
    for &(from, to, bytes, before) in messages {
        let number = channels.len() as u32;
        channels.push(channel(from, to, number));
        let [posts, _, waits] = &mut ranks[to as usize];
        let slot = posts.len() as u32;
        posts.push(Op::StartReceive { slot, channel: number });
        waits.push(Op::Wait { slot });
        ranks[from as usize][1]
            .extend([Op::Compute(ps(before)), Op::Send { mode: SendMode::Buffered, channel: number, bytes }]);
    }
    let mut program = program(channels, Vec::new(), ranks.into_iter().map(|ops| ops.concat()).collect());
    program.codes.iter_mut().for_each(|code| code.slots = messages.len() as u32);
    program
}

proptest! {
    #![proptest_config(settings(1_000))]

    /// Where a rank waits for all of its messages at once, the order of arrival is known and both
    /// engines agree. Of messages that arrive at the same time, one engine takes the one that was
    /// sent first and the other the one that is waited for first, so sizes are such that none do.
    #[test]
    fn exchanges_equal_time_order(
        messages in prop::collection::vec((0..RANKS, 1..RANKS, 1..5_000_u64, 0..10_000_u64), 1..20),
        gap in prop::sample::select(vec![0, 700]),
    ) {
        let other = |(from, by, bytes, before): Sent| (from, (from + by) % RANKS, bytes, before);
        let messages: Vec<Sent> = messages.into_iter().map(other).collect();
        let unit = 1 << messages.len();
        let distinct = |(number, (from, to, bytes, before)): (usize, Sent)| {
            (from, to, bytes * unit + (1 << number), before * unit)
        };
        let messages: Vec<Sent> = messages.into_iter().enumerate().map(distinct).collect();
        let mut machine = star(RANKS.into());
        machine.network.overheads.gap = ps(gap * unit);
        ends(&machine, &exchange(&messages));
    }

    /// Ports change when messages are received, never which.
    #[test]
    fn the_same_messages_are_received(machine in all_machines(), program in programs()) {
        let received = |sharing| {
            let mut log = Log::default();
            ahead::run(&program, &RunConfig { sharing, ..config(&machine) }, &mut log).unwrap();
            let names = |rank| log.received(rank).iter().map(|m| (m.channel, m.bytes)).collect::<Vec<_>>();
            (0..program.codes.len()).map(names).collect::<Vec<_>>()
        };
        prop_assert_eq!(received(Sharing::Endpoints), received(Sharing::None));
    }

    /// A rank that waits for several messages may be blocked on another of them, but it is blocked.
    #[test]
    fn the_same_ranks_are_in_a_deadlock(machine in all_machines(), program in broken_programs()) {
        let blocked = |sharing| {
            let ends = ahead::run(&program, &RunConfig { sharing, ..config(&machine) }, &mut NoObserver);
            let Err(RunError::Deadlock(deadlock)) = ends else { return Vec::new() };
            deadlock.blocked.iter().map(|blocked| blocked.rank).collect::<Vec<u32>>()
        };
        prop_assert_eq!(blocked(Sharing::Endpoints), blocked(Sharing::None));
    }
}
