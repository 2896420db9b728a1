//! Names, registry and the errors that callers see.

use panto_schedule::{Algorithm, Collective, Error, Problem, algorithms, schedule};

use crate::harness::problem;

#[test]
fn names_round_trip() {
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
    assert_eq!("knomial:3".parse(), Ok(Algorithm::Knomial { radix: 3 }));
    assert_eq!("scattered:2".parse(), Ok(Algorithm::Scattered { window: 2 }));
}

#[test]
fn errors_for_unknown_names_list_the_known_ones() {
    let error = "brodcast".parse::<Collective>().unwrap_err().to_string();
    assert!(error.contains("broadcast") && error.contains("reduce-scatter"), "{error}");
    for text in ["bruk", "ring:3", "chain:x", "chain:", ":3"] {
        let error = text.parse::<Algorithm>().unwrap_err();
        assert_eq!(error, Error::UnknownAlgorithm(text.to_owned()));
        assert!(error.to_string().contains("bruck"));
    }
    assert_eq!("chain:0".parse::<Algorithm>(), Err(Error::NoSegments));
    assert_eq!("knomial:1".parse::<Algorithm>(), Err(Error::Radix));
    assert_eq!("scattered:0".parse::<Algorithm>(), Err(Error::NoWindow));
}

#[test]
fn exactly_the_listed_algorithms_are_implemented() {
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
fn errors_for_unsupported_algorithms_name_the_supported_ones() {
    let error = schedule(&problem(Collective::Scan, 4, 0, 1), Algorithm::Pex).err().unwrap();
    assert_eq!(error.to_string(), "pex does not implement scan; use recursive-doubling, linear");
}

#[test]
fn impossible_problems_are_errors() {
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
    assert_eq!(refused(broadcast(3, 0, 1), Algorithm::Knomial { radix: 1 }), Some(Error::Radix));
}

#[test]
fn every_error_names_a_remedy() {
    let errors = [
        Error::NoRanks,
        Error::Root { root: 4, ranks: 4 },
        Error::NoSegments,
        Error::Radix,
        Error::NoWindow,
        Error::MeshText("4".to_owned()),
        Error::MeshSize { rows: 1, cols: 2, ranks: 3 },
        Error::NotPowerOfTwo { ranks: 3 },
    ];
    for error in errors {
        let text = error.to_string();
        assert!(text.contains("; give ") || text.contains("; use "), "{text}");
    }
}
