//! Messages of the tracer, on standard error.

use std::fmt::Display;
use std::io::Write;

/// Prints a line, by one system call, because other ranks print at the same time. Standard error
/// may be closed; that is no reason to stop.
pub fn warn(text: impl Display) {
    let line = format!("panto: {text}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}
