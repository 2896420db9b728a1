//! Trees of messages: the partner, the number of levels and the bytes follow the rank.

use panto_trace::{Builder, CallForm, Collective, Data};

use crate::common::is_exact;

/// Elements before the blocks of a rank.
fn piece(rank: u32, ranks: u32) -> u64 {
    10_007 * u64::from(rank.min(ranks)) / u64::from(ranks)
}

/// Pairs merge up a binomial tree, as in `apps/mergesort.c`; the elements are not a multiple.
fn merge(builder: &mut Builder, ranks: u32) {
    let rank = builder.rank();
    let below = |rank: u32, step: u32| 4 * (piece(rank + step, ranks) - piece(rank, ranks));
    for step in (0..).map(|level| 1 << level).take_while(|step| *step < ranks) {
        if rank & step != 0 {
            builder.send(CallForm::Blocking, rank - step, step, below(rank, step));
            break;
        }
        if rank + step < ranks {
            builder.receive(CallForm::Blocking, Some(rank + step), Some(step), below(rank + step, step));
        }
    }
    builder.collective("MPI_Allreduce", Collective::Allreduce, None, 8, &Data::Same(8), &Data::Same(8));
}

#[test]
fn pieces_are_merged_up_a_tree() {
    is_exact(merge, &[4, 8, 16], &[32, 64, 256]);
    is_exact(merge, &[5, 8, 16], &[11, 23, 64]);
}

/// A reduction to rank 0 and a broadcast of its result, several times, along a tree.
fn there_and_back(builder: &mut Builder, ranks: u32) {
    let rank = builder.rank();
    let own = if rank == 0 { ranks.next_power_of_two() } else { 1 << rank.trailing_zeros() };
    let children: Vec<u32> =
        (0..own.ilog2()).map(|bit| rank + (1 << bit)).filter(|child| *child < ranks).collect();
    for _ in 0..6 {
        for child in &children {
            builder.receive(CallForm::Blocking, Some(*child), Some(1), 800);
        }
        if rank > 0 {
            builder.send(CallForm::Blocking, rank & (rank - 1), 1, 800);
            let parent = rank & (rank - 1);
            if let Some(slot) = builder.receive(CallForm::Immediate, Some(parent), Some(2), 800) {
                builder.wait(&[slot]);
            }
        }
        let sends: Vec<_> = children
            .iter()
            .rev()
            .filter_map(|child| builder.send(CallForm::Immediate, *child, 2, 800))
            .collect();
        if !sends.is_empty() {
            builder.wait(&sends);
        }
    }
}

#[test]
fn a_tree_is_climbed_and_descended() {
    is_exact(there_and_back, &[4, 8, 16], &[32, 100]);
}

/// A binary tree, where inner ranks have two children.
fn heap(builder: &mut Builder, ranks: u32) {
    let rank = builder.rank();
    for _ in 0..3 {
        for child in [2 * rank + 1, 2 * rank + 2].into_iter().filter(|child| *child < ranks) {
            builder.receive(CallForm::Blocking, Some(child), Some(0), 64);
        }
        if rank > 0 {
            builder.send(CallForm::Blocking, (rank - 1) / 2, 0, 64);
        }
    }
}

#[test]
fn a_binary_tree() {
    is_exact(heap, &[4, 8, 16], &[64, 91]);
}

/// The highest bit: ranks that have the data double in each step.
fn doubling(builder: &mut Builder, ranks: u32) {
    let rank = builder.rank();
    if rank > 0 {
        builder.receive(CallForm::Blocking, Some(rank ^ (1 << rank.ilog2())), Some(5), 4096);
    }
    for step in (0..).map(|level| 1 << level).take_while(|step| *step < ranks) {
        if step > rank && rank + step < ranks {
            builder.send(CallForm::Blocking, rank + step, 5, 4096);
        }
    }
}

#[test]
fn ranks_with_data_double() {
    is_exact(doubling, &[4, 8, 16], &[64, 100]);
}
