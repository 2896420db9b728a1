//! Collectives by schedules take as long as the schedule alone.

use panto_machine::{Cost, Machine, Network, Overheads, PerByte, Protocol, Switching, Topology};
use panto_schedule::{Collective, Problem, schedule};
use panto_sim::replay::{self, Options, Replay};
use panto_sim::{Expansion, Sharing};
use panto_trace::{Action, CallForm, CompletionKind, Peer};
use panto_units::Time;

use crate::support::{
    Together, WORLD, Writer, collective, complete, ends, ends_on, operations, replayed, send, streams,
    with_trace,
};

/// A machine on which everything takes time.
fn busy(ranks: u32, protocol: Protocol) -> Machine {
    let per_byte = |seconds: f64| PerByte::from_secs(seconds).expect("a time");
    let ps = Time::from_picos;
    let overheads = Overheads {
        send: Cost::line(ps(100), per_byte(1e-12)),
        receive: Cost::line(ps(200), per_byte(2e-12)),
        immediate: ps(30),
        gap: ps(250),
        control: ps(400),
    };
    let topology = Topology::ring(ranks.max(2).into()).expect("a ring");
    let link = Cost::line(ps(1_000), per_byte(1e-11));
    let network = Network { overheads, ..Network::plain(topology, Switching::Packet, link) };
    let mut machine = Machine { protocol, ..Machine::plain("busy", network) };
    machine.processor.copy = per_byte(3e-12);
    machine.processor.reduce = per_byte(4e-12);
    machine.processor.copies_unexpected = true;
    machine.collectives.barrier_bytes = 16;
    machine
}

const PATTERNS: [(Collective, Collective); 11] = [
    (Collective::Barrier, Collective::Barrier),
    (Collective::Broadcast, Collective::Broadcast),
    (Collective::Gather, Collective::Gather),
    (Collective::Scatter, Collective::Scatter),
    (Collective::Allgather, Collective::Allgather),
    (Collective::Alltoall, Collective::Alltoall),
    (Collective::Reduce, Collective::Reduce),
    (Collective::Allreduce, Collective::Allreduce),
    (Collective::ReduceScatter, Collective::ReduceScatter),
    (Collective::Scan, Collective::Scan),
    (Collective::Exscan, Collective::Exscan),
];

fn one(w: &mut Writer, pattern: Collective, root: u32, bytes: u64) {
    let rooted = [Collective::Broadcast, Collective::Gather, Collective::Scatter, Collective::Reduce]
        .contains(&pattern);
    let peer = if rooted { Peer::Relative(root as i32 - w.rank as i32) } else { Peer::Null };
    w.call("MPI_Collective", &collective(pattern, peer, bytes));
}

fn on(machine: &Machine, ranks: u32, write: impl Fn(&mut Writer)) -> Replay {
    with_trace(&streams(ranks, write), |trace| {
        replay::program(trace, machine, &Options::default()).expect("a program")
    })
}

#[test]
fn each_collective_takes_as_long_as_its_schedule() {
    for protocol in [Protocol::Buffered, Protocol::Eager { limit: 500 }] {
        for ranks in [1, 2, 5, 8] {
            let machine = busy(ranks, protocol);
            for ((pattern, what), count) in
                PATTERNS.into_iter().flat_map(|pattern| [1, 40, 4_000].map(|count| (pattern, count)))
            {
                let root = 2 % ranks;
                let count = if what == Collective::Barrier { 0 } else { count };
                let problem = Problem {
                    collective: what,
                    ranks: ranks as usize,
                    root: if what.rooted() { root as usize } else { 0 },
                    count,
                };
                let steps = schedule(&problem, machine.algorithm(&problem, 8)).expect("a schedule");
                let expansion =
                    Expansion { machine: &machine, sharing: Sharing::None, collective: what, element: 8 };
                let expected = expansion.run(&*steps).expect("an end");
                let replay = on(&machine, ranks, |w| one(w, pattern, root, 8 * count as u64));
                assert_eq!(ends_on(&replay, &machine), expected, "{what} of {count} on {ranks}");
            }
        }
    }
}

#[test]
fn non_commutative_reductions_keep_the_order_of_operands() {
    let machine = busy(6, Protocol::Buffered);
    let reduce = Problem { collective: Collective::ReduceScatter, ranks: 6, root: 0, count: 40 };
    let chosen = schedule(&reduce, machine.algorithm(&reduce, 8)).expect("a schedule");
    assert!(!chosen.keeps_order(), "the test needs a case in which it matters");
    let [orderly, free] = [false, true].map(|commutes| {
        on(&machine, 6, |w| {
            let call = Together { commutes, ..Together::new(Collective::ReduceScatter, 320) };
            w.call("MPI_Reduce_scatter_block", &call.action());
        })
    });
    assert_ne!(orderly.program.codes, free.program.codes);
    ends_on(&orderly, &machine);
}

