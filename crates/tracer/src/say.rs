//! What the tracer has to say, on standard error.

use std::fmt::Display;
use std::io::Write;

/// Says it in one piece: other ranks speak at the same time. Nobody may be listening, and that is no reason to stop.
pub fn say(words: impl Display) {
    let line = format!("panto: {words}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}
