//! One run of a launcher: its output, its end within a limit, and nothing left behind.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Longer than any run should take. It says only that something hangs.
pub const LIMIT: Duration = Duration::from_secs(240);

/// In the environment of all processes of a job, with a value of its own for each job.
const MARK: &str = "PANTO_TEST_JOB";

/// A run that is being put together.
pub struct Job(Command);

/// A run that has been started. When it is dropped, all its processes are gone.
pub struct Running {
    launcher: Child,
    mark: String,
    printed: TempDir,
}

/// What came of a run.
#[derive(Debug)]
pub struct Ended {
    /// The launcher's exit code.
    pub code: Option<i32>,
    /// The signal that ended the launcher.
    pub signal: Option<i32>,
    /// What all ranks and the launcher printed.
    pub stdout: String,
    pub stderr: String,
}

impl Job {
    pub fn new(command: Command) -> Self {
        Self(command)
    }

    /// More arguments: the words of a line.
    pub fn words(mut self, line: &str) -> Self {
        self.0.args(line.split_whitespace());
        self
    }

    /// One more argument.
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.0.arg(argument);
        self
    }

    /// One more variable.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.0.env(name, value);
        self
    }

    /// In a group of processes of its own, as a shell starts it on a terminal.
    pub fn in_a_group(mut self) -> Self {
        self.0.process_group(0);
        self
    }

    /// Runs to the end, which must come within [`LIMIT`].
    pub fn run(self) -> Ended {
        self.start().end(LIMIT)
    }

    /// Starts it. Output goes to files: a process that outlives the launcher would hold a pipe open. Input stays open: the launcher of
    /// Debian's MPICH passes its end on, and dies of a broken pipe if the ranks have ended meanwhile.
    pub fn start(mut self) -> Running {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let mark = format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let printed = tempfile::tempdir().expect("a directory");
        let file = |name| File::create(printed.path().join(name)).expect("writable");
        let started = self
            .0
            .env(MARK, &mark)
            .stdin(Stdio::piped())
            .stdout(file("stdout"))
            .stderr(file("stderr"))
            .spawn();
        let launcher = started.unwrap_or_else(|error| panic!("{:?} does not start: {error}", self.0));
        Running { launcher, mark, printed }
    }
}

impl Running {
    /// The launcher's process.
    pub fn launcher(&self) -> u32 {
        self.launcher.id()
    }

    /// Waits for the launcher's end. A run that takes longer than the limit hangs, and fails the test.
    pub fn end(&mut self, limit: Duration) -> Ended {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.launcher.try_wait().expect("it is our child") {
                break status;
            }
            assert!(start.elapsed() < limit, "no end after {limit:?}: {:#?}", self.so_far(None));
            std::thread::sleep(Duration::from_millis(5));
        };
        self.so_far(Some(status))
    }

    /// Asserts that the launcher has not ended yet.
    pub fn must_run(&mut self) {
        if let Some(status) = self.launcher.try_wait().expect("it is our child") {
            panic!("it ended too early: {:#?}", self.so_far(Some(status)));
        }
    }

    /// The processes of the job that run this program and have not ended.
    pub fn processes(&self, program: &str) -> Vec<u32> {
        let is_it =
            |pid: &u32| fs::read_to_string(proc(*pid, "comm")).is_ok_and(|name| name.trim() == program);
        marked(&self.mark).into_iter().filter(is_it).collect()
    }

    fn so_far(&self, status: Option<ExitStatus>) -> Ended {
        let text = |name| {
            let bytes = fs::read(self.printed.path().join(name)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        Ended {
            code: status.and_then(|status| status.code()),
            signal: status.and_then(|status| status.signal()),
            stdout: text("stdout"),
            stderr: text("stderr"),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Ranks are not always in the launcher's process group, and what dies may be replaced meanwhile.
        for _ in 0..3 {
            for pid in marked(&self.mark) {
                signal(pid, "-KILL");
            }
        }
        let _ = self.launcher.wait();
    }
}

impl Ended {
    /// Asserts success and answers what was printed.
    pub fn succeeds(&self) -> &str {
        assert_eq!((self.code, self.signal), (Some(0), None), "{self:#?}");
        &self.stdout
    }

    /// Asserts that it failed and that standard error holds these words.
    pub fn fails_with(&self, words: &[&str]) {
        assert!(self.code != Some(0), "{self:#?}");
        for word in words {
            assert!(self.stderr.contains(word), "no `{word}` in: {self:#?}");
        }
    }
}

/// Sends a signal. A process that is gone already is all right.
pub fn signal(pid: u32, name: &str) {
    Command::new("kill")
        .args([name, &pid.to_string()])
        .stderr(Stdio::null())
        .status()
        .expect("kill is there");
}

/// Looks every few milliseconds until it is so. If it never is, the test fails with these words.
pub fn until(what: &str, limit: Duration, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < limit, "{what}: not after {limit:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// All processes with this mark in their environment, zombies not counted: they have no environment any more.
fn marked(mark: &str) -> Vec<u32> {
    let entry = format!("{MARK}={mark}");
    let has_mark = |pid: &u32| {
        let environment = fs::read(proc(*pid, "environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == entry.as_bytes())
    };
    let entries = fs::read_dir("/proc").expect("Linux has it").flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(has_mark).collect()
}

fn proc(pid: u32, file: &str) -> impl AsRef<Path> + use<> {
    Path::new("/proc").join(pid.to_string()).join(file)
}
