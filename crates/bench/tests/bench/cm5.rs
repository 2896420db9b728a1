//! The experiments of the CM-5 paper: on threads, and on the machine of the paper (M1-M8).

use std::sync::Arc;

use panto_bench::cm5::Options;
use panto_bench::{Effort, Kernel, Settings, runnable};
use panto_findings::contest::{Round, contests, crossovers_between};
use panto_findings::{Finding, findings};
use panto_machine::Machine;
use panto_results::cm5::MessageSet;
use panto_results::{Record, param};
use panto_transport::simulated::{Sharing, Simulated};
use panto_transport::threads::Threads;

use crate::support::{measured, tiny};

/// Returns the CM-5 with this number of processors in use.
fn cm5() -> Simulated {
    Simulated::new(Arc::new(Machine::load("cm5", &[]).expect("a built-in machine")), Sharing::Links)
}

fn settings(ranks: &[usize], sizes: &[u64]) -> Settings {
    let most = ranks.iter().copied().max().expect("ranks");
    Settings {
        ranks: ranks.to_vec(),
        ranks_given: true,
        sizes: Some(sizes.to_vec()),
        shape: Some(cm5().shape(most)),
        machine: Some("cm5".into()),
        effort: Effort { max_samples: 1, min_samples: 1, ..Effort::default() }.on_virtual_clock(),
        ..Settings::default()
    }
}

fn micros(record: &Record) -> f64 {
    record.summary().expect("samples").median * 1e-3
}

/// Returns the time of a set of messages.
fn of_set(records: &[Record], set: &str, bytes: u64) -> f64 {
    let fits = |record: &&Record| {
        record.point.text(param::SET) == set && record.point.number(param::BYTES) == Some(bytes)
    };
    micros(records.iter().find(fits).expect("the set was timed"))
}

fn about<'a>(found: &'a [Finding], label: &str) -> &'a Finding {
    let named = found.iter().find(|finding| finding.label.contains(label));
    named
        .unwrap_or_else(|| panic!("no `{label}` in {:?}", found.iter().map(|f| &f.label).collect::<Vec<_>>()))
}

#[test]
fn every_experiment_runs_on_threads_and_its_data_is_right() {
    for kernel in Kernel::named("cm5").expect("a suite") {
        let settings = Settings { ranks_given: true, ..tiny(4) };
        let records = measured(&Threads::default(), kernel, &settings);
        assert!(records.iter().all(|record| record.kernel.starts_with("cm5/")));
        let _ = findings(&records);
    }
}

/// Sets with a rank that sends several messages, one that sends and receives, and an exchange, on
/// odd numbers of ranks.
#[test]
fn any_set_of_messages_can_be_timed() {
    let texts = ["(0,1),(1,0)", "(0,1),(0,2),(1,2)", "(2,0),(3,0),(4,0),(4,1)"];
    let sets: Vec<MessageSet> = texts.iter().map(|text| text.parse().expect("a set")).collect();
    for world in [3, 5] {
        let there = sets.iter().filter(|set| set.pairs().iter().all(|&(s, d)| s.max(d) < world)).cloned();
        let cm5 = Options { sets: there.collect(), ..Options::default() };
        let settings = Settings { ranks_given: true, ..tiny(world) }.with_options(cm5);
        let records = measured(&Threads::default(), Kernel::MessageSets, &settings);
        assert!(records.iter().any(|record| record.messages == Some(2)));
        assert!(records.iter().all(|record| record.metric.half));
    }
}

/// The set needs four ranks, so four threads are started.
#[test]
fn ranks_are_started_for_the_set_that_needs_them() {
    let cm5 = Options { sets: vec!["(0,1),(2,3)".parse().expect("a set")], ..Options::default() };
    let records = measured(&Threads::default(), Kernel::MessageSets, &tiny(2).with_options(cm5.clone()));
    assert!(records.iter().all(|record| record.point.ranks == 4));
    let given = Settings { ranks_given: true, ..tiny(2) }.with_options(cm5);
    let error = runnable(Kernel::MessageSets, &given).expect_err("there are two ranks").to_string();
    assert!(error.contains("rank 3") && error.contains("0 to 1") && error.contains("--ranks 4"), "{error}");
}

