//! Ranks that were killed: the longest consistent prefixes are simulated, and what is left out is
//! counted.

use panto_sim::replay::{self, Options, Replay};
use panto_trace::{Action, CallForm, Collective, CompletionKind, Peer, Slot};
use proptest::prelude::*;

use crate::support::{WORLD, Writer, collective, complete, ends, plain, receive, with_trace};

/// Replays a program whose ranks were all killed, on one thread and on several.
fn killed(ranks: u32, write: impl Fn(&mut Writer)) -> Replay {
    let stream = |rank| {
        let mut writer = Writer::new(rank, ranks);
        write(&mut writer);
        writer.killed()
    };
    let streams: Vec<Vec<u8>> = (0..ranks).map(stream).collect();
    with_trace(&streams, |trace| {
        let machine = plain(ranks);
        let replay = replay::program(trace, &machine, &Options::default()).expect("a program");
        let on_threads = replay::program_on(trace, &machine, &Options::default(), 3).expect("a program");
        assert_eq!((&on_threads.cut, ends(&on_threads)), (&replay.cut, ends(&replay)));
        replay
    })
}

/// Returns how many calls of each rank are simulated.
fn kept(replay: &Replay, ranks: u32) -> Vec<u64> {
    let cut = replay.cut.as_ref().expect("ranks were killed");
    (0..ranks).map(|rank| cut.kept(rank)).collect()
}

fn barrier(writer: &mut Writer) {
    writer.call("MPI_Barrier", &collective(Collective::Barrier, Peer::Null, 0));
}

#[test]
fn a_message_that_was_not_sent_is_not_received() {
    let replay = killed(2, |w| match w.rank {
        0 => (0..3).for_each(|_| w.send(1, 8)),
        _ => (0..5).for_each(|_| w.receive(-1)),
    });
    assert_eq!(kept(&replay, 2), [3, 3]);
    assert_eq!(replay.warnings, []);
    let said = replay.left_out().remove(0);
    assert!(said.contains("2 of 8 recorded calls (25.0 %) are left out"), "{said}");
    assert!(said.contains("2 of rank 1"), "{said}");
    ends(&replay);
}

#[test]
fn a_message_in_transit_is_counted() {
    let replay = killed(2, |w| match w.rank {
        0 => (0..5).for_each(|_| w.send(1, 8)),
        _ => (0..3).for_each(|_| w.receive(-1)),
    });
    assert_eq!(kept(&replay, 2), [5, 3]);
    let said = replay.left_out();
    assert!(said[0].contains("all 8 recorded calls are simulated"), "{said:?}");
    assert!(said[1].contains("the trace ends before it is received (2 times)"), "{said:?}");
    ends(&replay);
}

/// What follows the last common collective is left out, and what depends on it.
#[test]
fn a_collective_has_all_its_members() {
    let replay = killed(3, |w| match w.rank {
        0 => (0..4).for_each(|_| barrier(w)),
        1 => {
            barrier(w);
            barrier(w);
            w.receive(1);
        }
        _ => {
            (0..3).for_each(|_| barrier(w));
            w.send(-1, 8);
        }
    });
    assert_eq!(kept(&replay, 3), [2, 2, 2]);
    ends(&replay);
}

/// Receives that are posted long before they complete must not pull the cut backwards.
#[test]
fn receives_may_be_posted_in_advance() {
    let rounds = 50;
    let replay = killed(2, |w| {
        let other = 1 - 2 * w.rank as i32;
        let post = |w: &mut Writer, slot| {
            w.call("MPI_Irecv", &receive(CallForm::Immediate, Peer::Relative(other), Some(Slot(slot))));
        };
        post(w, 0);
        for round in 0..rounds + 3 * w.rank {
            post(w, (round + 1) % 2);
            w.send(other, 8);
            let waited = [i64::from(round % 2)];
            w.call("MPI_Wait", &complete(CompletionKind::Wait, &waited, &[0], &[]));
        }
    });
    let per_round = 3;
    // The other rank waits for a message of the first round that this rank has not recorded.
    assert_eq!(kept(&replay, 2), [1 + per_round * 50, 1 + per_round * 50 + 2]);
    ends(&replay);
}

