//! Loops are stored once and give the same result.

use panto_sim::program::Op;
use panto_trace::{CallForm, Collective, Peer};
use panto_units::Time;

use crate::support::{Writer, acts, collective, ends, receive, replayed, send};

/// A ring with a sum every third round; every computation takes a different time.
fn ring(w: &mut Writer, rounds: u64) {
    let (own, last) = (w.rank, w.ranks - 1);
    let (next, before) =
        (if own == last { -(last as i32) } else { 1 }, if own == 0 { last as i32 } else { -1 });
    for round in 0..rounds {
        w.irecv(Peer::Relative(before), 0);
        w.after(100 + round * 7 % 31, "MPI_Send", &send(CallForm::Blocking, next, 40, None));
        w.wait_all(&[0]);
        if round % 3 == 2 {
            w.call("MPI_Allreduce", &collective(Collective::Allreduce, Peer::Null, 8));
        }
    }
}

#[test]
fn a_long_iteration_is_stored_once() {
    let replay = replayed(4, |w| ring(w, 30_000));
    for code in &replay.program.codes {
        assert!(code.ops.len() < 60, "{}", code.ops.len());
        assert_eq!(code.times.len(), 100_000);
    }
}

#[test]
fn loops_take_as_long_as_their_iterations() {
    let replay = replayed(4, |w| ring(w, 90));
    // All ranks are equal and the slowest round decides: computation, the message, two rounds of
    // the sum.
    let compute: u64 = (0..90).map(|round| 100 + round * 7 % 31).sum();
    assert_eq!(ends(&replay), [compute + 90 * 1_040 + 30 * 2 * 1_008; 4]);
    let calls = acts(&replay.program, 2).iter().filter(|act| matches!(act, Op::Call { .. })).count();
    assert_eq!(calls, 90 * 3 + 30);
}

#[test]
fn equal_computations_need_no_list() {
    let replay = replayed(2, |w| {
        for _ in 0..100 {
            match w.rank {
                0 => w.after(7, "MPI_Send", &send(CallForm::Blocking, 1, 8, None)),
                _ => w.after(9, "MPI_Recv", &receive(CallForm::Blocking, Peer::Relative(-1), None)),
            }
        }
    });
    assert!(replay.program.codes.iter().all(|code| code.times.is_empty() && code.ops.len() < 8));
    assert_eq!(acts(&replay.program, 0)[198], Op::Call { call: 0, before: Time::from_nanos(7) });
    // From the second message on the receiver is late.
    assert_eq!(ends(&replay), [700, 7 + 1_008 + 99 * 9]);
}
