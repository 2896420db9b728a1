//! Compares runs of benchmarks: matched points, ratios of medians with confidence intervals,
//! verdicts.
//!
//! * [`Run`]: the measurements of one side, read from results files of Panto or from the output of
//!   the OSU and Intel MPI benchmarks.
//! * [`compare`]: compares two runs point by point. Each point gets the ratio of its medians with a
//!   bootstrap interval and a Mann-Whitney test; the p-values of all points are corrected together
//!   (Holm 1979), and a verdict follows from both.
//! * [`Comparison`]: the result, most important points first, with every other difference between
//!   the runs (host, MPI library, placement).
//! * [`published`]: the one-way times of other benchmarks as results to fit a model to.
//! * [`History`]: the versions in a file, each compared with the one before.
//!
//! Equal files give equal comparisons, bit for bit, on any number of threads.
//!
//! The code S9 in comments is a requirement, a row of `docs/conformance.md`.

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
pub mod published;
mod read;
mod run;

pub use comparison::{Basis, Comparison, Counts, Pair, Settings, Side, Verdict};
pub use facts::{FactDifference, Facts};
pub use history::{Change, History, Series, Value, Version};
pub use judge::compare;
pub use key::Key;
pub use run::{Launches, Run};
