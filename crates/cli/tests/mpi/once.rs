//! A launcher starts many processes with one command line; common output is printed once.

use crate::mpis;
use crate::on;

/// Runs a line on every MPI of the system and checks its output.
fn everywhere(ranks: usize, line: &str, check: impl Fn(&crate::job::JobOutput)) {
    for mpi in [mpis::MPICH, mpis::OPEN_MPI].iter().filter(|mpi| mpi.is_installed()) {
        check(&on(mpi, ranks, line));
    }
}

/// Returns the number of tables of a kernel, each of which begins with its name.
fn tables(text: &str, kernel: &str) -> usize {
    let title = format!("{kernel}: ");
    text.lines().filter(|line| line.starts_with(&title)).count()
}

#[test]
fn a_wrong_command_is_refused_once() {
    for (line, words) in [
        ("bench echo --no-such-option", "--no-such-option"),
        ("bench comet/ecco", "comet/ecco"),
        ("bench echo --sizes 12parsecs", "12parsecs"),
        ("bench echo --distance moon", "moon"),
        ("bench echo --ranks 99 -t 1s", "99"),
    ] {
        everywhere(4, line, |ended| {
            assert!(ended.code != Some(0), "{line}: {ended:#?}");
            let is_panto = |line: &&str| line.starts_with("panto: ") || line.starts_with("error: ");
            let said = ended.stderr.lines().filter(is_panto).filter(|line| line.contains(words)).count();
            assert_eq!(said, 1, "{line}: {ended:#?}");
            assert!(ended.stdout.is_empty(), "{line}: {ended:#?}");
        });
    }
}

#[test]
fn a_simulated_machine_is_simulated_once() {
    everywhere(2, "bench --on ipsc860 echo --ranks 4 --hops 1 --sizes 8", |ended| {
        assert_eq!(tables(ended.succeeds(), "comet/echo"), 1, "{ended:#?}");
    });
}

#[test]
fn what_needs_no_ranks_is_printed_once() {
    everywhere(3, "--version", |ended| {
        assert_eq!(ended.succeeds().lines().count(), 1, "{ended:#?}");
    });
    everywhere(3, "machines", |ended| {
        let lines = ended.succeeds().lines().filter(|line| line.trim_start().starts_with("ipsc860")).count();
        assert_eq!(lines, 1, "{ended:#?}");
    });
}

/// A run on all ranks prints one table, and the first rank writes the file.
#[test]
fn the_table_of_a_run_is_printed_once() {
    everywhere(4, "bench barrier -t 1s", |ended| {
        assert_eq!(tables(ended.succeeds(), "comet/barrier"), 1, "{ended:#?}");
    });
}
