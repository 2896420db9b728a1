//! Output to the terminal. Standard output may be a closed pipe (`panto ... | head`) or a full
//! disk, and of the processes of an MPI job only one prints.
//!
//! All text passes through [`printable`]: it may quote files, and what is in them must not control
//! the terminal.

use std::fmt::Display;
use std::io::{BufWriter, ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use panto_results::quality::Grade;
use panto_units::printable;

static CLOSED: AtomicBool = AtomicBool::new(false);
static FAILED: OnceLock<String> = OnceLock::new();
static MUTE: AtomicBool = AtomicBool::new(false);
static QUIET: AtomicBool = AtomicBool::new(false);
/// The last line that [`note_once`] printed.
static LAST: Mutex<String> = Mutex::new(String::new());

/// Turns the output of this process off or on. In an MPI job only the first process prints.
pub fn mute(mute: bool) {
    MUTE.store(mute, Ordering::Relaxed);
}

/// Returns whether the output of this process is off.
pub fn is_mute() -> bool {
    MUTE.load(Ordering::Relaxed)
}

/// Turns notes and progress off or on.
pub fn quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// Returns whether notes and progress are off.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Prints a line to standard error: notes and warnings, not results.
pub fn note(text: impl Display) {
    if !is_quiet() {
        error(text);
    }
}

/// Prints a line to standard error: why the command failed.
pub fn error(text: impl Display) {
    if !is_mute() {
        alarm(text);
    }
}

/// Prints a line to standard error, unless it is the one that this function printed last.
pub fn note_once(text: impl Display) {
    let text = text.to_string();
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if *last != text {
        note(&text);
        *last = text;
    }
}

/// Prints a line to standard error even if the output of this process is off.
pub fn alarm(text: impl Display) {
    // At once, because other processes of a job may write to the same terminal.
    let line = format!("{}\n", printable(text));
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// Prints text to standard output. A closed pipe is not an error, and ends all further output.
pub fn text(text: impl Display) {
    if is_closed() || is_mute() {
        return;
    }
    write_out(printable(text));
}

/// Writes text to standard output as it is.
fn write_out(text: impl Display) {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let written = write!(out, "{text}").and_then(|()| out.flush());
    match written {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => CLOSED.store(true, Ordering::Relaxed),
        Err(error) => {
            CLOSED.store(true, Ordering::Relaxed);
            let _ = FAILED.set(format!("cannot write to standard output: {error}"));
        }
    }
}

/// Returns why standard output could not be written, if it failed other than by a closed pipe.
pub fn failure() -> Option<&'static str> {
    FAILED.get().map(String::as_str)
}

/// Prints a line to standard output.
pub fn line(line: impl Display) {
    text(format_args!("{line}\n"));
}

/// How good the news of a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Good,
    Fair,
    Poor,
}

impl From<Grade> for Tone {
    fn from(grade: Grade) -> Self {
        match grade {
            Grade::Good => Self::Good,
            Grade::Fair => Self::Fair,
            Grade::Poor => Self::Poor,
        }
    }
}

/// Prints a line to standard output, in colour if that is a terminal and `NO_COLOR` is not set.
pub fn toned(tone: Tone, text: impl Display) {
    let wants_colour = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    if is_closed() || is_mute() || !std::io::stdout().is_terminal() || !wants_colour {
        return line(text);
    }
    let code = match tone {
        Tone::Good => 32,
        Tone::Fair => 33,
        Tone::Poor => 31,
    };
    write_out(format_args!("\x1b[1;{code}m{}\x1b[0m\n", printable(text)));
}

/// Returns whether standard output was closed by its reader or failed.
pub fn is_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}
