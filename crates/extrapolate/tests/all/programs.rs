//! Neighbors, grids, butterflies, roots and blocks; and what follows no rule.

use std::path::Path;

use panto_extrapolate::Program;
use panto_trace::{
    Action, Builder, CallForm, Collective, Comm, Communicator, Data, Metadata, Peer, Ranks, Slot, Trace,
};

use crate::common::{Code, calls, is_exact, learn, named_trace, trace};

fn ring(builder: &mut Builder, ranks: u32) {
    let rank = builder.rank();
    for _ in 0..10 {
        builder.compute(64_000 / u64::from(ranks));
        let requests = [
            builder.receive(CallForm::Immediate, Some((rank + ranks - 1) % ranks), Some(3), 400),
            builder.send(CallForm::Immediate, (rank + 1) % ranks, 3, 400),
        ];
        builder.wait(&requests.into_iter().flatten().collect::<Vec<_>>());
    }
}

#[test]
fn a_ring() {
    is_exact(ring, &[4, 8, 16], &[2, 5, 64]);
}

/// Even ranks send first, odd ranks receive first: blocking calls, without deadlock.
fn pairs(builder: &mut Builder, ranks: u32) {
    let rank = builder.rank();
    for _ in 0..5 {
        for partner in
            [rank.checked_sub(1), Some(rank + 1).filter(|next| *next < ranks)].into_iter().flatten()
        {
            if rank.is_multiple_of(2) {
                builder.send(CallForm::Blocking, partner, 0, 64);
                builder.receive(CallForm::Blocking, Some(partner), Some(0), 64);
            } else {
                builder.receive(CallForm::Blocking, Some(partner), Some(0), 64);
                builder.send(CallForm::Blocking, partner, 0, 64);
            }
        }
    }
}

#[test]
fn roles_of_even_and_odd_ranks() {
    is_exact(pairs, &[4, 8, 16], &[32, 64]);
}

/// Exchanges faces of a cube of 48 cells in each direction.
fn halo<const DIMENSIONS: usize>(builder: &mut Builder, ranks: u32) {
    let side = (f64::from(ranks).powf(1.0 / DIMENSIONS as f64)).round() as u32;
    let rank = builder.rank();
    let face = (48 / u64::from(side)).pow(DIMENSIONS as u32 - 1) * 8;
    for _ in 0..7 {
        builder.compute(1_000_000);
        let mut requests = Vec::new();
        for dimension in 0..DIMENSIONS {
            let stride = side.pow((DIMENSIONS - 1 - dimension) as u32);
            let place = rank / stride % side;
            let below = (place > 0).then(|| rank - stride);
            let above = (place + 1 < side).then(|| rank + stride);
            for (tag, partner) in [(0, below), (1, above)] {
                let Some(partner) = partner else { continue };
                requests.extend(builder.receive(CallForm::Immediate, Some(partner), Some(1 - tag), face));
                requests.extend(builder.send(CallForm::Immediate, partner, tag, face));
            }
        }
        builder.wait(&requests);
        let (sends, receives) = (Data::Same(8), Data::Same(8));
        builder.collective("MPI_Allreduce", Collective::Allreduce, None, 8, &sends, &receives);
    }
}

#[test]
fn halos_in_two_and_three_dimensions() {
    is_exact(halo::<2>, &[4, 9, 16], &[36, 64, 144]);
    is_exact(halo::<3>, &[8, 27], &[64, 512]);
}

