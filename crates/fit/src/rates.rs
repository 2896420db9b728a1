//! What a processor's work takes.

use crate::estimate::{Estimate, weighted_median};
use crate::observe::Observed;

/// Less work than this is lost in what a call costs.
const LEAST_WORK: u64 = 512;

/// Seconds for each byte or element of a kind of work, as far as it was measured.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rates {
    /// A byte copied.
    pub copy: Option<Estimate>,
    /// An element copied to or from places that are not next to each other.
    pub strided: Option<Estimate>,
    /// A byte combined with another.
    pub reduce: Option<Estimate>,
    /// An element of y += a x.
    pub daxpy: Option<Estimate>,
}

impl Rates {
    /// From `calibrate/rates`.
    pub fn new(observed: &Observed) -> Self {
        let of = |variant| of(observed, variant);
        Self { copy: of("copy"), strided: of("strided"), reduce: of("reduce"), daxpy: of("daxpy") }
    }

    /// Seconds of a byte copied; nothing if that is not known.
    pub fn copy_seconds(&self) -> f64 {
        self.copy.map_or(0.0, |copy| copy.value)
    }
}

/// The rate with the least absolute relative residuals.
fn of(observed: &Observed, variant: &str) -> Option<Estimate> {
    let points = observed.rates.get(variant)?;
    let most = points.iter().map(|(amount, _)| *amount).max()?;
    let least = LEAST_WORK.min(most);
    let large = points.iter().filter(|(amount, _)| *amount >= least.max(1));
    let ratio = |(amount, seconds): &(u64, f64)| {
        let each = seconds / *amount as f64;
        (each, if each > 0.0 { 1.0 / each } else { 1.0 })
    };
    weighted_median(&large.map(ratio).collect::<Vec<_>>())
}
