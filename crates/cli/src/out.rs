//! Standard output, which may be a pipe that nobody reads any more, or a full disk.

use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

static CLOSED: AtomicBool = AtomicBool::new(false);
static FAILED: OnceLock<String> = OnceLock::new();
static MUTE: AtomicBool = AtomicBool::new(false);

/// Says nothing from now on, or something again: of the processes of one job, one speaks for all.
pub fn mute(mute: bool) {
    MUTE.store(mute, Ordering::Relaxed);
}

/// Is this a process that says nothing?
pub fn is_mute() -> bool {
    MUTE.load(Ordering::Relaxed)
}

/// Says something beside the results, on standard error.
pub fn note(text: impl Display) {
    if !is_mute() {
        eprintln!("{text}");
    }
}

/// Prints, without a panic when the reader has gone (`panto ... | head`).
pub fn text(text: impl Display) {
    if is_closed() || is_mute() {
        return;
    }
    let mut out = std::io::stdout().lock();
    let written = write!(out, "{text}").and_then(|()| out.flush());
    match written {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => CLOSED.store(true, Ordering::Relaxed),
        Err(error) => {
            CLOSED.store(true, Ordering::Relaxed);
            let _ = FAILED.set(format!("cannot write standard output: {error}"));
        }
    }
}

/// Why not all that should be printed was.
pub fn failure() -> Option<&'static str> {
    FAILED.get().map(String::as_str)
}

/// Prints a line.
pub fn line(line: impl Display) {
    text(format_args!("{line}\n"));
}

/// Has the reader gone?
pub fn is_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}
