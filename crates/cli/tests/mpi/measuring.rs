//! A job that would measure for a minute, for tests that interrupt it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::alone;
use crate::job::{Job, Running, until};

/// Longer than all of Panto's time-outs for such a job on a busy machine; exceeded only if a
/// process hangs.
pub const LIMIT: Duration = Duration::from_secs(90);

/// A running job that has some points in its file.
pub struct Measuring {
    pub job: Running,
    path: PathBuf,
    _folder: TempDir,
}

impl Measuring {
    /// Starts the job, and waits until its file has some points.
    pub fn start(job: Job, options: &str) -> Self {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("run.jsonl");
        let line = format!("bench echo barrier --sizes 0..64K -t 60s --precision 0.000001 {options} -o");
        let mut measuring = Self { job: job.words(&line).arg(&path).start(), path, _folder: folder };
        until("some points are measured", LIMIT, || {
            measuring.job.must_run();
            lines(&measuring.path).len() >= 3
        });
        measuring
    }

    /// Returns the process id of a rank from the manifest.
    pub fn process(&self, rank: usize) -> u32 {
        let manifest: Value = serde_json::from_str(&lines(&self.path)[0]).expect("JSON");
        manifest["placement"][rank]["pid"].as_u64().expect("a process") as u32
    }

    /// Asserts that the results file is readable.
    pub fn is_kept(&self) {
        let output = alone(&format!("info --salvage {}", self.path.display()));
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(String::from_utf8_lossy(&output.stdout).contains("comet/echo"));
    }
}

fn lines(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}