/// A message takes 88 us + 0.126 us per byte in a cluster; a double send has no additional cost;
/// messages from half to half of the machine contend in the tree (M4, M5).
#[test]
fn message_sets_on_the_cm5() {
    let records = measured(&cm5(), Kernel::MessageSets, &settings(&[32], &[16, 9_968]));
    let alone = of_set(&records, "(0,1)", 9_968);
    assert!((alone - (88.0 + 0.126 * 9_968.0)).abs() < 0.1, "{alone}");
    for (double, simple) in [("(0,1),(2,3)", "(0,1)"), ("(0,4),(1,5)", "(0,4)"), ("(0,16),(1,17)", "(0,16)")]
    {
        let (both, one) = (of_set(&records, double, 9_968), of_set(&records, simple, 9_968));
        assert!((both / one - 1.0).abs() < 1e-9, "{double}: {both} against {one}");
    }
    let found = findings(&records);
    let added = about(&found, "(i,i+16) against (0,16), 9968B: time added").value;
    let lost = about(&found, "(i,i+16) against (0,16), 9968B: bandwidth of a message lost").value;
    assert!(added > 50.0 && (lost - 100.0 * added / (100.0 + added)).abs() < 1e-6, "{added} and {lost}");
}

/// The packet size is found as a residue class, with the line of each envelope (M2).
#[test]
fn the_packet_size_of_the_cm5_is_found() {
    let settings = Settings { sizes: None, ..settings(&[4], &[]) };
    let found = findings(&measured(&cm5(), Kernel::SimpleSend, &settings));
    assert!((about(&found, "law of their own").value - 16.0).abs() < 1e-9);
    let near = |label: &str, value: f64| {
        let finding = about(&found, label);
        assert!((finding.value / value - 1.0).abs() < 0.02, "{label}: {}", finding.value);
        assert!(finding.interval.is_some_and(|(low, high)| low <= finding.value && finding.value <= high));
    };
    near("start-up, multiples of 16", 88e-6);
    near("per byte, multiples of 16", 0.126e-6);
    near("per byte, others than multiples of 16", 0.45e-6);
    assert!(about(&found, "padding to a multiple of 16").value > 0.0);
}

/// The levels of the tree range from the own cluster to the other half of the machine (M3).
#[test]
fn path_length_counts_the_levels_of_the_tree() {
    let settings = Settings { sizes: None, ..settings(&[64], &[]) };
    let records = measured(&cm5(), Kernel::PathLength, &settings);
    let mut levels: Vec<(u64, f64)> = records
        .iter()
        .map(|record| (record.point.number(param::LEVEL).expect("a level"), record.figures["hops"]))
        .collect();
    levels.sort_by_key(|level| level.0);
    levels.dedup();
    assert_eq!(levels, [(1, 2.0), (2, 4.0), (3, 6.0)]);
    assert_eq!(records.len(), 3 * 4);
    assert_eq!(findings(&records).len(), 4);
}

fn rounds(records: &[Record]) -> Vec<Round> {
    contests(records).into_iter().next().expect("a contest").rounds
}

fn nanos(round: &Round, name: &str) -> f64 {
    round.entry(name).unwrap_or_else(|| panic!("no {name} at {}", round.point)).nanos
}