/// The cut may be in the middle of iterations that are read as repetitions.
#[test]
fn repetitions_end_at_the_cut() {
    let replay = killed(2, |w| {
        let other = 1 - 2 * w.rank as i32;
        for _ in 0..[1_000, 617][w.rank as usize] {
            w.send(other, 8);
            w.receive(other);
            barrier(w);
        }
    });
    assert_eq!(kept(&replay, 2), [3 * 617 + 1, 3 * 617]);
    ends(&replay);
}

/// A member that was killed early does not have a communicator that the others have made.
#[test]
fn a_communicator_that_one_member_lacks() {
    let replay = killed(3, |w| {
        barrier(w);
        if w.rank > 0 {
            let comm = Some(w.comm("MPI_Comm_dup", Some(WORLD), &[0, 1, 2]));
            w.call("MPI_Comm_dup", &Action::Communicator { parent: WORLD, comm, request: None });
            barrier(w);
        }
    });
    assert_eq!(kept(&replay, 3), [1, 1, 1]);
    ends(&replay);
}

/// A rank that died before it wrote anything.
#[test]
fn a_rank_without_calls() {
    let replay = killed(2, |w| {
        if w.rank == 0 {
            w.send(1, 8);
            barrier(w);
        }
    });
    assert_eq!(kept(&replay, 2), [1, 0]);
    ends(&replay);
}

/// A step of a random program.
#[derive(Debug, Clone, Copy)]
enum Step {
    Send(u32),
    Receive(u32),
    Barrier,
}

/// Returns the calls of each rank of a random program that was not killed.
fn programs(ranks: u32, steps: &[(u32, u32)]) -> Vec<Vec<Step>> {
    let mut all = vec![Vec::new(); ranks as usize];
    for (from, to) in steps {
        let (from, to) = (from % ranks, to % ranks);
        if from == to {
            for calls in &mut all {
                calls.push(Step::Barrier);
            }
        } else {
            all[from as usize].push(Step::Send(to));
            all[to as usize].push(Step::Receive(from));
        }
    }
    all
}

/// Executes calls as far as they can be executed: the definition of the longest consistent cut.
fn executed(all: &[Vec<Step>]) -> Vec<u64> {
    let ranks = all.len();
    let (mut next, mut sent) = (vec![0; ranks], vec![vec![0_i32; ranks]; ranks]);
    loop {
        let before = next.clone();
        for rank in 0..ranks {
            match all[rank].get(next[rank]) {
                Some(Step::Send(to)) => {
                    sent[rank][*to as usize] += 1;
                    next[rank] += 1;
                }
                Some(Step::Receive(from)) if sent[*from as usize][rank] > 0 => {
                    sent[*from as usize][rank] -= 1;
                    next[rank] += 1;
                }
                _ => {}
            }
        }
        let waits = |rank: usize| matches!(all[rank].get(next[rank]), Some(Step::Barrier));
        if (0..ranks).all(waits) {
            for next in &mut next {
                *next += 1;
            }
        }
        if next == before {
            return next.into_iter().map(|next| next as u64).collect();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn the_cut_is_what_can_be_executed(
        ranks in 2_u32..5,
        steps in prop::collection::vec((0_u32..60, 0_u32..60), 1..60),
        ends_at in prop::collection::vec(0_usize..80, 5),
    ) {
        let mut all = programs(ranks, &steps);
        all.iter_mut().zip(ends_at).for_each(|(calls, end)| calls.truncate(end));
        let replay = killed(ranks, |w| {
            for step in &all[w.rank as usize] {
                let far = |other: u32| other as i32 - w.rank as i32;
                match *step {
                    Step::Send(to) => w.send(far(to), 8),
                    Step::Receive(from) => w.receive(far(from)),
                    Step::Barrier => barrier(w),
                }
            }
        });
        prop_assert_eq!(kept(&replay, ranks), executed(&all));
        ends(&replay);
    }
}
