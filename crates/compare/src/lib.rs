//! What changed from run to run, with confidence: matched points, ratios of medians, verdicts.
//!
//! * [`Run`]: what one side measured, from result files of Panto and from what OSU's and Intel's benchmarks print.
//! * [`compare`]: two runs, point by point: the ratio of the medians with its interval, a rank test with Holm's correction, and
//!   what follows from them.
//! * [`Comparison`]: the outcome, most important points first, with all that was different besides.
//! * [`History`]: the versions in a file, each against the one before.
//!
//! Equal files give equal comparisons, bit for bit, on any number of threads.

#![forbid(unsafe_code)]

mod comparison;
mod counterpart;
mod evidence;
mod facts;
mod history;
mod judge;
mod key;
mod matching;
mod notes;
mod read;
mod run;

pub use comparison::{Basis, Comparison, Counts, Pair, Settings, Side, Verdict};
pub use facts::{Difference, Facts};
pub use history::{Change, History, Series, Value, Version};
pub use judge::compare;
pub use key::Key;
pub use run::{Launches, Run};
