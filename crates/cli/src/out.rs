//! Standard output, which may be a pipe that nobody reads any more, or a full disk.

use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

static CLOSED: AtomicBool = AtomicBool::new(false);
static MUTE: AtomicBool = AtomicBool::new(false);

/// Says nothing from now on: another process of the same job speaks for all.
pub fn mute() {
    MUTE.store(true, Ordering::Relaxed);
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
            eprintln!("panto: cannot write standard output: {error}");
            std::process::exit(2);
        }
    }
}

/// Prints a line.
pub fn line(line: impl Display) {
    text(format_args!("{line}\n"));
}

/// Has the reader gone?
pub fn is_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}
