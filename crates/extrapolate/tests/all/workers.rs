//! A master and workers: the traces deal out work as time had it, the extrapolated trace in turn.

use panto_extrapolate::Error;
use panto_trace::{Action, Builder, CallForm, Collective, Comm, Data, Peer};

use crate::common::{Code, is_exact_from, learn};

const ITEMS: u32 = 90;
const ASK: u32 = 1;
const RESULT: u32 = 2;
const WORK: u32 = 3;
const STOP: u32 = 4;

/// Returns the workers whose messages the master receives, in their order: at random in small runs,
/// as in a real one, and in turn in large ones.
fn turns(ranks: u32, messages: u32) -> Vec<u32> {
    let workers = ranks - 1;
    if ranks >= 32 {
        return (0..messages).map(|message| 1 + message % workers).collect();
    }
    let mut ready: Vec<u32> = (1..ranks).collect();
    let mut random = u64::from(ranks);
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    let mut turns: Vec<u32> = (0..messages - workers).map(|_| ready[next(ready.len())]).collect();
    while !ready.is_empty() {
        turns.push(ready.swap_remove(next(ready.len())));
    }
    turns
}

fn receive_any(builder: &mut Builder, source: u32, tag: u32) {
    let action = Action::Receive {
        form: CallForm::Blocking,
        comm: Comm(0),
        from: Peer::Any,
        datatype: Builder::ELEMENT,
        bytes: 64,
        tag: -1,
        request: None,
        source: source.into(),
        got_tag: tag.into(),
        got_bytes: 64,
    };
    builder.call("MPI_Recv", &action);
}

/// Workers ask for work, and return a result when they ask again, as in `apps/small/wildcards.c`.
fn asked(builder: &mut Builder, ranks: u32) {
    let rank = builder.rank();
    let turns = turns(ranks, ITEMS + ranks - 1);
    let (mut seen, mut given) = (vec![false; ranks as usize], 0);
    for worker in turns {
        let tag = if std::mem::replace(&mut seen[worker as usize], true) { RESULT } else { ASK };
        let reply = if given < ITEMS { WORK } else { STOP };
        given += 1;
        if rank == 0 {
            receive_any(builder, worker, tag);
            builder.send(CallForm::Blocking, worker, reply, 16);
        } else if rank == worker {
            builder.compute(if tag == RESULT { 50_000 } else { 0 });
            builder.send(CallForm::Blocking, 0, tag, 64);
            builder.receive(CallForm::Blocking, Some(0), Some(reply), 16);
        }
    }
    builder.collective("MPI_Barrier", Collective::Barrier, None, 8, &Data::Nothing, &Data::Nothing);
}

/// The master sends a piece to each worker first, and the order to stop to all at the end.
fn supplied(builder: &mut Builder, ranks: u32) {
    let rank = builder.rank();
    let workers = 1..ranks;
    if rank == 0 {
        for worker in workers.clone() {
            builder.send(CallForm::Blocking, worker, WORK, 16);
        }
    } else {
        builder.receive(CallForm::Blocking, Some(0), Some(WORK), 16);
    }
    let (mut left, turns) = (ITEMS, turns(ranks, ITEMS));
    // In a large run the last results arrive in the order of the ranks.
    let last = (ranks >= 32).then(|| workers.clone().collect::<Vec<_>>());
    for (at, worker) in turns.into_iter().enumerate() {
        let ends = left < ranks;
        let worker =
            last.as_ref().filter(|_| ends).map_or(worker, |last| last[at + last.len() - ITEMS as usize]);
        left -= 1;
        if rank == 0 {
            receive_any(builder, worker, RESULT);
            if !ends {
                builder.send(CallForm::Blocking, worker, WORK, 16);
            }
        } else if rank == worker {
            builder.compute(70_000);
            builder.send(CallForm::Blocking, 0, RESULT, 64);
            builder.receive(CallForm::Blocking, Some(0), Some(if ends { STOP } else { WORK }), 16);
        }
    }
    if rank == 0 {
        for worker in workers {
            builder.send(CallForm::Blocking, worker, STOP, 16);
        }
    }
}

/// The origin that the trace has.
const ORIGIN: &str = "4, 8, 16 ranks, work dealt in turn (assumed)";

#[test]
fn workers_that_ask() {
    is_exact_from(asked, &[4, 8, 16], &[32, 64], ORIGIN);
}

#[test]
fn workers_that_are_supplied() {
    is_exact_from(supplied, &[4, 8, 16], &[32, 64], ORIGIN);
}

#[test]
fn assumptions_are_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = learn(folder.path(), asked, &[4, 8]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(program.assumed.len(), 1);
    assert!(
        program.assumed[0].starts_with("MPI_Recv with MPI_ANY_SOURCE on rank 0"),
        "{:?}",
        program.assumed
    );
}

/// Pieces of work with different numbers of bytes cannot be dealt out: the error says so.
#[test]
fn different_pieces_are_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let uneven: Code = |builder, ranks| {
        for (at, worker) in turns(ranks, ITEMS).into_iter().enumerate() {
            let bytes = 8 * (1 + at as u64 % 5);
            if builder.rank() == 0 {
                receive_any(builder, worker, RESULT);
            } else if builder.rank() == worker {
                builder.send(CallForm::Blocking, 0, RESULT, bytes);
            }
        }
    };
    let error = learn(folder.path(), uneven, &[4, 8, 16]).expect_err("no rule");
    assert!(matches!(error, Error::NoRule(_)), "{error}");
    assert!(error.to_string().contains("differ from one piece of work to another"), "{error}");
}
