//! Computation (P2): computed blocks are as long as the program itself measures them with its
//! thread's CPU clock, although ranks outnumber cores and spin while they wait.

use std::path::Path;

use panto_trace::{RankTrace, Trace, key};

use crate::mpis::{self, Mpi};
use crate::scene::Scene;

/// Ranks, more than most machines have cores; the test is also valid on larger machines.
const RANKS: usize = 8;

/// Length of a block in microseconds, and number of blocks.
const SHORT: &str = "-w 0 -u 100 -b 100";
const LONG: &str = "-w 5 -b 12";

/// Ranks whose blocks may have another sum than the program printed.
const MOST_WRONG: usize = RANKS / 4;

/// Relative tolerance: the program reads its clock inside a block, the tracer outside.
const TOLERANCE: f64 = 0.05;

/// Traces `compute`. Returns the trace, and the nanoseconds per block that each rank printed.
fn compute(mpi: &Mpi, app: &Path, options: &str, arguments: &str, tunables: &str) -> (Trace, Vec<f64>) {
    let scene = Scene::new();
    let job = scene.trace(options, mpi, RANKS, app).words(arguments).env("GLIBC_TUNABLES", tunables);
    let ended = job.run();
    let lines = ended.succeeds().lines().filter(|line| line.contains(" computed "));
    let figure = |line: &str, place: usize| {
        let word = line.split_whitespace().nth(place).and_then(|word| word.parse::<f64>().ok());
        word.unwrap_or_else(|| panic!("no figure in `{line}`"))
    };
    // The line has the form `rank 0 computed 123 ns in 20 blocks`.
    let said: Vec<f64> = lines.map(|line| figure(line, 3) / figure(line, 6)).collect();
    assert_eq!(said.len(), RANKS, "{ended:#?}");
    (scene.traced(), said)
}

/// Returns the nanoseconds of the blocks before the exchanges of a rank, in ascending order.
fn blocks(rank: &RankTrace) -> Vec<f64> {
    let mut all = Vec::new();
    let mut events = rank.events();
    while let Some(event) = events.next().expect("sound") {
        if event.name() == "MPI_Sendrecv" {
            all.push(event.before() as f64);
        }
    }
    all.sort_by(f64::total_cmp);
    all
}

fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() <= TOLERANCE * other
}

/// Asserts that blocks in the trace are as long as the program printed: their median on each rank,
/// and their sum on most ranks. On a few ranks the sum may differ: after the program has read its
/// clock, the kernel may still charge the time that a hypervisor took.
fn is_right(trace: &Trace, said: &[f64], what: &str) {
    let mut wrong_sums = Vec::new();
    for (rank, said) in trace.ranks().iter().zip(said) {
        let blocks = blocks(rank);
        let (median, mean) = (blocks[blocks.len() / 2], blocks.iter().sum::<f64>() / blocks.len() as f64);
        assert!(is_near(median, *said), "{what}, rank {}: median {median}, said {said}", rank.rank());
        if !is_near(mean, *said) {
            wrong_sums.push(format!("rank {}: mean {mean}, said {said}", rank.rank()));
        }
    }
    assert!(wrong_sums.len() <= MOST_WRONG, "{what}: {wrong_sums:?}");
}

fn method(trace: &Trace) -> &str {
    trace.ranks()[0].metadata().get(key::METHOD).expect("it is written")
}

#[test]
fn by_the_cpu_clock() {
    for mpi in [mpis::MPICH, mpis::OPEN_MPI] {
        let Some(app) = mpi.app("compute") else { continue };
        for arguments in [SHORT, LONG] {
            let (trace, said) = compute(&mpi, &app, "", arguments, "");
            is_right(&trace, &said, &format!("{arguments} on {}", mpi.name));
        }
    }
}

/// Where the C library does not report preemption, the CPU clock is read around each block.
#[test]
fn by_the_cpu_clock_alone() {
    let mpi = mpis::MPICH;
    let Some(app) = mpi.app("compute") else { return };
    for arguments in [SHORT, LONG] {
        let (trace, said) = compute(&mpi, &app, "", arguments, "glibc.pthread.rseq=0");
        assert!(method(&trace).contains("around blocks"), "{}", method(&trace));
        is_right(&trace, &said, arguments);
    }
}

#[test]
fn with_tokens() {
    for mpi in [mpis::MPICH, mpis::OPEN_MPI] {
        let Some(app) = mpi.app("compute") else { continue };
        let (trace, said) = compute(&mpi, &app, "--token", LONG, "");
        assert_eq!(trace.ranks()[0].metadata().get(key::TOKEN), Some("yes"));
        is_right(&trace, &said, mpi.name);
    }
}

/// Wall-clock time is at least the CPU time, and more on a shared core.
#[test]
fn by_the_wall_clock() {
    let mpi = mpis::MPICH;
    let Some(app) = mpi.app("compute") else { return };
    let (trace, said) = compute(&mpi, &app, "--clock wall", LONG, "");
    for (rank, said) in trace.ranks().iter().zip(&said) {
        assert_eq!(rank.metadata().get(key::CLOCK), Some("wall"));
        let blocks = blocks(rank);
        assert!(blocks[0] >= *said * (1.0 - TOLERANCE), "{} and {said}", blocks[0]);
    }
}

/// Computation of threads that never call MPI is reported.
#[test]
fn of_other_threads() {
    for mpi in [mpis::MPICH, mpis::OPEN_MPI] {
        let Some(app) = mpi.app("helpers") else { continue };
        let scene = Scene::new();
        let ended = scene.trace("", &mpi, 2, &app).words("-w 5 -b 20 -t 2").run();
        let lines = ended.succeeds().lines().filter(|line| line.contains(" its helpers "));
        // The line has the form `rank 0 computed 123 ns, its helpers 456 ns`.
        let said: Vec<f64> = lines
            .map(|line| line.split_whitespace().nth(7).unwrap_or_default().parse().expect(line))
            .collect();
        assert_eq!(said.len(), 2, "{ended:#?}");
        for (rank, said) in scene.traced().ranks().iter().zip(&said) {
            let others = rank.metadata().number(key::OTHER_THREADS).expect("it is written") as f64;
            assert!(is_near(others, *said), "{}: {others} traced, {said} said", mpi.name);
        }
    }
}
