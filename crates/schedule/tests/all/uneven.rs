//! Collectives whose blocks differ in length deliver every block.

use panto_schedule::check::{self, InitialBuffers};
use panto_schedule::{Algorithm, Error, Plan, Uneven, UnevenProblem, starts};

use crate::harness::{ROUNDS, Term};

/// Returns the rank and the element of its input that an element of the output must hold.
fn expected(problem: &UnevenProblem, rank: usize) -> Vec<Term> {
    let ranks = problem.ranks();
    let block = |from: usize, to: usize| {
        let input = problem.input_lens(from);
        let number = if matches!(problem.collective, Uneven::Gatherv | Uneven::Allgatherv) { 0 } else { to };
        let start = starts(&input)[number];
        (start..start + input[number]).map(move |element| (from, element))
    };
    match problem.collective {
        Uneven::Scatterv => block(problem.root, rank).collect(),
        Uneven::Gatherv if rank != problem.root => Vec::new(),
        _ => (0..ranks).flat_map(|from| block(from, rank)).collect(),
    }
}

fn assert_correct(problem: &UnevenProblem, algorithm: Algorithm) {
    let schedule = problem.schedule(algorithm).unwrap();
    let sizes = |rank| problem.sizes(rank);
    let plans: Vec<Plan> =
        (0..problem.ranks()).map(|rank| Plan::new(&*schedule, rank, sizes(rank)).unwrap()).collect();
    let never_written: Term = (usize::MAX, usize::MAX);
    let brought = |rank| InitialBuffers {
        input: (0..sizes(rank).input).map(|element| (rank, element)).collect(),
        output: vec![never_written; sizes(rank).output],
    };
    let brought = (0..problem.ranks()).map(brought).collect();
    let outcome = check::run(&plans, brought, &never_written, |first, _| *first, ROUNDS)
        .unwrap_or_else(|failure| panic!("{problem:?} by {algorithm}: {failure}"));
    for (rank, output) in outcome.outputs.iter().enumerate() {
        assert_eq!(*output, expected(problem, rank), "{problem:?} by {algorithm}, rank {rank}");
    }
}

#[test]
fn uneven_blocks_arrive() {
    for collective in Uneven::ALL {
        for &algorithm in collective.algorithms() {
            for ranks in [1, 2, 3, 5, 8] {
                for (root, count) in [(0, 0), (ranks - 1, 1), (ranks / 2, 10)] {
                    assert_correct(
                        &UnevenProblem::around(collective, ranks, root, count).unwrap(),
                        algorithm,
                    );
                }
            }
            let lens = vec![0, 7, 0, 1];
            assert_correct(&UnevenProblem::new(collective, 2, lens).unwrap(), algorithm);
        }
    }
}

/// In an exchange every rank sends and receives the same amount.
#[test]
fn blocks_grow_around_the_requested_size() {
    let problem = UnevenProblem::around(Uneven::Allgatherv, 5, 0, 100).unwrap();
    assert_eq!(problem.output_lens(3), [50, 75, 100, 125, 150]);
    let exchange = UnevenProblem::around(Uneven::Alltoallv, 5, 0, 100).unwrap();
    assert_eq!(exchange.input_lens(1), [75, 100, 125, 150, 50]);
    assert!((0..5).all(|rank| exchange.sizes(rank).input == 500 && exchange.sizes(rank).output == 500));
    assert_eq!(UnevenProblem::around(Uneven::Gatherv, 1, 0, 100).unwrap().input_lens(0), [100]);
}

#[test]
fn impossible_problems_are_errors() {
    let problem = UnevenProblem::around(Uneven::Gatherv, 4, 0, 8).unwrap();
    let error = problem.schedule(Algorithm::Binomial).err().unwrap();
    assert_eq!(error.to_string(), "binomial does not implement gatherv; use linear");
    assert_eq!(UnevenProblem::new(Uneven::Gatherv, 0, Vec::new()), Err(Error::NoRanks));
    assert_eq!(UnevenProblem::around(Uneven::Gatherv, 2, 2, 1), Err(Error::Root { root: 2, ranks: 2 }));
    let huge = UnevenProblem::around(Uneven::Alltoallv, 3, 0, usize::MAX);
    assert!(matches!(huge, Err(Error::TooLarge { ranks: 3, .. })));
}
