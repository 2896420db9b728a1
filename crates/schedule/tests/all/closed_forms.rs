//! Rounds, elements and messages against the closed forms of the literature, for powers of two.

use panto_schedule::{Algorithm as A, Collective as C};

use crate::harness::{ROUNDS, VOLUME, execute, problem};

/// Elements of the vector, or of all blocks together; divisible by every number of ranks used here.
const N: usize = 3 * 64 * 8;

struct Form {
    collective: C,
    algorithm: A,
    rounds: fn(usize) -> usize,
    /// Elements on the critical path.
    volume: fn(usize) -> usize,
}

fn lg(ranks: usize) -> usize {
    ranks.ilog2() as usize
}

/// The fraction of the vector that belongs to other ranks.
fn others(ranks: usize) -> usize {
    N - N / ranks
}

const fn form(collective: C, algorithm: A, rounds: fn(usize) -> usize, volume: fn(usize) -> usize) -> Form {
    Form { collective, algorithm, rounds, volume }
}

const FORMS: &[Form] = &[
    form(C::Broadcast, A::Linear, |p| p - 1, |p| (p - 1) * N),
    form(C::Broadcast, A::Binomial, lg, |p| lg(p) * N),
    form(C::Broadcast, A::RecursiveHalving, lg, |p| lg(p) * N),
    form(C::Broadcast, A::SegmentedHalving { segments: 8 }, |p| 8 * lg(p), |p| lg(p) * N),
    form(C::Broadcast, A::Chain { segments: 8 }, |p| p - 2 + 8, |p| (p - 2 + 8) * N / 8),
    form(C::Broadcast, A::ScatterAllgather, |p| lg(p) + p - 1, |p| 2 * others(p)),
    form(C::Broadcast, A::ScatterDoubling, |p| 2 * lg(p), |p| 2 * others(p)),
    form(C::Reduce, A::Linear, |p| p - 1, |p| (p - 1) * N),
    form(C::Reduce, A::Binomial, lg, |p| lg(p) * N),
    form(C::Reduce, A::Rabenseifner, |p| 2 * lg(p), |p| 2 * others(p)),
    form(C::Broadcast, A::Knomial { radix: 2 }, lg, |p| lg(p) * N),
    form(C::Reduce, A::Knomial { radix: 2 }, lg, |p| lg(p) * N),
    form(C::Reduce, A::Chain { segments: 8 }, |p| p - 2 + 8, |p| (p - 2 + 8) * N / 8),
    form(C::Allreduce, A::RecursiveDoubling, lg, |p| lg(p) * N),
    form(C::Allreduce, A::Rabenseifner, |p| 2 * lg(p), |p| 2 * others(p)),
    form(C::Allreduce, A::Ring, |p| 2 * (p - 1), |p| 2 * others(p)),
    form(C::Allreduce, A::Binomial, |p| 2 * lg(p), |p| 2 * lg(p) * N),
    form(C::Allreduce, A::Linear, |p| 2 * (p - 1), |p| 2 * (p - 1) * N),
    form(C::Allgather, A::Ring, |p| p - 1, others),
    form(C::Allgather, A::RecursiveDoubling, lg, others),
    form(C::Allgather, A::Bruck, lg, others),
    form(C::Allgather, A::Neighbour, |p| p / 2, others),
    form(C::Gather, A::Linear, |p| p - 1, others),
    form(C::Gather, A::LinearSync, |p| 2 * (p - 1), others),
    form(C::Gather, A::Binomial, lg, others),
    form(C::Scatter, A::Linear, |p| p - 1, others),
    form(C::Scatter, A::Binomial, lg, others),
    form(C::Alltoall, A::Pairwise, |p| p - 1, others),
    form(C::Alltoall, A::Scattered { window: 1 }, |p| p - 1, others),
    form(C::Alltoall, A::Bruck, lg, |p| lg(p) * N / 2),
    form(C::Alltoall, A::Pex, |p| 2 * (p - 1), |p| 2 * others(p)),
    form(C::Alltoall, A::Rex, |p| 2 * lg(p), |p| lg(p) * N),
    form(C::ReduceScatter, A::RecursiveHalving, lg, others),
    form(C::ReduceScatter, A::Pairwise, |p| p - 1, others),
    form(C::ReduceScatter, A::Ring, |p| p - 1, others),
    form(C::Scan, A::RecursiveDoubling, lg, |p| lg(p) * N),
    form(C::Scan, A::Linear, |p| p - 1, |p| (p - 1) * N),
    form(C::Exscan, A::RecursiveDoubling, lg, |p| lg(p) * N),
    form(C::Exscan, A::Linear, |p| p - 1, |p| (p - 1) * N),
    form(C::Barrier, A::Dissemination, lg, |_| 0),
    form(C::Barrier, A::RecursiveDoubling, lg, |_| 0),
    form(C::Barrier, A::Central, |p| 2 * (p - 1), |_| 0),
    form(C::Barrier, A::Binomial, |p| 2 * lg(p), |_| 0),
];

