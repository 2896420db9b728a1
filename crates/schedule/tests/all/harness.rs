//! Executes a problem on symbolic data: an element is the list of contributions that were combined
//! into it.

use panto_schedule::check::{self, Cost, InitialBuffers, Outcome};
use panto_schedule::{Algorithm, Collective, Plan, Problem, Schedule, schedule};

/// A contribution: the rank and the element of its input.
pub type Term = (usize, usize);

/// The cost that counts rounds.
pub const ROUNDS: Cost = Cost { message: 1, element: 0 };
/// The cost that counts elements on the critical path.
pub const VOLUME: Cost = Cost { message: 0, element: 1 };

pub fn problem(collective: Collective, ranks: usize, root: usize, count: usize) -> Problem {
    Problem { collective, ranks, root, count }
}

pub fn build(problem: &Problem, algorithm: Algorithm) -> Box<dyn Schedule> {
    schedule(problem, algorithm).unwrap_or_else(|error| panic!("{problem:?}: {error}"))
}

pub fn plans(problem: &Problem, schedule: &dyn Schedule) -> Vec<Plan> {
    let plan =
        |rank| Plan::new(schedule, rank, problem.sizes(rank)).unwrap_or_else(|error| panic!("{error}"));
    (0..problem.ranks).map(plan).collect()
}

pub fn execute(problem: &Problem, algorithm: Algorithm, cost: Cost) -> Outcome<Vec<Term>> {
    let plans = plans(problem, &*build(problem, algorithm));
    let terms = |rank, len| (0..len).map(|element| vec![(rank, element)]).collect();
    let never_written = vec![(usize::MAX, usize::MAX)];
    let in_place = |rank| problem.collective == Collective::Broadcast && rank == problem.root;
    let brought = |rank| {
        let (input, output) = (problem.input_len(rank), problem.output_len(rank));
        let blank = || vec![never_written.clone(); output];
        InitialBuffers {
            input: terms(rank, input),
            output: if in_place(rank) { terms(rank, output) } else { blank() },
        }
    };
    let brought = (0..problem.ranks).map(brought).collect();
    let join = |a: &Vec<Term>, b: &Vec<Term>| a.iter().chain(b).copied().collect();
    check::run(&plans, brought, &never_written, join, cost)
        .unwrap_or_else(|failure| panic!("{problem:?} by {algorithm}: {failure}"))
}

/// Returns what a serial program would compute for an element of a rank's output.
pub fn expected(problem: &Problem, rank: usize, element: usize) -> Vec<Term> {
    let Problem { collective, ranks, root, count } = *problem;
    let from_each =
        |ranks: std::ops::Range<usize>, element: usize| ranks.map(|rank| (rank, element)).collect();
    match collective {
        Collective::Broadcast => vec![(root, element)],
        Collective::Reduce | Collective::Allreduce => from_each(0..ranks, element),
        Collective::Scan => from_each(0..rank + 1, element),
        Collective::Exscan => from_each(0..rank, element),
        Collective::Allgather | Collective::Gather => vec![(element / count, element % count)],
        Collective::Scatter => vec![(root, rank * count + element)],
        Collective::Alltoall => vec![(element / count, rank * count + element % count)],
        Collective::ReduceScatter => from_each(0..ranks, rank * count + element),
        Collective::Barrier => Vec::new(),
    }
}

/// Checks that every output element has each contribution once, in rank order where the schedule
/// promises that.
pub fn assert_correct(problem: &Problem, algorithm: Algorithm) {
    let keeps_order = build(problem, algorithm).keeps_order();
    let outcome = execute(problem, algorithm, ROUNDS);
    for (rank, output) in outcome.outputs.into_iter().enumerate() {
        assert_eq!(output.len(), problem.output_len(rank));
        for (element, mut terms) in output.into_iter().enumerate() {
            if !keeps_order {
                terms.sort_unstable();
            }
            assert_eq!(
                terms,
                expected(problem, rank, element),
                "{problem:?} by {algorithm}, rank {rank}, element {element}"
            );
        }
    }
}
