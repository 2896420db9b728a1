//! Sizes, times and rates as people write them: `64KiB`, `1.5us`, `11.2GB/s`.
//!
//! One crate parses and formats them, so that Panto accepts what it prints. Names that are printed
//! are made safe ([`printable`]), and misspelled ones corrected ([`suggest`]).
#![forbid(unsafe_code)]

mod format;
mod parse;
pub mod suggest;
mod time;
mod totals;
mod untrusted;

pub use format::{
    RATE, TIME, UnitScale, bytes, choose_unit, count, in_units, not_finite, percent, plain, rate,
    significant, time, trim_zeros,
};
pub use parse::{ParseError, parse_bytes, parse_rate, parse_seconds, parse_span, parse_time};
pub use time::Time;
pub use totals::{grouped, rounded_bytes};
pub use untrusted::{is_control, one_line, printable};
