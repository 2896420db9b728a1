//! The ping-pong in C that Panto's echo is compared with.

use std::path::Path;

use super::mpi::{Mpi, Source};
use super::{SIZES, Times};
use crate::failure::{Failure, Result};
use crate::shell;

pub const SOURCE: Source = Source { name: "pingpong", text: include_str!("pingpong.c") };

/// Number of samples per size.
pub const BATCHES: usize = 501;

/// Measures once.
pub fn measure(mpi: &Mpi, program: &Path) -> Result<Times> {
    let printed = shell::capture(&mut mpi.command(program))?;
    parse(&printed).ok_or_else(|| {
        Failure::failed(format!("the ping-pong under {} printed unexpected output:\n{printed}", mpi.name))
    })
}

/// Parses lines such as `bytes 8 half_ns 123.4`.
fn parse(printed: &str) -> Option<Times> {
    SIZES.iter().map(|(bytes, _)| time_of(printed, *bytes)).collect()
}

fn time_of(printed: &str, bytes: u64) -> Option<f64> {
    let start = format!("bytes {bytes} half_ns ");
    printed.lines().find_map(|line| line.strip_prefix(&start)?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_noise_is_not() {
        let printed = "a warning\nbytes 8 half_ns 1.5\nbytes 1024 half_ns 2\nbytes 65536 half_ns 3\nbytes 1048576 half_ns 4\n";
        assert_eq!(parse(printed), Some(vec![1.5, 2.0, 3.0, 4.0]));
        assert_eq!(parse("bytes 8 half_ns 1.5\n"), None);
    }

    #[test]
    fn the_c_program_has_the_same_numbers() {
        assert!(SOURCE.text.contains(&format!("BATCHES = {BATCHES},")));
        let sizes: Vec<String> = SIZES.iter().map(|(bytes, _)| bytes.to_string()).collect();
        assert!(SOURCE.text.contains(&format!("SIZES[] = {{{}}}", sizes.join(", "))));
    }
}
