//! A rank that dies, a launcher that is killed, a rank that hangs: the results so far are on disk,
//! and all processes end.

use crate::job::{signal, until};
use crate::measuring::{LIMIT, Measuring};
use crate::mpis::{self, Family, Mpi};

/// Runs a check on both MPIs of the system.
fn everywhere(check: impl Fn(&Mpi)) {
    [mpis::MPICH, mpis::OPEN_MPI].iter().filter(|mpi| mpi.is_installed()).for_each(check);
}

/// The rank that dies may be the one that writes or any other. Hydra often kills the others before
/// they can report; then it prints itself that a process died.
#[test]
fn a_rank_that_dies_is_named() {
    everywhere(|mpi| {
        for rank in [0, 2] {
            let mut measuring = Measuring::start(mpi.job(3), "");
            let process = measuring.process(rank);
            signal(process, "-KILL");
            let ended = measuring.job.end(LIMIT);
            assert!(ended.code != Some(0), "{}: {ended:#?}", mpi.name);
            let is_named = ended.stderr.contains(&format!("rank {rank} (process {process}) has died"));
            let by_hydra = ended.stdout.contains("BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES");
            assert!(is_named || by_hydra, "{}: rank {rank} is not named: {ended:#?}", mpi.name);
            measuring.is_kept();
        }
    });
}

/// No process survives the launcher.
#[test]
fn no_rank_outlives_the_launcher() {
    everywhere(|mpi| {
        let measuring = Measuring::start(mpi.job(3), "");
        assert_eq!(measuring.job.processes("panto").len(), 3, "{}", mpi.name);
        signal(measuring.job.launcher(), "-KILL");
        until(&format!("{}: all ranks are gone", mpi.name), LIMIT, || {
            measuring.job.processes("panto").is_empty()
        });
        measuring.is_kept();
    });
}

#[test]
fn ctrl_c_at_the_launcher_keeps_what_was_measured() {
    everywhere(|mpi| {
        let mut measuring = Measuring::start(mpi.job(3), "");
        signal(measuring.job.launcher(), "-INT");
        let ended = measuring.job.end(LIMIT);
        // Hydra loses the exit codes of ranks in one of ten interrupted jobs, also of a plain C
        // program; Panto's own message counts then.
        let is_hydra = mpi.family == Family::Mpich;
        let is_reported = is_hydra && ended.stderr.contains("panto: stopped");
        assert!(ended.code != Some(0) || is_reported, "{}: {ended:#?}", mpi.name);
        measuring.is_kept();
    });
}

/// When a rank is stopped by a signal, the others abort after the requested time-out.
#[test]
fn a_rank_that_hangs_ends_the_job() {
    everywhere(|mpi| {
        let mut measuring = Measuring::start(mpi.job(3), "--stall-time 5s");
        signal(measuring.process(1), "-STOP");
        let ended = measuring.job.end(LIMIT);
        ended.fails_with(&["--stall-time"]);
        measuring.is_kept();
    });
}
