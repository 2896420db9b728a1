//! Schedules are lazy: a million ranks do not need a million lists.

use std::time::Instant;

use panto_schedule::{Algorithm, Collective, algorithms, steps};

use crate::harness::{build, problem};

#[test]
fn one_rank_of_a_million() {
    let begin = Instant::now();
    for root in [0, 1, 524_288, 999_999] {
        let broadcast = build(&problem(Collective::Broadcast, 1_000_000, root, 100), Algorithm::Binomial);
        for rank in [0, 1, 65_536, 524_288, 999_999] {
            assert!(steps(&*broadcast, rank).count() <= 22);
        }
    }
    assert!(begin.elapsed().as_secs() < 5, "took {:?}", begin.elapsed());
}

#[test]
fn tree_like_schedules_stay_small() {
    let small = [
        (Collective::Broadcast, Algorithm::RecursiveHalving),
        (Collective::Broadcast, Algorithm::Linear),
        (Collective::Reduce, Algorithm::Rabenseifner),
        (Collective::Allreduce, Algorithm::RecursiveDoubling),
        (Collective::Gather, Algorithm::Binomial),
        (Collective::ReduceScatter, Algorithm::RecursiveHalving),
        (Collective::Scan, Algorithm::RecursiveDoubling),
        (Collective::Barrier, Algorithm::Dissemination),
    ];
    for (collective, algorithm) in small {
        let schedule = build(&problem(collective, 1_000_000, 0, 3), algorithm);
        assert!(steps(&*schedule, 999_999).count() < 170, "{collective} by {algorithm}");
    }
}

#[test]
fn first_steps_of_long_schedules_are_cheap() {
    let begin = Instant::now();
    for &algorithm in algorithms(Collective::Alltoall) {
        // Bruck and REX pack a block for every rank: their rounds are inherently long.
        if !matches!(algorithm, Algorithm::Bruck | Algorithm::Rex) {
            let schedule = build(&problem(Collective::Alltoall, 1_000_000, 0, 1), algorithm);
            assert_eq!(steps(&*schedule, 999_999).take(5).count(), 5);
        }
    }
    assert!(begin.elapsed().as_secs() < 5, "took {:?}", begin.elapsed());
}

#[test]
fn a_rank_that_does_not_exist_has_no_steps() {
    let schedule = build(&problem(Collective::Broadcast, 4, 0, 1), Algorithm::Binomial);
    assert_eq!(steps(&*schedule, 4).count(), 0);
}
