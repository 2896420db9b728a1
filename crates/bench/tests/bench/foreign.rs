//! User-supplied collectives: correct ones, and some that are wrong, hang or crash (S2).

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use panto_bench::scenario::Options;
use panto_bench::scenario::operation::{Implementation, Progress};
use panto_bench::{Kernel, Settings, run};
use panto_machine::Machine;
use panto_results::Record;
use panto_transport::World;
use panto_transport::simulated::{Sharing, Simulated};
use panto_transport::threads::Threads;

use crate::compiled::Compiled;
use crate::support::{Collect, measured, tiny};

fn settings(call: &str, implementations: &[String]) -> Settings {
    let parsed = |name: &String| name.parse::<Implementation>().expect("an implementation");
    let scenario = Options {
        calls: Some(vec![call.parse().expect("a collective")]),
        implementations: Some(implementations.iter().map(parsed).collect()),
        from: Some(3),
        computations: Some(vec![20_000]),
        progress: vec![Progress::None, Progress::Poll, Progress::Helper],
        patience: Duration::from_millis(700),
        ..Options::default()
    };
    Settings { sizes: Some(vec![1_000]), ranks_given: true, ..tiny(3) }.with_options(scenario)
}

fn are_correct<W: World>(world: &W) {
    let library = Compiled::tree();
    let (tree, around) = (library.named("tree"), library.named("around"));
    for (kernel, call, names) in [
        (Kernel::ScenarioOnly, "bcast", vec!["library".to_owned(), tree.clone()]),
        (Kernel::ScenarioOnly, "allreduce", vec![around]),
        (Kernel::ScenarioOverlap, "bcast", vec![tree]),
    ] {
        let records = measured(world, kernel, &settings(call, &names));
        // Three kinds of progress, each with computation and without.
        let each = if kernel == Kernel::ScenarioOnly { 1 } else { 3 * 2 };
        assert_eq!(records.len(), names.len() * each);
        for record in records {
            assert!(record.absent.is_none() && record.wrong.is_none(), "{record:?}");
            assert!(names.contains(record.algorithm.as_ref().expect("a name")));
        }
    }
}

/// The examples in C, blocking and overlapped with computation.
#[test]
fn the_examples_are_correct_on_threads() {
    are_correct(&Threads::default());
}

#[test]
fn the_examples_are_correct_on_a_simulated_machine() {
    let machine = Machine::load("cm5", &[]).expect("a built-in machine");
    are_correct(&Simulated::new(Arc::new(machine), Sharing::None));
}

/// Each faulty implementation has a row that states its error, and no other row is missing.
#[test]
fn the_error_of_an_implementation_is_in_its_row() {
    let library = Compiled::bad();
    let faults = [
        ("wrong", "byte 999 of 1000 from rank 0 is "),
        ("stale", "from rank 0 is "),
        ("spills", "out-of-bounds write: byte 1 behind a buffer of 1000 bytes"),
        ("spins", "libit.so:spins has not returned for 0.7s on rank 2"),
        ("crashes", "crashed: signal 11 (SIGSEGV) in "),
        ("waits", "failed: deadlock"),
        ("refuses", "`run` returned 7"),
        ("forgets", "returned with 1 requests pending"),
        ("beyond", "no rank 3"),
    ];
    let mut names: Vec<String> = faults.iter().map(|(name, _)| library.named(name)).collect();
    names.push("binomial".into());
    let (mut observer, interrupt) = (Collect::default(), AtomicBool::new(false));
    let kernels = [Kernel::ScenarioOnly];
    let end = run(&Threads::default(), &kernels, &settings("bcast", &names), &interrupt, &mut observer);
    assert_eq!(end.expect("the run continues").measured, names.len());
    let of = |name: &str| -> &Record {
        let found = observer.records.iter().find(|record| record.algorithm.as_deref() == Some(name));
        found.unwrap_or_else(|| panic!("{name} has no row"))
    };
    let right = of("binomial");
    assert!(right.verified && right.summary().is_some(), "{right:?}");
    for (name, words) in faults {
        let record = of(&library.named(name));
        let error = record.wrong.as_ref().or(record.absent.as_ref());
        assert!(error.is_some_and(|error| error.contains(words)), "{name}: {record:?}");
        assert!(!record.verified, "{name}");
    }
}

/// An implementation that cannot be loaded is reported before anything is measured, even if others
/// can.
#[test]
fn invalid_implementations_are_refused() {
    let library = Compiled::bad();
    let (bad, file) = (library.path().display().to_string(), library.path().with_extension("txt"));
    std::fs::write(&file, "no library").expect("a file");
    for (name, words) in [
        ("./no-such.so:mine".to_owned(), "./no-such.so: no such file"),
        (format!("{}:mine", file.display()), "cannot load"),
        (format!("{bad}:nowhere"), "exports no `nowhere`"),
        (format!("{bad}:not_one"), "is not an implementation of a collective"),
        (format!("{bad}:newer"), "version 99 of the interface, but this Panto has version 1"),
        (format!("{bad}:empty"), "implements nothing"),
    ] {
        let outcome =
            Kernel::ScenarioOnly.points(&settings("bcast", &["binomial".into(), name.clone()]), &[]);
        let error = outcome.expect_err(&name).to_string();
        assert!(error.contains(words), "{name}: {error}");
    }
    let other = Kernel::ScenarioOnly.points(&settings("scan", &[library.named("wrong")]), &[]);
    assert!(other.expect_err("no scan").to_string().contains("does not support scan; it supports bcast"));
    let tree = Compiled::tree();
    let beside = Kernel::ScenarioOverlap.points(&settings("allreduce", &[tree.named("around")]), &[]);
    assert!(beside.expect_err("blocking only").to_string().contains("has no functions `start` and `test`"));
}

/// The example in Rust is a separate project that builds without Panto's. It supports powers of two
/// of ranks.
#[test]
fn the_example_in_rust_is_correct() {
    let library = Compiled::rust();
    let names = [library.named("doubling")];
    let usual = settings("allgather", &names);
    let scenario = Options { from: Some(2), ..usual.options.get::<Options>().into_owned() };
    let settings = Settings { ranks: vec![4], ..usual }.with_options(scenario);
    let records = measured(&Threads::default(), Kernel::ScenarioOnly, &settings);
    assert_eq!(records.iter().map(|record| record.point.ranks).collect::<Vec<_>>(), [2, 4]);
}
