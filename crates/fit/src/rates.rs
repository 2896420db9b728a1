//! Rates of a processor's local work.

use crate::estimate::{Estimate, weighted_median};
use crate::observations::Observations;

/// Bytes or elements below which the call dominates.
const MIN_WORK: u64 = 512;

/// Seconds per byte or element of each kind of work; `None` where not measured.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rates {
    /// Per byte copied.
    pub copy: Option<Estimate>,
    /// Per element of a strided copy.
    pub strided: Option<Estimate>,
    /// Per byte of a reduction.
    pub reduce: Option<Estimate>,
    /// Per element of `y += a x`.
    pub daxpy: Option<Estimate>,
}

impl Rates {
    /// Fits `calibrate/rates`.
    pub fn new(observed: &Observations) -> Self {
        let rate = |variant| rate(observed, variant);
        Self { copy: rate("copy"), strided: rate("strided"), reduce: rate("reduce"), daxpy: rate("daxpy") }
    }

    /// Returns the seconds per byte of a copy; 0 if unknown.
    pub fn copy_seconds(&self) -> f64 {
        self.copy.map_or(0.0, |copy| copy.value)
    }
}

/// Returns the rate with the least sum of absolute relative residuals.
fn rate(observed: &Observations, variant: &str) -> Option<Estimate> {
    let points = observed.rates.get(variant)?;
    let most = points.iter().map(|(amount, _)| *amount).max()?;
    let least = MIN_WORK.min(most);
    let large = points.iter().filter(|(amount, _)| *amount >= least.max(1));
    let ratio = |(amount, seconds): &(u64, f64)| {
        let each = seconds / *amount as f64;
        (each, if each > 0.0 { 1.0 / each } else { 1.0 })
    };
    weighted_median(&large.map(ratio).collect::<Vec<_>>())
}
