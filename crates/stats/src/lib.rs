//! Robust statistics for timing samples, and the exact fit of piecewise-linear cost curves.
//!
//! Timing samples are skewed, have tails, drift and sometimes two modes. So the crate works with medians, ranks
//! and absolute deviations; a mean is reported but never decides anything.
//!
//! * [`Summary`], [`StopRule`]: describe one sample, decide when it is large enough.
//! * [`diagnose`]: what is odd about a sample, in words.
//! * [`compare()`], [`Bootstrap`], [`mann_whitney`], [`holm`]: two samples, and families of comparisons.
//! * [`Segmentation`]: time against size as an optimal set of lines, so that a protocol switch is found.
//! * [`Residues`]: the same where multiples of some number follow a law of their own.
//! * [`HopFit`]: the same over several distances, with a time for each further hop.
//! * [`Measured`]: samples by size and launch, from which all of these get honest intervals; [`Goodness`]: what is left.
//! * [`Bandwidth`]: peak, and the sizes that reach half and nine tenths of it.
//!
//! The crate does no I/O, reads no clock and has no hidden state: equal input gives equal output, bit for bit,
//! including everything that resamples (see [`Rng`]). User data never causes a panic; it causes an [`Error`].
#![forbid(unsafe_code)]

mod assemble;
mod bandwidth;
mod bootstrap;
mod breaks;
mod compare;
mod concern;
mod curve;
mod drift;
mod error;
mod fit;
mod goodness;
mod hops;
mod interval;
mod lad;
mod launches;
mod line;
mod measured;
mod medians;
mod noise;
mod normal;
mod outliers;
mod partition;
mod rank_test;
mod residue;
mod rng;
mod segments;
mod shape;
mod summary;
mod uncertainty;

pub use bandwidth::Bandwidth;
pub use bootstrap::Bootstrap;
pub use compare::{Comparison, Verdict, compare, compare_family, compare_launches, holm};
pub use concern::{Concern, diagnose};
pub use drift::{Drift, drift};
pub use error::Error;
pub use fit::{Breakpoint, Fit, Segment};
pub use goodness::{Goodness, Residual};
pub use hops::{HopFit, HopPoint};
pub use interval::{Interval, StopRule, median_interval_ranks};
pub use line::{LeastSquares, Line, least_absolute, least_squares, theil_sen};
pub use measured::Measured;
pub use outliers::{Outliers, outliers};
pub use rank_test::{MannWhitney, mann_whitney};
pub use residue::{Class, Residues};
pub use rng::Rng;
pub use segments::Segmentation;
pub use shape::{Modes, lag1_autocorrelation, serial_dependence, two_modes};
pub use summary::{Summary, median, quantile};
