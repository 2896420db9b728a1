//! What a processor's work takes.

use crate::estimate::{Estimate, weighted_median};
use crate::observe::Observed;

/// Less work than this is lost in what a call costs.
const LEAST_WORK: u64 = 512;

/// Seconds for each byte or element of a kind of work: the rate with the least absolute relative residuals.
pub fn of(observed: &Observed, variant: &str) -> Option<Estimate> {
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
