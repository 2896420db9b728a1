//! A rank that dies, a launcher that is killed, a rank that hangs: the results so far are on disk, and everything ends.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::alone;
use crate::job::{Running, signal, until};
use crate::mpis::{self, Mpi};

/// Longer than all time-outs that Panto states for what happens here, on a busy machine. It says only that something hangs.
const LIMIT: Duration = Duration::from_secs(90);

/// A job that would measure for minutes, with some points in its file.
struct Measuring {
    job: Running,
    path: PathBuf,
    _folder: TempDir,
}

impl Measuring {
    fn start(mpi: &Mpi, options: &str) -> Self {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("run.jsonl");
        let line = format!("bench echo barrier --sizes 0..64K -t 300s --precision 0.000001 {options} -o");
        let job = mpi.job(3).words(&line).arg(&path).start();
        let mut measuring = Self { job, path, _folder: folder };
        until("some points are measured", LIMIT, || {
            measuring.job.must_run();
            measuring.lines().len() >= 4
        });
        measuring
    }

    /// What is in the file by now.
    fn lines(&self) -> Vec<String> {
        let text = std::fs::read_to_string(&self.path).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// The process of a rank, as the manifest names it.
    fn process(&self, rank: usize) -> u32 {
        let manifest: Value = serde_json::from_str(&self.lines()[0]).expect("JSON");
        manifest["placement"][rank]["pid"].as_u64().expect("a process") as u32
    }
}

/// Asserts that what was measured can be read.
fn is_kept(path: &Path) {
    let output = alone(&format!("info --salvage {}", path.display()));
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("comet/echo"));
}

/// Runs on both MPIs of the system.
fn everywhere(check: impl Fn(&Mpi)) {
    [mpis::MPICH, mpis::OPEN_MPI].iter().filter(|mpi| mpi.is_here()).for_each(check);
}

/// Whichever rank it is: the one that writes, or one that only takes part. Hydra kills the others so soon that they may have
/// no time to speak; it names the process itself, whose rank stands in the file.
#[test]
fn a_rank_that_dies_is_named() {
    everywhere(|mpi| {
        for rank in [0, 2] {
            let measuring = Measuring::start(mpi, "");
            let process = measuring.process(rank);
            signal(process, "-KILL");
            let Measuring { job, path, _folder } = measuring;
            let ended = job.end(LIMIT);
            assert!(ended.code != Some(0), "{}: {ended:#?}", mpi.name);
            let is_said = ended.stderr.contains(&format!("rank {rank} (process {process}) is gone"));
            let by_launcher = ended.stdout.contains(&format!("PID {process} "));
            assert!(is_said || by_launcher, "{}: rank {rank} is not named: {ended:#?}", mpi.name);
            is_kept(&path);
        }
    });
}

/// Nobody is left behind, although nobody is there any more to tell them.
#[test]
fn no_rank_outlives_the_launcher() {
    everywhere(|mpi| {
        let Measuring { job, path, _folder } = Measuring::start(mpi, "");
        assert_eq!(job.processes("panto").len(), 3, "{}", mpi.name);
        signal(job.launcher(), "-KILL");
        until(&format!("{}: all ranks are gone", mpi.name), LIMIT, || job.processes("panto").is_empty());
        is_kept(&path);
    });
}

#[test]
fn ctrl_c_at_the_launcher_keeps_what_was_measured() {
    everywhere(|mpi| {
        let Measuring { job, path, _folder } = Measuring::start(mpi, "");
        signal(job.launcher(), "-INT");
        let ended = job.end(LIMIT);
        assert!(ended.code != Some(0), "{}: {ended:#?}", mpi.name);
        is_kept(&path);
    });
}

/// A rank that is stopped, and so does not die: the others give up after the time that was asked for.
#[test]
fn a_rank_that_hangs_ends_the_job() {
    everywhere(|mpi| {
        let measuring = Measuring::start(mpi, "--stall-time 5s");
        signal(measuring.process(1), "-STOP");
        let Measuring { job, path, _folder } = measuring;
        let ended = job.end(LIMIT);
        ended.fails_with(&["--stall-time"]);
        is_kept(&path);
    });
}
