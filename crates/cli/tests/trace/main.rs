//! `panto trace` on real MPIs: its output, and the files that remain after failures.

mod hosts;
mod killed;
mod limits;
mod nothing;
mod passing;
mod ranks;
mod refused;
mod run;
mod scaling;
mod terminal;

use panto_testkit::jobs::{job, mpis};
use std::path::{Path, PathBuf};
use std::process::Command;

use job::{Job, JobOutput};
use mpis::Mpi;
use panto_trace::Trace;
use tempfile::TempDir;

/// The binary under test.
const PANTO: &str = env!("CARGO_BIN_EXE_panto");

/// The MPIs of the system, for tests that do not depend on the MPI.
const USUAL: [Mpi; 2] = [mpis::MPICH, mpis::OPEN_MPI];

/// A folder with a trace.
struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a directory") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the path of the trace.
    fn file(&self) -> PathBuf {
        self.path("app.panto")
    }

    /// Returns the folder of the ranks' own files.
    fn ranks(&self) -> PathBuf {
        self.path("app.panto.ranks")
    }

    /// Returns the job `panto trace -o app.panto` with the words of a line; the caller adds the
    /// command.
    fn trace(&self, options: &str) -> Job {
        self.trace_by(Command::new(PANTO), options)
    }

    /// Returns the same job, started by a command that starts `panto`.
    fn trace_by(&self, mut command: Command, options: &str) -> Job {
        command.current_dir(self.folder.path()).envs(mpis::ENVIRONMENT);
        command.args(["trace", "-o"]).arg(self.file()).args(options.split_whitespace()).arg("--");
        Job::new(command)
    }

    /// Returns `panto trace` of a program on `ranks` ranks.
    fn trace_on(&self, mpi: &Mpi, ranks: usize, app: &Path) -> Job {
        mpi.launch_words(ranks).into_iter().fold(self.trace(""), Job::arg).arg(app)
    }

    /// Returns a job in which each rank is a `panto trace` of the program.
    fn trace_in(&self, mpi: &Mpi, ranks: usize, app: &Path) -> Job {
        let panto = Path::new(PANTO);
        on(mpi, ranks, panto).words("trace -o").arg(self.file()).arg("--").arg(app)
    }

    /// Combines the ranks' files, as the error message suggests.
    fn combine(&self) {
        let mut command = Command::new(PANTO);
        command.args(["trace", "combine"]).arg(self.ranks()).arg("-o").arg(self.file());
        Job::new(command).run().succeeds();
    }

    /// Opens the trace that was written.
    fn written(&self) -> Trace {
        Trace::open(&self.file()).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Asserts that nothing but the trace is in the folder.
    fn is_tidy(&self) {
        let entries = std::fs::read_dir(self.folder.path()).expect("it is ours").flatten();
        let names: Vec<_> =
            entries.map(|entry| entry.file_name()).filter(|name| name != "app.panto").collect();
        assert!(names.is_empty(), "{names:?} is left");
    }
}

/// Returns a job that runs a program on `ranks` ranks without the tracer.
fn on(mpi: &Mpi, ranks: usize, program: &Path) -> Job {
    let words = mpi.launch_words(ranks);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).arg(program).envs(mpis::ENVIRONMENT);
    Job::new(command)
}

/// Part of the warning that ranks outnumber cores.
const CROWDED: &str = " ranks shared ";

/// Returns Panto's messages among those of program and launcher, without the warning that depends
/// on the number of cores.
fn said(ended: &JobOutput) -> Vec<&str> {
    ended.stderr.lines().filter(|line| line.starts_with("panto: ") && !line.contains(CROWDED)).collect()
}

/// Asserts that one of Panto's messages contains all these words.
fn says(ended: &JobOutput, words: &[&str]) {
    let holds_all = |line: &&&str| words.iter().all(|word| line.contains(word));
    assert_eq!(said(ended).iter().filter(holds_all).count(), 1, "not once {words:?} in {ended:#?}");
}

/// Asserts that what is left of a killed program can be simulated, with a note of what is left out.
fn simulates(trace: &Path) {
    let mut command = Command::new(PANTO);
    command.arg("simulate").arg(trace).args(["-m", "infiniband"]);
    let ended = Job::new(command).run();
    ended.succeeds();
    says(&ended, &["ends before MPI_Finalize", " recorded calls "]);
}

/// Returns the number of calls that each rank recorded.
fn calls(trace: &Trace) -> Vec<u64> {
    trace.ranks().iter().map(panto_trace::RankTrace::events_count).collect()
}
