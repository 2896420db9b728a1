//! Counts on the command line that take memory or time for each: a limit, so that a slip of the
//! keyboard is an error and not the end of the host's memory.

use clap::builder::RangedU64ValueParser;

/// The most runs, samples or attempts that a command performs.
pub const MOST_RUNS: u64 = 1_000_000;

/// The most steps of a search, which take time but no memory.
pub const MOST_STEPS: u64 = 1_000_000_000;

/// Returns the parser of a number of things from `least` to `most`.
pub fn count(least: u64, most: u64) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(least..=most)
}