/// A butterfly: the number of steps grows with the logarithm, the bytes double.
fn butterfly(builder: &mut Builder, ranks: u32) {
    for _ in 0..3 {
        for step in 0..ranks.ilog2() {
            let partner = builder.rank() ^ (1 << step);
            let request = builder.receive(CallForm::Immediate, Some(partner), Some(9), 64 << step);
            builder.send(CallForm::Blocking, partner, 9, 64 << step);
            builder.wait(&request.into_iter().collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_butterfly() {
    is_exact(butterfly, &[4, 8, 16], &[64, 256]);
}

/// Every rank sends to every other one.
fn all_to_all(builder: &mut Builder, ranks: u32) {
    let rank = builder.rank();
    for _ in 0..2 {
        let mut requests = Vec::new();
        for far in 1..ranks {
            let (to, from) = ((rank + far) % ranks, (rank + ranks - far) % ranks);
            let bytes = 1_048_576 / u64::from(ranks * ranks);
            requests.extend(builder.receive(CallForm::Immediate, Some(from), Some(0), bytes));
            requests.extend(builder.send(CallForm::Immediate, to, 0, bytes));
        }
        builder.wait(&requests);
    }
}

#[test]
fn all_to_all_by_messages() {
    is_exact(all_to_all, &[4, 8, 16], &[32, 64]);
}

/// Rank 0 receives from all others; the tag is the sender.
fn gather(builder: &mut Builder, ranks: u32) {
    let rank = builder.rank();
    if rank == 0 {
        for from in 1..ranks {
            builder.receive(CallForm::Blocking, Some(from), Some(7), 800);
        }
    } else {
        builder.send(CallForm::Blocking, 0, 7, 800);
    }
    let sends = Data::Same(8);
    let receives = if rank == 0 { Data::Same(8) } else { Data::Nothing };
    builder.collective("MPI_Reduce", Collective::Reduce, Some(0), 8, &sends, &receives);
}

#[test]
fn a_root_and_the_others() {
    is_exact(gather, &[4, 8, 16], &[64]);
}

/// A wavefront of blocks whose size depends on the place: 1000 elements are not a multiple.
fn blocks(builder: &mut Builder, ranks: u32) {
    let rank = builder.rank();
    let piece = |part: u32| 1000 * u64::from(part) / u64::from(ranks);
    let bytes = 8 * (piece(rank + 1) - piece(rank));
    for _ in 0..4 {
        builder.compute(bytes * 100);
        builder.send(CallForm::Blocking, rank, rank, bytes);
        builder.receive(CallForm::Blocking, Some(rank), Some(rank), bytes);
    }
}

#[test]
fn blocks_of_different_sizes() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = learn(folder.path(), blocks, &[3, 7, 16]).unwrap_or_else(|error| panic!("{error}"));
    let made = folder.path().join("made.panto");
    program.write(23, &made).unwrap_or_else(|error| panic!("{error}"));
    let without_times = |path: &Path| -> Vec<Vec<String>> {
        let cut = |call: &String| call.rsplit_once(" +").map(|(call, _)| call.to_owned());
        calls(path).iter().map(|rank| rank.iter().filter_map(cut).collect()).collect()
    };
    assert_eq!(without_times(&made), without_times(&trace(folder.path(), blocks, 23)));
}

/// Partners are random: there is no rule, and the error names the call.
fn random(builder: &mut Builder, ranks: u32) {
    let rank = builder.rank();
    let partner = |rank: u32| (ranks - 1 - rank).wrapping_mul(2_654_435_761) % ranks;
    builder.send(CallForm::Blocking, partner(rank), 1, 8);
    for other in (0..ranks).filter(|other| partner(*other) == rank) {
        builder.receive(CallForm::Blocking, Some(other), Some(1), 8);
    }
}

#[test]
fn what_follows_no_rule_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = learn(folder.path(), random, &[5, 11, 17]).expect_err("there is no rule").to_string();
    assert!(error.contains("no rule was found for:") && error.contains("MPI_"), "{error}");
}

/// Bytes without a rule: an error, or a law that comes near.
fn odd_bytes(builder: &mut Builder, ranks: u32) {
    let bytes =
        [90, 211, 377][ranks.ilog2() as usize % 3] + 7 * u64::from(builder.rank() * builder.rank() % 5);
    builder.send(CallForm::Blocking, builder.rank(), 0, bytes);
    builder.receive(CallForm::Blocking, Some(builder.rank()), Some(0), bytes);
}

#[test]
fn lenient_rules_come_near_and_are_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = learn(folder.path(), odd_bytes, &[4, 8, 16]).expect_err("there is no rule").to_string();
    assert!(error.contains("MPI_Send (itself): bytes (4 ranks: "), "{error}");
    let traces: Vec<Trace> = [4, 8, 16]
        .map(|ranks| Trace::open(&folder.path().join(format!("{ranks}.panto"))).expect("sound"))
        .into();
    let program = Program::learn(&traces, true).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(program.approximate.len(), 2, "{:?}", program.approximate);
}

#[test]
fn unsuitable_traces_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let four = Trace::open(&trace(folder.path(), ring, 4)).expect("sound");
    let again = Trace::open(&folder.path().join("4.panto")).expect("sound");
    let one = Program::learn(&[four], false).expect_err("one trace").to_string();
    assert!(one.contains("name two or more"), "{one}");
    let four = Trace::open(&folder.path().join("4.panto")).expect("sound");
    let same = Program::learn(&[four, again], false).expect_err("the same size").to_string();
    assert!(same.contains("both have 4 ranks"), "{same}");
}