fn started(pattern: Collective, bytes: u64) -> Together<'static> {
    Together { form: CallForm::Immediate, request: Some(0), ..Together::new(pattern, bytes) }
}

#[test]
fn non_blocking_collectives_overlap_computation() {
    let replay = replayed(4, |w| {
        w.call("MPI_Iallreduce", &started(Collective::Allreduce, 8).action());
        w.after(5_000, "MPI_Wait", &complete(CompletionKind::Wait, &[0], &[0], &[]));
        w.call("MPI_Ibarrier", &started(Collective::Barrier, 0).action());
        w.after(10, "MPI_Wait", &complete(CompletionKind::Wait, &[0], &[0], &[]));
    });
    assert_eq!((replay.program.helper_homes.len(), replay.program.ranks), (8, 4));
    // Two rounds each: the first ends before the computation does, the second does not.
    assert_eq!(ends(&replay), [5_000 + 2_000; 4]);
}

#[test]
fn several_proceed_at_once_in_any_order_of_communicators() {
    let replay = replayed(2, |w| {
        let other = w.comm("MPI_Comm_dup", Some(WORLD), &[0, 1]);
        w.call("MPI_Comm_dup", &Action::Communicator { parent: WORLD, comm: Some(other), request: None });
        let order = if w.rank == 0 { [WORLD, other] } else { [other, WORLD] };
        for (slot, comm) in (0..).zip(order.repeat(3)) {
            let barrier = Together { comm, request: Some(slot), ..started(Collective::Barrier, 0) };
            w.call("MPI_Ibarrier", &barrier.action());
        }
        w.wait_all(&[0, 1, 2, 3, 4, 5]);
    });
    // Creating the communicator is an exchange of four bytes; the barriers all run at the same
    // time.
    assert_eq!(ends(&replay), [1_004 + 1_000; 2]);
    assert!(replay.assumptions.iter().any(|assumed| assumed.contains("creating a communicator")));
}

#[test]
fn persistent_collectives_are_started_in_any_order() {
    let replay = replayed(2, |w| {
        for slot in 0..2 {
            let (form, request) = (CallForm::Persistent, Some(slot));
            let sum =
                Together { form, request, ..Together::new(Collective::Allreduce, 8 + 8 * u64::from(slot)) };
            w.call("MPI_Allreduce_init", &sum.action());
        }
        for _ in 0..3 {
            let order = if w.rank == 0 { [0, 1] } else { [1, 0] };
            w.call("MPI_Startall", &Action::Start { requests: &order });
            w.wait_all(&[0, 1]);
        }
    });
    // The second is as long as two rounds of a half each.
    assert_eq!(ends(&replay), [3 * 2_016; 2]);
}

#[test]
fn data_in_place_is_not_copied() {
    let machine = busy(4, Protocol::Buffered);
    let times = [false, true].map(|in_place| {
        let write = |w: &mut Writer| {
            w.call(
                "MPI_Allgather",
                &Together { in_place, ..Together::new(Collective::Allgather, 800) }.action(),
            );
        };
        ends_on(&on(&machine, 4, write), &machine)[0].as_picos()
    });
    assert_eq!(times[0] - times[1], 2_400);
}

#[test]
fn collectives_do_not_match_point_to_point_messages() {
    let replay = replayed(4, |w| {
        let half = if w.rank % 2 == 0 { [0, 2] } else { [1, 3] };
        let comm = w.comm("MPI_Comm_split", Some(WORLD), &half);
        w.call("MPI_Comm_split", &Action::Communicator { parent: WORLD, comm: Some(comm), request: None });
        let root = Peer::Relative(i32::from(w.rank < 2));
        w.call("MPI_Bcast", &Together { comm, root, ..Together::new(Collective::Broadcast, 96) }.action());
        if w.rank == 2 {
            w.call("MPI_Send", &send(CallForm::Blocking, -2, 8, None));
        } else if w.rank == 0 {
            w.receive(2);
        }
    });
    let all = 2 * 1_004;
    assert_eq!(ends(&replay), [all + 1_096, all + 1_096, all, all]);
    let match_keys: std::collections::BTreeSet<u32> =
        replay.program.channels.iter().map(|channel| channel.match_key).collect();
    assert_eq!(match_keys.len(), 4);
    assert_eq!(operations(&replay.program, 3).len(), operations(&replay.program, 1).len());
}
