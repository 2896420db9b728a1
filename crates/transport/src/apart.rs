//! Work in a process of its own, so that a crash of it harms nobody (S2).
//!
//! The process is a copy of this one (`fork`) that does the work, answers, and ends. It has the thread that made it and no other;
//! what other threads held at that moment stays held. So the work should start its own threads, and leave the terminal alone.

use std::fmt;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::{Error, Result};
use crate::foreign;

/// Why there was no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Death {
    /// A signal ended the process.
    Signal(i32),
    /// It ended itself, with these words.
    Words(String),
    /// It ended with this code, without an answer.
    Code(i32),
}

/// What an answer begins with, and what last words do.
const ANSWER: u8 = b'A';
const WORDS: u8 = b'W';

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signal(signal) => {
                write!(f, "crashed: signal {signal}")?;
                let name = foreign::SIGNALS.iter().find(|(number, _)| number == signal);
                name.map_or(Ok(()), |(_, name)| write!(f, " ({name})"))
            }
            Self::Words(words) => f.write_str(words),
            Self::Code(code) => write!(f, "ended with exit code {code} in the middle of it"),
        }
    }
}

/// The message of a process that ends itself.
pub(crate) fn last_words(text: &str) -> String {
    format!("{}{text}", WORDS as char)
}

/// Does the work in a process of its own, and answers what it answers; or why it did not.
pub fn apart(work: impl FnOnce() -> Vec<u8>) -> Result<std::result::Result<Vec<u8>, Death>> {
    let (mut reader, writer) = pipe()?;
    // SAFETY: the child does what the work does, on one thread, and ends without running anything else of this program. The C
    // library sees to its own locks; others may be held for ever, which is what the module's text warns of.
    match unsafe { libc::fork() } {
        -1 => Err(refused("start another process")),
        0 => {
            drop(reader);
            child(writer, work)
        }
        process => {
            drop(writer);
            let mut said = Vec::new();
            // Whoever ends closes the pipe; what was said until then counts.
            let _ = reader.read_to_end(&mut said);
            Ok(judge(said, wait_for(process)?))
        }
    }
}

fn child(mut writer: File, work: impl FnOnce() -> Vec<u8>) -> ! {
    end_with_parent();
    foreign::report_to(writer.as_raw_fd());
    let code = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(answer) => {
            let written = writer.write_all(&[ANSWER]).and_then(|()| writer.write_all(&answer));
            i32::from(written.is_err())
        }
        Err(_) => 101,
    };
    // SAFETY: nothing of what this process has inherited is to be run down twice.
    unsafe { libc::_exit(code) }
}

/// A child whose parent is killed should not go on alone, and its crash should neither be handled nor fill a disk.
fn end_with_parent() {
    for (signal, _) in foreign::SIGNALS {
        // SAFETY: whoever handled it before belongs to the other process.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: plain settings of this process.
    unsafe {
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
        #[cfg(target_os = "linux")]
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
}

fn judge(mut said: Vec<u8>, status: i32) -> std::result::Result<Vec<u8>, Death> {
    if libc::WIFSIGNALED(status) {
        return Err(Death::Signal(libc::WTERMSIG(status)));
    }
    match said.first() {
        Some(&ANSWER) if libc::WEXITSTATUS(status) == 0 => {
            said.remove(0);
            Ok(said)
        }
        Some(&WORDS) => Err(Death::Words(String::from_utf8_lossy(&said[1..]).into_owned())),
        _ => Err(Death::Code(libc::WEXITSTATUS(status))),
    }
}

fn pipe() -> Result<(File, File)> {
    let mut ends = [0; 2];
    // SAFETY: two places for two descriptors.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(refused("make a pipe"));
    }
    // SAFETY: both are new, and nobody else has them.
    Ok(unsafe { (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1])) })
}

fn wait_for(process: libc::pid_t) -> Result<i32> {
    let mut status = 0;
    // SAFETY: the child is ours, and the status a place for a number.
    while unsafe { libc::waitpid(process, &raw mut status, 0) } < 0 {
        if std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted {
            return Err(refused("wait for another process"));
        }
    }
    Ok(status)
}

fn refused(what: &str) -> Error {
    Error::Start(format!("cannot {what}: {}", std::io::Error::last_os_error()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_and_deaths_come_back() {
        let long = vec![7; 1 << 20];
        assert_eq!(apart(|| long.clone()).unwrap(), Ok(long.clone()));
        let crash = apart(|| {
            // SAFETY: it ends the child, as it should.
            unsafe { libc::raise(libc::SIGSEGV) };
            Vec::new()
        });
        let crash = crash.unwrap().unwrap_err();
        assert_eq!(crash.to_string(), "crashed: signal 11 (SIGSEGV)");
        // SAFETY: as above.
        let ended = apart(|| unsafe { libc::_exit(3) }).unwrap();
        assert_eq!(ended, Err(Death::Code(3)));
        let panicked = apart(|| std::panic::resume_unwind(Box::new("no words"))).unwrap();
        assert_eq!(panicked, Err(Death::Code(101)));
    }

    /// Threads start and meet in the child as they do here.
    #[test]
    fn a_whole_world_runs_apart() {
        use crate::threads::Threads;
        use crate::{Mode, Transport, Want, World};
        let answer = apart(|| {
            let said = Threads::default().run(2, |t| {
                if t.rank() == 0 {
                    return t.send(Mode::Standard, b"hello", 1, 7).map(|()| Vec::new());
                }
                let mut text = vec![0; 5];
                t.receive(&mut text, Want::tag(7)).map(|_| text)
            });
            said.unwrap().concat()
        });
        assert_eq!(answer.unwrap().unwrap(), b"hello");
    }
}
