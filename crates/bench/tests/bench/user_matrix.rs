//! User-supplied matrix operations: correct ones, and some that are wrong or crash (C16).

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use panto_bench::comet::Options;
use panto_bench::scenario::operation::Implementation;
use panto_bench::{Kernel, Settings, run};
use panto_machine::Machine;
use panto_results::{Record, param};
use panto_transport::World;
use panto_transport::simulated::{Sharing, Simulated};
use panto_transport::threads::Threads;

use crate::compiled::Compiled;
use crate::support::{Collect, measured, tiny};

fn settings(ranks: usize, mesh: &str, dim: u64, names: &[String]) -> Settings {
    let parsed = |name: &String| name.parse::<Implementation>().expect("an implementation");
    let comet = Options {
        implementations: Some(names.iter().map(parsed).collect()),
        mesh: Some(mesh.parse().expect("a mesh")),
        ..Options::default()
    };
    Settings { dims: Some(vec![dim]), ranks_given: true, ..tiny(ranks) }.with_options(comet)
}

/// Measures a kernel, and returns how many rows each implementation has, all of them correct.
fn rows<W: World>(world: &W, kernel: Kernel, settings: &Settings, names: &[String]) -> Vec<usize> {
    let records = measured(world, kernel, settings);
    for record in &records {
        assert!(record.verified && record.absent.is_none() && record.wrong.is_none(), "{record:?}");
    }
    let count = |name: &String| records.iter().filter(|record| is_by(record, name)).count();
    names.iter().map(count).collect()
}

fn is_by(record: &Record, name: &str) -> bool {
    record.point.text(param::IMPLEMENTATION) == name
}

/// Meshes on which ranks are their own neighbours, have one neighbour on both sides, or have blocks
/// of other shapes.
fn example_is_correct<W: World>(world: &W) {
    let library = Compiled::matrix();
    let names = ["library".to_owned(), library.named("phases")];
    for (ranks, mesh) in [(1, "1x1"), (2, "1x2"), (4, "2x2:0,1,3,2"), (6, "3x2")] {
        let settings = settings(ranks, mesh, 10, &names);
        assert_eq!(rows(world, Kernel::Guard, &settings, &names), [1, 1], "guard on {mesh}");
        assert_eq!(rows(world, Kernel::Shift, &settings, &names), [2, 2], "shift on {mesh}");
    }
}

#[test]
fn matrix_operations_of_the_user_are_correct_on_threads() {
    example_is_correct(&Threads::default());
}

#[test]
fn matrix_operations_of_the_user_are_correct_on_a_simulated_machine() {
    let machine = Machine::load("ipsc860", &[]).expect("a built-in machine");
    example_is_correct(&Simulated::new(Arc::new(machine), Sharing::Endpoints));
}

/// A transpose has one form only if it is the user's; a broadcast knows its line and its owner.
#[test]
fn transposes_and_broadcasts_are_replaced() {
    let library = Compiled::matrices();
    let names = ["library".to_owned(), library.named("right")];
    let settings = settings(4, "2x2", 10, &names);
    for (kernel, expected) in
        [(Kernel::Transpose, [2, 1]), (Kernel::RowBroadcast, [1, 1]), (Kernel::ColumnBroadcast, [1, 1])]
    {
        assert_eq!(rows(&Threads::default(), kernel, &settings, &names), expected, "{}", kernel.name());
    }
}

/// Each faulty implementation has a row that states its error, and the other rows are complete.
#[test]
fn an_operation_that_is_wrong_has_its_error_in_its_row() {
    let library = Compiled::matrices();
    let faults = [
        ("idle", "wrong data: the element for row"),
        ("crashes", "crashed: signal 11 (SIGSEGV) in "),
        ("refuses", "`run` returned 7"),
    ];
    let mut names: Vec<String> = faults.iter().map(|(name, _)| library.named(name)).collect();
    names.push("library".into());
    let (mut observer, interrupt) = (Collect::default(), AtomicBool::new(false));
    let settings = settings(4, "2x2", 10, &names);
    run(&Threads::default(), &[Kernel::Transpose], &settings, &interrupt, &mut observer)
        .expect("it continues");
    let records = observer.records;
    let own: Vec<&Record> = records.iter().filter(|record| is_by(record, "library")).collect();
    assert!(own.len() == 2 && own.iter().all(|record| record.verified), "{own:?}");
    for (name, words) in faults {
        let found = records.iter().find(|record| is_by(record, &library.named(name)));
        let record = found.unwrap_or_else(|| panic!("{name} has no row"));
        let error = record.wrong.as_ref().or(record.absent.as_ref());
        assert!(error.is_some_and(|error| error.contains(words)), "{name}: {record:?}");
    }
}

#[test]
fn what_is_no_matrix_operation_is_refused() {
    let (collectives, matrices) = (Compiled::tree(), Compiled::matrices());
    for (name, words) in [
        (collectives.named("tree"), "tree is not an implementation of a matrix operation"),
        (
            matrices.named("right"),
            "does not support guard; it supports transpose, row-broadcast, column-broadcast",
        ),
        ("binomial".to_owned(), "binomial is an algorithm of collectives"),
        (matrices.named("nowhere"), "exports no `nowhere`"),
    ] {
        let outcome = Kernel::Guard.points(&settings(4, "2x2", 10, &[name]), &[]);
        let error = outcome.expect_err(words).to_string();
        assert!(error.contains(words), "{error}");
    }
}