fn count(collective: C, ranks: usize) -> usize {
    match collective {
        C::Allgather | C::Gather | C::Scatter | C::Alltoall | C::ReduceScatter => N / ranks,
        _ => N,
    }
}

#[test]
fn rounds_and_volume() {
    for form in FORMS {
        for ranks in [2, 4, 8, 16, 32, 64] {
            let problem = problem(form.collective, ranks, 0, count(form.collective, ranks));
            let rounds = execute(&problem, form.algorithm, ROUNDS).time;
            let volume = execute(&problem, form.algorithm, VOLUME).time;
            let name = format!("{} by {} on {ranks}", form.collective, form.algorithm);
            assert_eq!(rounds, (form.rounds)(ranks) as u64, "rounds of {name}");
            assert_eq!(volume, (form.volume)(ranks) as u64, "volume of {name}");
        }
    }
}

#[test]
fn logarithmic_rounds_for_any_number_of_ranks() {
    for ranks in 2_usize..70 {
        let lg = u64::from(ranks.next_power_of_two().ilog2());
        let rounds =
            |collective, algorithm| execute(&problem(collective, ranks, 0, 2), algorithm, ROUNDS).time;
        assert_eq!(rounds(C::Broadcast, A::Binomial), lg);
        assert_eq!(rounds(C::Broadcast, A::RecursiveHalving), lg);
        assert_eq!(rounds(C::Barrier, A::Dissemination), lg);
        assert_eq!(rounds(C::Allgather, A::Bruck), lg);
        assert_eq!(rounds(C::Alltoall, A::Bruck), lg);
        // Two blocking messages a round, and a third where the halves differ.
        assert!(rounds(C::Alltoall, A::Rex) <= 3 * lg, "{ranks}");
        assert!(rounds(C::Allreduce, A::RecursiveDoubling) <= lg + 1, "{ranks}");
    }
}

#[test]
fn each_element_travels_once_where_nothing_is_forwarded() {
    for ranks in 1..=20 {
        let sent = |collective, algorithm| {
            let outcome = execute(&problem(collective, ranks, ranks / 2, 6), algorithm, ROUNDS);
            (outcome.messages, outcome.elements)
        };
        let pairs = ranks * (ranks - 1);
        for algorithm in [A::Linear, A::Pairwise, A::Lex, A::LexAsync, A::Pex, A::Scattered { window: 3 }] {
            assert_eq!(sent(C::Alltoall, algorithm), (pairs, 6 * pairs), "{algorithm} on {ranks}");
        }
        for algorithm in [A::Linear, A::Binomial, A::RecursiveHalving, A::Binary, A::Knomial { radix: 4 }] {
            assert_eq!(sent(C::Broadcast, algorithm), (ranks - 1, 6 * (ranks - 1)), "{algorithm} on {ranks}");
        }
        assert_eq!(sent(C::Broadcast, A::Chain { segments: 3 }), (3 * (ranks - 1), 6 * (ranks - 1)));
        assert_eq!(sent(C::Allgather, A::Ring), (pairs, 6 * pairs));
        assert_eq!(sent(C::Allgather, A::Linear), (pairs, 6 * pairs));
        assert_eq!(sent(C::ReduceScatter, A::Linear), (pairs, 6 * pairs));
        assert_eq!(sent(C::Allreduce, A::Linear), (2 * (ranks - 1), 12 * (ranks - 1)));
        assert_eq!(sent(C::Barrier, A::Linear), (pairs, 0));
        assert_eq!(sent(C::Gather, A::Linear), (ranks - 1, 6 * (ranks - 1)));
        assert_eq!(sent(C::Gather, A::Binomial).0, ranks - 1);
        assert_eq!(sent(C::Scatter, A::Binomial).0, ranks - 1);
        assert_eq!(sent(C::Barrier, A::Central), (2 * (ranks - 1), 0));
        assert_eq!(sent(C::Barrier, A::Binomial), (2 * (ranks - 1), 0));
    }
}
