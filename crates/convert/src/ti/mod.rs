//! Time-independent traces of `SimGrid`: one action per line, `rank action arguments`.
//!
//! ```text
//! 0 init
//! 0 compute 1e6
//! 0 send 1 0 1024
//! 0 finalize
//! ```
//!
//! Computation is counted in floating-point operations: a rate converts it to time. A trace is one
//! file with the actions of all ranks, or a file that lists one file per rank, as `smpirun -replay`
//! expects.

mod action;
mod args;
mod export;
mod read;
mod write;

pub use read::read;
pub use write::write;

use crate::error::{Error, Result};

/// Default rate, in floating-point operations per second.
pub const FLOPS: f64 = 1e9;

/// Returns whether a file that begins like this has actions: the first line that is not a comment
/// begins with a number and a word in lower case. A list of files is not recognised.
pub fn recognises(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    let is_action = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let Some(line) = text.lines().map(str::trim).find(is_action) else { return false };
    let mut words = line.split_whitespace();
    let is_rank = words.next().is_some_and(|word| word.parse::<u32>().is_ok());
    let is_name = |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    is_rank && words.next().is_some_and(is_name)
}

/// Checks that a rate is usable.
fn check_rate(flops: f64) -> Result<()> {
    if flops.is_finite() && flops >= 1.0 {
        return Ok(());
    }
    Err(Error::Usage(format!("invalid rate of {flops} flop/s; give a number of at least 1, such as 1e9")))
}
