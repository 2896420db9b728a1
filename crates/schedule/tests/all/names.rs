//! Names, registry, rules and the errors that callers see.

use panto_schedule::rules::{TABLE, choose, puppet};
use panto_schedule::{Algorithm, Collective, Error, Problem, algorithms, schedule};

use crate::harness::{ROUNDS, execute, problem};

#[test]
fn names_are_read_back() {
    for collective in Collective::ALL {
        assert_eq!(collective.to_string().parse(), Ok(collective));
    }
    for &algorithm in Algorithm::ALL {
        assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
        assert_eq!(algorithm.name().parse(), Ok(algorithm));
    }
    assert_eq!("chain:3".parse(), Ok(Algorithm::Chain { segments: 3 }));
    assert_eq!("reb".parse(), Ok(Algorithm::RecursiveHalving));
    assert_eq!("reb:4".parse(), Ok(Algorithm::SegmentedHalving { segments: 4 }));
    assert_eq!("lib".parse(), Ok(Algorithm::Linear));
}

#[test]
fn unknown_names_are_refused_with_the_known_ones() {
    let error = "brodcast".parse::<Collective>().unwrap_err().to_string();
    assert!(error.contains("broadcast") && error.contains("reduce-scatter"), "{error}");
    for text in ["bruk", "ring:3", "chain:x", "chain:", ":3"] {
        let error = text.parse::<Algorithm>().unwrap_err();
        assert_eq!(error, Error::UnknownAlgorithm(text.to_owned()));
        assert!(error.to_string().contains("bruck"));
    }
    assert_eq!("chain:0".parse::<Algorithm>(), Err(Error::NoSegments));
}

#[test]
fn exactly_the_listed_algorithms_serve() {
    for collective in Collective::ALL {
        for &algorithm in Algorithm::ALL {
            let served = schedule(&problem(collective, 4, 0, 1), algorithm);
            assert_eq!(
                served.is_ok(),
                algorithms(collective).contains(&algorithm),
                "{collective} by {algorithm}"
            );
        }
    }
}

#[test]
fn an_algorithm_that_does_not_serve_names_those_that_do() {
    let error = schedule(&problem(Collective::Scan, 4, 0, 1), Algorithm::Pex).err().unwrap();
    assert_eq!(error.to_string(), "pex does not serve scan; use recursive-doubling, linear");
}

#[test]
fn impossible_problems_are_refused() {
    let refused = |problem: Problem, algorithm| schedule(&problem, algorithm).err();
    let broadcast = |ranks, root, count| problem(Collective::Broadcast, ranks, root, count);
    assert_eq!(refused(broadcast(0, 0, 1), Algorithm::Linear), Some(Error::NoRanks));
    assert_eq!(refused(broadcast(3, 3, 1), Algorithm::Linear), Some(Error::Root { root: 3, ranks: 3 }));
    let (ranks, count) = (1 << 40, 1 << 30);
    assert_eq!(
        refused(broadcast(ranks, 0, count), Algorithm::Linear),
        Some(Error::TooLarge { ranks, count })
    );
    assert_eq!(
        refused(broadcast(usize::MAX, 0, 0), Algorithm::Linear),
        Some(Error::TooLarge { ranks: usize::MAX, count: 0 })
    );
    assert_eq!(refused(broadcast(3, 0, 1), Algorithm::Chain { segments: 0 }), Some(Error::NoSegments));
}

#[test]
fn the_rules_are_mpichs() {
    use Algorithm as A;
    use Collective as C;
    let expected = [
        (C::Broadcast, 7, 1 << 30, A::Binomial),
        (C::Broadcast, 8, 12_288, A::Binomial),
        (C::Broadcast, 8, 12_289, A::ScatterDoubling),
        (C::Broadcast, 8, 524_289, A::ScatterAllgather),
        (C::Broadcast, 9, 12_289, A::ScatterAllgather),
        (C::Reduce, 9, 2_048, A::Binomial),
        (C::Reduce, 9, 2_049, A::Rabenseifner),
        (C::Allreduce, 2, 8, A::RecursiveDoubling),
        (C::Allreduce, 2, 16, A::Rabenseifner),
        (C::Allreduce, 9, 63, A::RecursiveDoubling),
        (C::Allreduce, 9, 64, A::Rabenseifner),
        (C::Allgather, 8, 524_287, A::RecursiveDoubling),
        (C::Allgather, 9, 81_919, A::Bruck),
        (C::Allgather, 9, 81_920, A::Ring),
        (C::Alltoall, 7, 1, A::Linear),
        (C::Alltoall, 8, 256, A::Bruck),
        (C::Alltoall, 8, 257, A::Linear),
        (C::Alltoall, 8, 32_769, A::Pairwise),
        (C::ReduceScatter, 8, 524_287, A::RecursiveHalving),
        (C::ReduceScatter, 8, 524_288, A::Pairwise),
        (C::Barrier, 8, 0, A::Dissemination),
    ];
    for (collective, ranks, bytes, algorithm) in expected {
        assert_eq!(choose(collective, ranks, bytes), algorithm, "{collective} of {bytes} bytes on {ranks}");
    }
}

#[test]
fn the_rules_always_answer_with_something_that_serves() {
    for row in TABLE {
        assert!(algorithms(row.collective).contains(&row.algorithm), "{row:?}");
    }
    for collective in Collective::ALL {
        let last = TABLE.iter().rfind(|row| row.collective == collective).unwrap();
        let unconditional =
            (last.min_ranks, last.max_ranks, last.min_share, last.max_bytes, last.power_of_two);
        assert_eq!(unconditional, (0, usize::MAX, 0, usize::MAX, false), "{collective}");
    }
}

#[test]
fn puppets_collectives_are_direct_sends() {
    for collective in Collective::ALL {
        assert!(algorithms(collective).contains(&puppet(collective)), "{collective}");
    }
    let messages = |collective| execute(&problem(collective, 9, 0, 1), puppet(collective), ROUNDS).messages;
    let to_one = [Collective::Broadcast, Collective::Reduce, Collective::Gather, Collective::Scatter];
    assert_eq!(to_one.map(messages), [8; 4]);
    assert_eq!(messages(Collective::Allreduce), 16);
    let to_all =
        [Collective::Allgather, Collective::Alltoall, Collective::ReduceScatter, Collective::Barrier];
    assert_eq!(to_all.map(messages), [72; 4]);
}

#[test]
fn every_error_names_a_remedy() {
    let errors = [
        Error::NoRanks,
        Error::Root { root: 4, ranks: 4 },
        Error::NoSegments,
        Error::MeshText("4".to_owned()),
        Error::MeshSize { rows: 1, cols: 2, ranks: 3 },
        Error::NotPowerOfTwo { ranks: 3 },
    ];
    for error in errors {
        let text = error.to_string();
        assert!(text.contains("; give ") || text.contains("; use "), "{text}");
    }
}
