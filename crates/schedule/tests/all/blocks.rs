//! Collectives whose blocks differ in length deliver every block.

use panto_schedule::check::{self, InitialBuffers};
use panto_schedule::{Algorithm, BlockCollective, BlockProblem, Error, Plan, starts};

use crate::harness::{ROUNDS, Term};

/// Returns the rank and the element of its input that an element of the output must hold.
fn expected(problem: &BlockProblem, rank: usize) -> Vec<Term> {
    let block = |from: usize| {
        let input = problem.input_lens(from);
        let number = |all: Vec<usize>| all.iter().position(|&to| to == rank).expect("a block for the rank");
        let number = problem.destinations(from).map_or(0, number);
        let start = starts(&input)[number];
        (start..start + input[number]).map(move |element| (from, element))
    };
    problem.sources(rank).into_iter().flat_map(block).collect()
}

fn assert_correct(problem: &BlockProblem, algorithm: Algorithm) {
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
fn every_block_arrives() {
    for collective in BlockCollective::ALL {
        for &algorithm in collective.algorithms() {
            for ranks in [1, 2, 3, 5, 8, 12] {
                for (root, count) in [(0, 0), (ranks - 1, 1), (ranks / 2, 10)] {
                    assert_correct(&BlockProblem::around(collective, ranks, root, count).unwrap(), algorithm);
                }
            }
            let lens = vec![0, 7, 0, 1];
            assert_correct(&BlockProblem::new(collective, 2, lens).unwrap(), algorithm);
        }
    }
}

/// In an exchange every rank sends and receives the same amount.
#[test]
fn blocks_grow_around_the_requested_size() {
    let problem = BlockProblem::around(BlockCollective::Allgatherv, 5, 0, 100).unwrap();
    assert_eq!(problem.output_lens(3), [50, 75, 100, 125, 150]);
    let exchange = BlockProblem::around(BlockCollective::Alltoallv, 5, 0, 100).unwrap();
    assert_eq!(exchange.input_lens(1), [75, 100, 125, 150, 50]);
    assert!((0..5).all(|rank| exchange.sizes(rank).input == 500 && exchange.sizes(rank).output == 500));
    assert_eq!(BlockProblem::around(BlockCollective::Gatherv, 1, 0, 100).unwrap().input_lens(0), [100]);
}

/// A neighbour in two directions is a neighbour once.
#[test]
fn neighbours_are_those_on_a_wrapping_mesh() {
    let of = |ranks, rank| {
        BlockProblem::around(BlockCollective::NeighborAlltoall, ranks, 0, 7).unwrap().neighbours(rank)
    };
    assert_eq!(of(12, 5), [1, 4, 6, 9], "3 by 4");
    assert_eq!(of(12, 0), [1, 3, 4, 8]);
    assert_eq!(of(8, 0), [1, 3, 4], "2 by 4");
    assert_eq!(of(5, 0), [1, 4], "a ring");
    assert_eq!(of(2, 1), [0]);
    assert!(of(1, 0).is_empty());
    let problem = BlockProblem::around(BlockCollective::NeighborAlltoall, 12, 0, 7).unwrap();
    assert_eq!(problem.input_lens(5), [7; 4], "all of the same length");
}

#[test]
fn impossible_problems_are_errors() {
    let problem = BlockProblem::around(BlockCollective::Gatherv, 4, 0, 8).unwrap();
    let error = problem.schedule(Algorithm::Binomial).err().unwrap();
    assert_eq!(error.to_string(), "binomial does not implement gatherv; use linear");
    assert_eq!(BlockProblem::new(BlockCollective::Gatherv, 0, Vec::new()), Err(Error::NoRanks));
    assert_eq!(
        BlockProblem::around(BlockCollective::Gatherv, 2, 2, 1),
        Err(Error::Root { root: 2, ranks: 2 })
    );
    let huge = BlockProblem::around(BlockCollective::Alltoallv, 3, 0, usize::MAX);
    assert!(matches!(huge, Err(Error::TooLarge { ranks: 3, .. })));
}
