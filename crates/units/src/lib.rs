//! Sizes, times and rates as people write them: `64KiB`, `1.5us`, `11.2GB/s`.
//!
//! One crate reads and writes them, so that what Panto prints can be given back to it.
#![forbid(unsafe_code)]

mod format;
mod moment;
mod parse;

pub use format::{
    Ladder, RATE, TIME, bytes, count, not_finite, on_ladder, percent, plain, rate, rung, significant, time,
    trim_zeros,
};
pub use moment::Time;
pub use parse::{ParseError, parse_bytes, parse_rate, parse_seconds, parse_span, parse_time};
