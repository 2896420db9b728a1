//! Every schedule delivers every block, with synchronous sends and without deadlock.

use panto_schedule::{Algorithm, Collective, algorithms};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::harness::{assert_correct, problem};

fn served(collective: Collective) -> Vec<Algorithm> {
    let more: &[_] = match collective {
        Collective::Broadcast => &[
            Algorithm::Chain { segments: 1 },
            Algorithm::Chain { segments: 3 },
            Algorithm::SegmentedHalving { segments: 3 },
            Algorithm::Knomial { radix: 2 },
            Algorithm::Knomial { radix: 3 },
        ],
        Collective::Reduce => &[
            Algorithm::Chain { segments: 1 },
            Algorithm::Chain { segments: 3 },
            Algorithm::Knomial { radix: 3 },
        ],
        Collective::Alltoall => &[
            Algorithm::Scattered { window: 1 },
            Algorithm::Scattered { window: 3 },
            Algorithm::Scattered { window: 1_000_000 },
        ],
        _ => &[],
    };
    algorithms(collective).iter().chain(more).copied().collect()
}

#[test]
fn all_small_cases() {
    for collective in Collective::ALL {
        for algorithm in served(collective) {
            for ranks in 1..=20 {
                let roots = if collective.rooted() { ranks } else { 1 };
                for root in 0..roots {
                    for count in [0, 1, 2, 5] {
                        assert_correct(&problem(collective, ranks, root, count), algorithm);
                    }
                }
            }
        }
    }
}

#[test]
fn counts_around_the_number_of_ranks() {
    for collective in [Collective::Broadcast, Collective::Reduce, Collective::Allreduce] {
        for algorithm in served(collective) {
            for ranks in [1, 2, 3, 6, 7, 8, 13, 16, 17] {
                for count in ranks - 1..=2 * ranks + 1 {
                    assert_correct(&problem(collective, ranks, ranks / 2, count), algorithm);
                }
            }
        }
    }
}

/// Uses a fixed seed, so that a failure in continuous integration can be reproduced.
fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

#[test]
fn some_larger_cases() {
    let collectives = proptest::sample::select(Collective::ALL.to_vec());
    let strategy =
        (collectives, 21_usize..80, any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0_usize..40);
    let tried = runner(300).run(&strategy, |(collective, ranks, root, algorithm, count)| {
        let algorithm = *algorithm.get(&served(collective));
        assert_correct(&problem(collective, ranks, root.index(ranks), count), algorithm);
        Ok(())
    });
    tried.unwrap();
}

#[test]
fn order_is_kept_where_it_should_be() {
    let keeps = |collective, root, algorithm| {
        panto_schedule::schedule(&problem(collective, 7, root, 5), algorithm).unwrap().keeps_order()
    };
    assert!(keeps(Collective::Reduce, 3, Algorithm::Linear));
    assert!(keeps(Collective::Reduce, 0, Algorithm::Binomial));
    assert!(!keeps(Collective::Reduce, 3, Algorithm::Binomial));
    assert!(keeps(Collective::Reduce, 0, Algorithm::Binary));
    assert!(keeps(Collective::Reduce, 0, Algorithm::Knomial { radix: 4 }));
    assert!(keeps(Collective::Reduce, 0, Algorithm::Chain { segments: 8 }));
    assert!(!keeps(Collective::Reduce, 3, Algorithm::Chain { segments: 8 }));
    assert!(keeps(Collective::Reduce, 2, Algorithm::Rabenseifner));
    assert!(keeps(Collective::Allreduce, 0, Algorithm::RecursiveDoubling));
    assert!(keeps(Collective::Allreduce, 0, Algorithm::Rabenseifner));
    assert!(keeps(Collective::Allreduce, 0, Algorithm::Binomial));
    assert!(!keeps(Collective::Allreduce, 0, Algorithm::Ring));
    assert!(keeps(Collective::Scan, 0, Algorithm::RecursiveDoubling));
}
