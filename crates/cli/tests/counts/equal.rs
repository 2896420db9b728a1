//! For each program and MPI: calls, bytes and peers equal an independent count, and the program
//! behaves as it does untraced.

use std::panic::resume_unwind;
use std::thread;

use crate::mpis::{self, Family, Mpi};
use crate::scene::{Scene, plain, printed};

/// Four ranks cover what two do not: a different partner on each side, and a root that is neither.
/// More ranks would only spin on shared cores.
const RANKS: usize = 4;

/// Programs that compute something (P17), with sizes that are fast.
const PROGRAMS: &[&str] = &[
    "stencil -n 40 -i 12 -k 3",
    "mergesort -n 2000",
    "cholesky_fanin -n 40",
    "cholesky_fanout -n 40",
    "cholesky_fanout -n 40 --in-order",
    "summa gemm -n 48 -b 16",
    "summa symm -n 48 -b 16",
    "summa trmm -n 48 -b 16",
    "summa syrk -n 48 -b 16",
    "summa syr2k -n 48 -b 16",
    "summa trsm -n 48 -b 16",
];

/// Programs that test one kind of call each.
const SMALL: &[&str] = &[
    "hello",
    "modes",
    "completions",
    "wildcards -n 10",
    "polls -i 2",
    "types",
    "collectives",
    "neighbours",
    "communicators",
    "large",
    "threads -i 10",
    "onesided",
    "files",
    "compute -w 0 -u 100 -b 5",
    "helpers -w 1 -b 3 -t 1",
    "nx",
];

/// Programs that end without `MPI_Finalize`. They run with one rank: of several, the launcher kills
/// some, and its exit code depends on which.
const CUT_OFF: &[&str] = &["early_exit", "abort"];

/// Programs that wait for messages and requests in every way.
const WAITING: &[&str] = &[
    "stencil -n 40 -i 12 -k 3",
    "cholesky_fanin -n 40",
    "mergesort -n 2000",
    "modes",
    "completions",
    "wildcards -n 10",
];

/// Compares programs, given by their command lines, and reports every difference.
fn are_equal(mpi: &Mpi, options: &str, ranks: usize, lines: &[&str]) {
    let each = |some: &[&str]| -> Vec<String> {
        some.iter().flat_map(|line| differences(mpi, options, ranks, line)).collect()
    };
    let differences: Vec<String> = thread::scope(|scope| {
        let parts = lines.chunks(lines.len().div_ceil(side_by_side(mpi)));
        let jobs: Vec<_> = parts.map(|some| scope.spawn(move || each(some))).collect();
        jobs.into_iter().flat_map(|job| job.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    assert!(differences.is_empty(), "{}:\n{}", mpi.name, differences.join("\n"));
}

/// Returns the number of programs to run at once. Open MPI's launchers sleep most of the time, and
/// its waiting ranks yield the core.
fn side_by_side(mpi: &Mpi) -> usize {
    match mpi.family {
        Family::OpenMpi4 | Family::OpenMpi5 => 4,
        Family::Mpich | Family::Intel => 1,
    }
}

fn differences(mpi: &Mpi, options: &str, ranks: usize, line: &str) -> Vec<String> {
    let (name, arguments) = line.split_once(' ').unwrap_or((line, ""));
    let Some(app) = mpi.app(name) else { return Vec::new() };
    let scene = Scene::new();
    let ended = scene.count(options, mpi, ranks, &app).words(arguments).run();
    let (mut differences, compared) = scene.differences();
    if compared < ranks || scene.traced().is_complete() == CUT_OFF.contains(&name) {
        differences.push(format!("{compared} ranks were counted to their end: {ended:#?}"));
    }
    // Each run takes long, so only the MPIs of the system are tested here.
    if mpi.is_system_package() {
        let untraced = plain(mpi, ranks, &app).words(arguments).run();
        if (ended.code, printed(&ended)) != (untraced.code, printed(&untraced)) {
            differences.push(format!("traced {ended:#?}, untraced {untraced:#?}"));
        }
    }
    differences.into_iter().map(|difference| format!("{line}: {difference}")).collect()
}

macro_rules! on_each {
    ($($module:ident $mpi:ident;)*) => {$(
        mod $module {
            use super::{CUT_OFF, PROGRAMS, RANKS, SMALL, WAITING, are_equal, mpis};

            #[test]
            fn programs() {
                are_equal(&mpis::$mpi, "", RANKS, PROGRAMS);
            }

            #[test]
            fn small_ones() {
                are_equal(&mpis::$mpi, "", RANKS, SMALL);
            }

            #[test]
            fn ones_that_end_without_leave() {
                are_equal(&mpis::$mpi, "", 1, CUT_OFF);
            }

            /// A waiting rank polls first, and then yields.
            #[test]
            fn ones_that_take_turns() {
                are_equal(&mpis::$mpi, "--token", RANKS, WAITING);
            }
        }
    )*};
}

on_each! {
    mpich MPICH;
    open_mpi OPEN_MPI;
    mpich_5 MPICH_5;
    mpich_5_standard MPICH_5_STANDARD;
    open_mpi_5 OPEN_MPI_5;
}
