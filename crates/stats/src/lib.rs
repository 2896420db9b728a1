//! Robust statistics for timing samples, and the exact fit of piecewise linear cost curves.
//!
//! Timing samples are skewed, have tails, drift and sometimes two modes. So the crate works with
//! medians, ranks and absolute deviations; a mean is reported but never decides anything.
//!
//! - [`Summary`], [`StopRule`]: describe one sample, decide when it is large enough.
//! - [`undisturbed_limit`]: where the undisturbed mode of a sample ends.
//! - [`diagnose`]: drift, autocorrelation, bimodality and outliers of a sample.
//! - [`compare()`], [`Bootstrap`], [`mann_whitney`], [`holm`]: two samples, and families of
//!   comparisons.
//! - [`Segmentation`]: time against size as an optimal piecewise linear function, which finds
//!   protocol switches.
//! - [`ResidueFit`]: the same with a separate curve for the multiples of some number.
//! - [`HopFit`]: the same over several distances, with a time for each further hop.
//! - [`SizeSamples`]: samples by size and launch, from which all fits get intervals between
//!   launches; [`Goodness`]: their residuals.
//! - [`Bandwidth`]: peak, and the sizes that reach half and nine tenths of it.
//!
//! The crate does no I/O, reads no clock and has no hidden state: equal input gives equal output,
//! bit for bit, including everything that resamples (see [`SplitMix64`](panto_random::SplitMix64)).
//! User data never causes a panic; it causes an [`Error`].
#![forbid(unsafe_code)]

mod assemble;
mod bandwidth;
mod bootstrap;
mod breakpoints;
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
mod line;
mod mann_whitney;
mod medians;
mod modes;
mod noise;
mod normal;
mod outliers;
mod partition;
mod residual_bootstrap;
mod residue;
mod sample_fit;
mod segmentation;
mod size_samples;
mod summary;
mod undisturbed;

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
pub use mann_whitney::{MannWhitney, mann_whitney};
pub use modes::{Modes, lag1_autocorrelation, serial_dependence, two_modes};
pub use outliers::{Outliers, outliers};
pub use residue::{ResidueClass, ResidueFit};
pub use segmentation::Segmentation;
pub use size_samples::SizeSamples;
pub use summary::{Summary, median, quantile};
pub use undisturbed::undisturbed_limit;