/// A wildcard receive with a request cannot be extrapolated: its source is not in the call.
fn wildcard(builder: &mut Builder, _: u32) {
    let action = Action::Receive {
        form: CallForm::Immediate,
        comm: Comm(0),
        from: Peer::Any,
        datatype: Builder::ELEMENT,
        bytes: 8,
        tag: 0,
        request: Some(Slot(0)),
        source: -1,
        got_tag: -1,
        got_bytes: -1,
    };
    builder.call("MPI_Irecv", &action);
}

#[test]
fn unsupported_calls_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = learn(folder.path(), wildcard, &[2, 4]).expect_err("unsupported").to_string();
    assert!(error.contains("rank 0: MPI_Irecv with a wildcard and a request is not extrapolated"), "{error}");
}

/// Traces of different programs are recognised by their names.
#[test]
fn different_programs() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = |code: Code, ranks: u32, name: &str| {
        let mut metadata = Metadata::default();
        metadata.set(panto_trace::key::PROGRAM, &format!("/home/me/{name}"));
        Trace::open(&named_trace(folder.path(), code, ranks, &metadata)).expect("sound")
    };
    let irregular: Code = |builder, ranks| {
        let partner = [3, 5, 1, 0, 7, 2, 4, 6][builder.rank() as usize % 8] % ranks;
        builder.send(CallForm::Blocking, partner, 0, 64 + u64::from(builder.rank() * 7 % 5));
    };
    let error = Program::learn(&[open(ring, 4, "ring"), open(irregular, 8, "other")], false);
    let error = error.expect_err("no common rules").to_string();
    assert!(error.starts_with("the traces seem to be of different programs: "), "{error}");
    assert!(error.contains("4.panto of ring, ") && error.contains("8.panto of other\n"), "{error}");
}

/// Communicators that differ between traces are named with their files.
#[test]
fn different_communicators() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = |code: Code, ranks: u32| Trace::open(&trace(folder.path(), code, ranks)).expect("sound");
    let with_copy: Code = |builder, ranks| {
        let made_by = builder.recorder().name("MPI_Comm_dup");
        let copy = Communicator {
            made_by,
            parent: Some(Builder::WORLD),
            ordinal: 0,
            tag: 0,
            rank: builder.rank(),
            members: (0..ranks).collect(),
            others: None,
            sources: Ranks::default(),
            destinations: Ranks::default(),
        };
        builder.recorder().communicator(&copy);
        ring(builder, ranks);
    };
    let error =
        Program::learn(&[open(ring, 4), open(with_copy, 8)], false).expect_err("it differs").to_string();
    assert!(error.contains("4.panto: rank 0 has ") && error.contains("8.panto: rank 0 has "), "{error}");
    assert!(error.contains("may be of different programs"), "{error}");
}

#[test]
fn two_traces_give_no_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = |from: &[u32]| learn(folder.path(), ring, from).expect("rules").computation_error();
    assert_eq!((error(&[4, 8]), error(&[4, 8, 16]).is_some()), (None, true));
}
