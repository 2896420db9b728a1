//! One run of a launcher: its output, a time limit, and no process left behind.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The time limit of a run, longer than any should take: exceeding it means a hang.
pub const LIMIT: Duration = Duration::from_secs(240);

/// The environment variable that marks all processes of a job, with a value unique to the job.
const MARK: &str = "PANTO_TEST_JOB";

/// A job that has not been started.
pub struct Job(Command);

/// A job that has been started. Dropping it kills all its processes.
pub struct Running {
    launcher: Child,
    mark: String,
    printed: TempDir,
}

/// The outcome of a job.
#[derive(Debug)]
pub struct JobOutput {
    /// The exit code of the launcher.
    pub code: Option<i32>,
    /// The signal that ended the launcher.
    pub signal: Option<i32>,
    /// Standard output of all ranks and the launcher.
    pub stdout: String,
    /// Standard error of all ranks and the launcher.
    pub stderr: String,
}

impl Job {
    /// Creates a job that runs the command.
    pub fn new(command: Command) -> Self {
        Self(command)
    }

    /// Adds the words of a line as arguments.
    #[must_use]
    pub fn words(mut self, line: &str) -> Self {
        self.0.args(line.split_whitespace());
        self
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.0.arg(argument);
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.0.env(name, value);
        self
    }

    /// Starts the job in its own process group, as an interactive shell does.
    #[must_use]
    pub fn in_a_group(mut self) -> Self {
        self.0.process_group(0);
        self
    }

    /// Runs the job to its end, which must come within [`LIMIT`].
    pub fn run(self) -> JobOutput {
        self.start().end(LIMIT)
    }

    /// Starts the job.
    ///
    /// Output goes to files, since a process that outlives the launcher would hold a pipe open.
    /// Input stays open: the launcher of Debian's MPICH forwards end-of-file, and dies of SIGPIPE
    /// if the ranks have ended by then.
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
    /// Returns the process id of the launcher.
    pub fn launcher(&self) -> u32 {
        self.launcher.id()
    }

    /// Waits for the launcher to exit; a run that exceeds the limit fails the test.
    pub fn end(&mut self, limit: Duration) -> JobOutput {
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

    /// Asserts that the launcher is still running.
    pub fn must_run(&mut self) {
        if let Some(status) = self.launcher.try_wait().expect("it is our child") {
            panic!("it ended too early: {:#?}", self.so_far(Some(status)));
        }
    }

    /// Returns the live processes of the job that run this program.
    pub fn processes(&self, program: &str) -> Vec<u32> {
        let is_it =
            |pid: &u32| fs::read_to_string(proc(*pid, "comm")).is_ok_and(|name| name.trim() == program);
        marked(&self.mark).into_iter().filter(is_it).collect()
    }

    fn so_far(&self, status: Option<ExitStatus>) -> JobOutput {
        let text = |name| {
            let bytes = fs::read(self.printed.path().join(name)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        JobOutput {
            code: status.and_then(|status| status.code()),
            signal: status.and_then(|status| status.signal()),
            stdout: text("stdout"),
            stderr: text("stderr"),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Ranks are not always in the launcher's process group, and a killed process may have been
        // replaced.
        for _ in 0..3 {
            for pid in marked(&self.mark) {
                signal(pid, "-KILL");
            }
        }
        let _ = self.launcher.wait();
    }
}

impl JobOutput {
    /// Asserts success and returns standard output.
    pub fn succeeds(&self) -> &str {
        assert_eq!((self.code, self.signal), (Some(0), None), "{self:#?}");
        &self.stdout
    }

    /// Asserts failure, with these words in standard error.
    pub fn fails_with(&self, words: &[&str]) {
        assert!(self.code != Some(0), "{self:#?}");
        for word in words {
            assert!(self.stderr.contains(word), "no `{word}` in: {self:#?}");
        }
    }
}

/// Sends a signal; a process that has exited is ignored.
pub fn signal(pid: u32, name: &str) {
    Command::new("kill")
        .args([name, &pid.to_string()])
        .stderr(Stdio::null())
        .status()
        .expect("kill is there");
}

/// Polls until the condition holds; fails the test with `what` after the limit.
pub fn until(what: &str, limit: Duration, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < limit, "{what}: not after {limit:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns all processes with this mark in their environment; zombies have none.
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