/// LEX is much slower; REX is fastest for short blocks and many ranks, PEX for long ones; any
/// number of ranks works (M6).
#[test]
fn complete_exchanges_on_the_cm5() {
    let records = measured(&cm5(), Kernel::CompleteExchange, &settings(&[5, 8, 32], &[0, 64, 256, 2_048]));
    let rounds = rounds(&records);
    assert_eq!(rounds.len(), 12);
    for round in rounds.iter().filter(|round| round.point.ranks == 32) {
        assert!(nanos(round, "lex") > nanos(round, "pex"), "{}", round.point);
        match round.point.number(param::BYTES) {
            Some(0) => assert!(nanos(round, "rex") < nanos(round, "pex")),
            Some(2_048) => assert!(nanos(round, "pex") < nanos(round, "rex")),
            _ => {}
        }
    }
    let by_size = crossovers_between(&rounds, param::BYTES, ["rex", "pex"]);
    let on_32 = by_size.iter().find(|crossover| crossover.point.ranks == 32).expect("they cross");
    assert_eq!((on_32.from.as_str(), on_32.to.as_str()), ("rex", "pex"));
    assert!(on_32.interval.contains(on_32.position) && (0.0..2_048.0).contains(&on_32.position), "{on_32:?}");
    let found = findings(&records);
    let finding = about(&found, "rex is faster below these bytes, pex above");
    assert!(finding.interval.is_some());
}

/// LIB is much slower than REB. Segmentation pays off for a long message, not for a short one, if
/// the root is done before its message has arrived: with pipelined packets it is not (M7).
#[test]
fn broadcasts_on_the_cm5() {
    let settings = settings(&[7, 32], &[256, 65_536]);
    let pipelined = measured(&cm5(), Kernel::BroadcastContest, &settings);
    for round in rounds(&pipelined).iter().filter(|round| round.point.ranks == 32) {
        assert!(nanos(round, "lib") > 2.0 * nanos(round, "reb"), "{}", round.point);
        assert!(nanos(round, "reb:2") > nanos(round, "reb"), "{}", round.point);
    }
    let machine = Machine::load("cm5", &["network.pipelined=false".into()]).expect("a model");
    let world = Simulated::new(Arc::new(machine), Sharing::Links);
    let records = measured(&world, Kernel::BroadcastContest, &settings);
    for round in rounds(&records).iter().filter(|round| round.point.ranks == 32) {
        assert!(nanos(round, "lib") > 2.0 * nanos(round, "reb"), "{}", round.point);
        let divided = nanos(round, "reb:2") < nanos(round, "reb");
        assert_eq!(divided, round.point.number(param::BYTES) == Some(65_536), "{}", round.point);
    }
    let best = findings(&records);
    assert!(about(&best, "best number of segments of reb, 32 ranks, 64KiB").value > 1.0);
    let segments = contests(&records).into_iter().find(|contest| contest.title.contains("segments"));
    assert!(segments.is_some_and(|contest| contest.rounds.iter().all(|round| round.entry("lib").is_none())));
}

/// If the message layer uses the same algorithm, it is not measured twice under two names.
#[test]
fn a_library_with_the_same_algorithm_is_reported_as_such() {
    let same = Machine::load("cm5", &["collectives.algorithm.alltoall=\"pex\"".into()]).expect("a model");
    let world = Simulated::new(Arc::new(same), Sharing::Links);
    let records = measured_with_absent(&world, &settings(&[8], &[256]));
    let library = records.iter().find(|record| record.point.text(param::VARIANT) == "library");
    let library = library.expect("it was asked for");
    assert!(library.absent.as_ref().is_some_and(|why| why.contains("pex")), "{library:?}");
    assert!(rounds(&records)[0].entry("library").is_none());
}

fn measured_with_absent(world: &Simulated, settings: &Settings) -> Vec<Record> {
    let mut observer = crate::support::Collect::default();
    let interrupt = std::sync::atomic::AtomicBool::new(false);
    panto_bench::run(world, &[Kernel::CompleteExchange], settings, &interrupt, &mut observer)
        .expect("it runs");
    observer.records
}

#[test]
fn unsupported_candidates_are_refused() {
    let choose =
        |name: &str| panto_transport::AlgorithmChoice::Algorithm(name.parse().expect("an algorithm"));
    let with = |name| {
        settings(&[4], &[8]).with_options(Options { candidates: vec![choose(name)], ..Options::default() })
    };
    let error = runnable(Kernel::CompleteExchange, &with("chain")).expect_err("no exchange").to_string();
    assert!(error.contains("chain") && error.contains("pex"), "{error}");
    assert_eq!(measured(&cm5(), Kernel::CompleteExchange, &with("bruck")).len(), 2);
}
