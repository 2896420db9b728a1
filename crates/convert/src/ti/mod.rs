//! Time-independent traces of `SimGrid`: one action a line, `rank action arguments`.
//!
//! ```text
//! 0 init
//! 0 compute 1e6
//! 0 send 1 0 1024
//! 0 finalize
//! ```
//!
//! Computation is counted in floating-point operations: a rate turns it into time. A trace is a file of all ranks, or a file that lists the
//! files of ranks, which is what `smpirun -replay` takes.

mod action;
mod args;
mod export;
mod read;
mod write;

pub use read::read;
pub use write::write;

use crate::error::{Error, Result};

/// Operations a second, where the user names no rate.
pub const FLOPS: f64 = 1e9;

/// Is this a rate?
fn check_rate(flops: f64) -> Result<()> {
    if flops.is_finite() && flops >= 1.0 {
        return Ok(());
    }
    Err(Error::Usage(format!("{flops} operations a second are no rate; give a number above 1 such as 1e9")))
}
