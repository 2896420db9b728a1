//! Runs of a program: plain, traced, and traced and counted at once.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use panto_trace::Trace;
use tempfile::TempDir;

use crate::PANTO;
use crate::figures::Counts;
use crate::job::{Job, JobOutput};
use crate::mpis::{self, Mpi};
use crate::{left_out, matched, summary, traced};

/// A folder with a trace and the counter's output of the same run.
pub struct Scene {
    folder: TempDir,
}

impl Scene {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a directory");
        std::fs::create_dir(folder.path().join("counts")).expect("writable");
        Self { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns `panto trace` with the options of a line, for a program on `ranks` ranks; the caller
    /// adds its arguments.
    pub fn trace(&self, options: &str, mpi: &Mpi, ranks: usize, program: &Path) -> Job {
        let mut command = Command::new(PANTO);
        command.current_dir(self.folder.path()).envs(mpis::ENVIRONMENT);
        command.args(["trace", "-o"]).arg(self.path("app.panto")).args(options.split_whitespace()).arg("--");
        command.args(mpi.launch_words(ranks)).arg(program);
        Job::new(command)
    }

    /// Returns the same job with the counter preloaded behind the tracer.
    pub fn count(&self, options: &str, mpi: &Mpi, ranks: usize, program: &Path) -> Job {
        let counter = mpi.app("libcount.so").expect("it is built beside the programs");
        self.count_alone(options, mpi, ranks, program).env("LD_PRELOAD", counter)
    }

    /// Returns the same job for a program that counts for itself.
    pub fn count_alone(&self, options: &str, mpi: &Mpi, ranks: usize, program: &Path) -> Job {
        self.trace(options, mpi, ranks, program).env("COUNT_DIR", self.path("counts"))
    }

    /// Opens the trace.
    pub fn traced(&self) -> Trace {
        Trace::open(&self.path("app.panto")).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Returns the differences between trace and counter, the unmatched messages, and the number of
    /// ranks for which the counter finished.
    pub fn differences(&self) -> (Vec<String>, usize) {
        let trace = self.traced();
        let mut differences = matched::unmatched(&trace);
        let mut all = Vec::new();
        for rank in trace.ranks() {
            let file = self.path("counts").join(format!("rank-{}.txt", rank.rank()));
            if !file.exists() {
                continue;
            }
            let (mut traced, mut counted) = (traced::counts(rank), Counts::read(&file));
            left_out::from_traced(&mut traced);
            left_out::from_counted(&mut counted);
            let each = traced.differences(&counted).into_iter();
            differences.extend(each.map(|difference| format!("rank {}: {difference}", rank.rank())));
            all.push((rank.rank(), counted));
        }
        differences.extend(summary::differences(&trace, &all));
        (differences, all.len())
    }
}

/// Returns a program on `ranks` ranks, without Panto.
pub fn plain(mpi: &Mpi, ranks: usize, program: &Path) -> Job {
    let words: Vec<OsString> = mpi.launch_words(ranks);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).arg(program).envs(mpis::ENVIRONMENT);
    Job::new(command)
}

/// Returns the printed lines in an order that is independent of scheduling, without clock readings.
pub fn printed(ended: &JobOutput) -> Vec<String> {
    let mut lines: Vec<String> = ended.stdout.lines().map(without_times).collect();
    lines.sort();
    lines
}

fn without_times(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let is_time = |place: usize| {
        words.get(place + 1).is_some_and(|unit| matches!(unit.trim_end_matches(','), "s" | "ns"))
            && words[place].parse::<f64>().is_ok()
    };
    let masked = (0..words.len()).map(|place| if is_time(place) { "TIME" } else { words[place] });
    masked.collect::<Vec<_>>().join(" ")
}
