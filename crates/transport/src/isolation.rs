//! Work in a child process, so that its crash does not affect this one (S2).
//!
//! The child is a copy of this process (`fork`) that does the work, writes its result to a pipe,
//! and exits. It has only the thread that forked it; locks that other threads held at that time
//! stay locked. So the work should start threads of its own, and not use the terminal.

use std::fmt;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::{Error, Result};
use crate::user_implementation;

/// Why a child process returned no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChildFailure {
    /// A signal terminated it.
    Signal(i32),
    /// It exited after writing this error message.
    Message(String),
    /// It exited with this code without a result.
    ExitCode(i32),
}

/// The first byte of a result and of an error message in the pipe.
const RESULT: u8 = b'A';
const MESSAGE: u8 = b'W';

impl fmt::Display for ChildFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signal(signal) => {
                write!(f, "crashed: signal {signal}")?;
                let name = user_implementation::SIGNALS.iter().find(|(number, _)| number == signal);
                name.map_or(Ok(()), |(_, name)| write!(f, " ({name})"))
            }
            Self::Message(words) => f.write_str(words),
            Self::ExitCode(code) => write!(f, "exited with code {code} without a result"),
        }
    }
}

/// Encodes the error message of a child process.
pub(crate) fn failure_message(text: &str) -> String {
    format!("{}{text}", MESSAGE as char)
}

/// Runs `work` in a child process, and returns its result or why there is none.
pub fn in_child_process(
    work: impl FnOnce() -> Vec<u8>,
) -> Result<std::result::Result<Vec<u8>, ChildFailure>> {
    let (mut reader, writer) = pipe()?;
    // SAFETY: the child runs `work` on its one thread and then `_exit`, and nothing else of this
    // program. The C library handles its own locks; other locks may stay locked, as the module's
    // documentation warns.
    match unsafe { libc::fork() } {
        -1 => Err(os_error("fork")),
        0 => {
            drop(reader);
            child(writer, work)
        }
        process => {
            drop(writer);
            let mut output = Vec::new();
            // The pipe closes when the child exits; what it wrote until then is its output.
            let _ = reader.read_to_end(&mut output);
            Ok(outcome(output, wait_for(process)?))
        }
    }
}

fn child(mut writer: File, work: impl FnOnce() -> Vec<u8>) -> ! {
    set_up_child();
    user_implementation::report_to(writer.as_raw_fd());
    let code = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(answer) => {
            let written = writer.write_all(&[RESULT]).and_then(|()| writer.write_all(&answer));
            i32::from(written.is_err())
        }
        Err(_) => 101,
    };
    // SAFETY: exits without running destructors or exit handlers that belong to the parent.
    unsafe { libc::_exit(code) }
}

/// Ends the child with its parent, and resets signal handlers and core dumps: a crash should
/// neither be handled nor fill a disk.
fn set_up_child() {
    for (signal, _) in user_implementation::SIGNALS {
        // SAFETY: the default action refers to no code; previous handlers belong to the parent.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `none` outlives the call; both calls only change settings of this process.
    unsafe {
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
        #[cfg(target_os = "linux")]
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
}

fn outcome(mut output: Vec<u8>, status: i32) -> std::result::Result<Vec<u8>, ChildFailure> {
    if libc::WIFSIGNALED(status) {
        return Err(ChildFailure::Signal(libc::WTERMSIG(status)));
    }
    match output.first() {
        Some(&RESULT) if libc::WEXITSTATUS(status) == 0 => {
            output.remove(0);
            Ok(output)
        }
        Some(&MESSAGE) => Err(ChildFailure::Message(String::from_utf8_lossy(&output[1..]).into_owned())),
        _ => Err(ChildFailure::ExitCode(libc::WEXITSTATUS(status))),
    }
}

fn pipe() -> Result<(File, File)> {
    let mut ends = [0; 2];
    // SAFETY: `ends` has room for the two descriptors that the kernel writes.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(os_error("create a pipe"));
    }
    // SAFETY: both descriptors were opened above and have no other owner.
    Ok(unsafe { (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1])) })
}

fn wait_for(process: libc::pid_t) -> Result<i32> {
    let mut status = 0;
    // SAFETY: `status` outlives the call, and `process` is a child of this process.
    while unsafe { libc::waitpid(process, &raw mut status, 0) } < 0 {
        if std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted {
            return Err(os_error("wait for a child process"));
        }
    }
    Ok(status)
}

fn os_error(what: &str) -> Error {
    Error::Start(format!("cannot {what}: {}", std::io::Error::last_os_error()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_and_failures_are_returned() {
        let long = vec![7; 1 << 20];
        assert_eq!(in_child_process(|| long.clone()).unwrap(), Ok(long.clone()));
        let crash = in_child_process(|| {
            // SAFETY: terminates the child only, which is what the test expects.
            unsafe { libc::raise(libc::SIGSEGV) };
            Vec::new()
        });
        let crash = crash.unwrap().unwrap_err();
        assert_eq!(crash.to_string(), "crashed: signal 11 (SIGSEGV)");
        // SAFETY: exits from the child only.
        let ended = in_child_process(|| unsafe { libc::_exit(3) }).unwrap();
        assert_eq!(ended, Err(ChildFailure::ExitCode(3)));
        let panicked = in_child_process(|| std::panic::resume_unwind(Box::new("no words"))).unwrap();
        assert_eq!(panicked, Err(ChildFailure::ExitCode(101)));
    }

    /// A world of threads works in the child as it does in the parent.
    #[test]
    fn a_world_of_threads_runs_in_the_child() {
        use crate::threads::Threads;
        use crate::{Selector, SendMode, Transport, World};
        let answer = in_child_process(|| {
            let output = Threads::default().run(2, |t| {
                if t.rank() == 0 {
                    return t.send(SendMode::Standard, b"hello", 1, 7).map(|()| Vec::new());
                }
                let mut text = vec![0; 5];
                t.receive(&mut text, Selector::tag(7)).map(|_| text)
            });
            output.unwrap().concat()
        });
        assert_eq!(answer.unwrap().unwrap(), b"hello");
    }
}
