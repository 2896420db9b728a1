//! Collectives with blocks of different lengths, and neighbourhood collectives.

use panto_trace::{Action, CallForm, Collective, CollectiveKind, CompletionKind, Peer};

use crate::support::{Together, WORLD, Writer, complete, ends, replayed};

const LENGTHS: [i64; 3] = [80, 0, 400];

fn own(w: &Writer) -> u64 {
    LENGTHS[w.rank as usize] as u64
}

#[test]
fn gatherv_and_scatterv_are_direct() {
    let to_first = |w: &Writer| Peer::Relative(-(w.rank as i32));
    let gather = replayed(3, |w| {
        let receive_sizes: &[i64] = if w.rank == 0 { &LENGTHS } else { &[] };
        let call = Together {
            root: to_first(w),
            receive_bytes: 480,
            receive_sizes,
            ..Together::new(Collective::Gather, own(w))
        };
        w.call("MPI_Gatherv", &call.action());
    });
    assert_eq!(ends(&gather), [1_400, 0, 0]);
    let scatter = replayed(3, |w| {
        let send_sizes: &[i64] = if w.rank == 0 { &LENGTHS } else { &[] };
        let call = Together {
            root: to_first(w),
            receive_bytes: own(w),
            send_sizes,
            ..Together::new(Collective::Scatter, 480)
        };
        w.call("MPI_Scatterv", &call.action());
    });
    assert_eq!(ends(&scatter), [0, 0, 1_400]);
    // Empty blocks are not sent.
    assert_eq!(scatter.program.channels.len(), 1);
}

#[test]
fn allgatherv_is_a_ring_of_blocks() {
    let replay = replayed(3, |w| {
        let call = Together {
            receive_bytes: 480,
            receive_sizes: &LENGTHS,
            ..Together::new(Collective::Allgather, own(w))
        };
        w.call("MPI_Allgatherv", &call.action());
    });
    // In the second round rank 0 passes 400 bytes on, from 1,400 on; rank 1 passes 80 on, from
    // 1,080 on; rank 2 nothing.
    assert_eq!(ends(&replay), [2_000, 2_800, 2_160]);
}

#[test]
fn alltoallv_is_direct() {
    // Rank i gives 100 i + 8 j to rank j, and nothing to itself.
    let part = |from: i64, to: i64| if from == to { 0 } else { 100 * from + 8 * to };
    let replay = replayed(3, |w| {
        let own = i64::from(w.rank);
        let send_sizes: Vec<i64> = (0..3).map(|to| part(own, to)).collect();
        let receive_sizes: Vec<i64> = (0..3).map(|from| part(from, own)).collect();
        let call = Together {
            send_sizes: &send_sizes,
            receive_sizes: &receive_sizes,
            ..Together::new(Collective::Alltoall, 0)
        };
        w.call("MPI_Alltoallv", &call.action());
    });
    assert_eq!(ends(&replay), [1_200, 1_208, 1_116]);
}

#[test]
fn unequal_blocks_of_a_reduction_count_as_their_mean() {
    let [unequal, equal] = [[80_i64, 0, 400], [160; 3]].map(|parts| {
        replayed(3, |w| {
            let call = Together { send_sizes: &parts, ..Together::new(Collective::ReduceScatter, 480) };
            w.call("MPI_Reduce_scatter", &call.action());
        })
    });
    assert_eq!(unequal.program, equal.program);
    assert!(ends(&unequal)[0] > 1_160);
}

#[test]
fn neighbours_exchange_directly() {
    let outside = u32::MAX;
    let replay = replayed(3, |w| {
        // A chain: the ranks at its ends have one neighbour.
        let near = [w.rank.checked_sub(1).unwrap_or(outside), if w.rank == 2 { outside } else { w.rank + 1 }];
        let comm = w.communicator("MPI_Cart_create", Some(WORLD), &[0, 1, 2], None, (&near, &near));
        w.call("MPI_Cart_create", &Action::Communicator { parent: WORLD, comm: Some(comm), request: None });
        let exchange = Together { comm, ..Together::new(CollectiveKind::NeighborAlltoall, 100) };
        w.call("MPI_Neighbor_alltoall", &exchange.action());
        let later =
            Together { form: CallForm::Immediate, request: Some(0), send_sizes: &[0, 300], ..exchange };
        w.call("MPI_Ineighbor_alltoallv", &later.action());
        w.call("MPI_Wait", &complete(CompletionKind::Wait, &[0], &[0], &[]));
    });
    let making = ends(&replayed(3, |w| {
        let comm = w.comm("MPI_Cart_create", Some(WORLD), &[0, 1, 2]);
        w.call("MPI_Cart_create", &Action::Communicator { parent: WORLD, comm: Some(comm), request: None });
    }));
    let first = making.iter().max().expect("ranks") + 1_100;
    assert_eq!(ends(&replay), [first + 1_000, first + 1_300, first + 1_300]);
}
