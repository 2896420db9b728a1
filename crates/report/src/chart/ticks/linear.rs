//! Linear ticks: 1, 2 or 5 times a power of ten, and powers of two for sizes.

use super::super::Unit;
use super::super::domain::Domain;
use super::{Tick, Ticks};

/// Upper limit of ticks on an axis.
const MAX_TICKS: f64 = 50.0;

/// Returns ticks at all useful distances, the densest first.
pub(super) fn candidates(domain: Domain, unit: Unit) -> Vec<Ticks> {
    let span = domain.high - domain.low;
    let steps = if unit == Unit::Bytes { binary_steps(span) } else { decimal_steps(span) };
    let found = steps.into_iter().filter(|step| *step <= span && span / step <= MAX_TICKS);
    found.map(|step| ticks(domain, unit, step)).filter(|ticks| !ticks.major.is_empty()).collect()
}

fn ticks(domain: Domain, unit: Unit, step: f64) -> Ticks {
    let values = multiples(domain, step);
    let labels = unit.linear_ticks(&values, step);
    let minor = multiples(domain, step / 2.0).into_iter().filter(|v| !is_multiple(*v, step)).collect();
    Ticks {
        major: values.into_iter().zip(labels).map(|(value, label)| Tick { value, label }).collect(),
        minor,
    }
}

fn multiples(domain: Domain, step: f64) -> Vec<f64> {
    let (first, last) = ((domain.low / step).ceil() as i64, (domain.high / step).floor() as i64);
    let values = (first..=last).map(|index| index as f64 * step);
    // The product may be off by one unit in the last place, and then outside.
    values.filter(|value| (domain.low..=domain.high).contains(value)).collect()
}

fn is_multiple(value: f64, step: f64) -> bool {
    let ratio = value / step;
    (ratio - ratio.round()).abs() < 0.25
}

fn decimal_steps(span: f64) -> Vec<f64> {
    let magnitude = span.log10().floor() as i32;
    let powers = (magnitude - 2..=magnitude).map(|exponent| 10_f64.powi(exponent));
    powers.flat_map(|power| [power, 2.0 * power, 5.0 * power]).collect()
}

fn binary_steps(span: f64) -> Vec<f64> {
    let magnitude = span.log2().floor() as i32;
    // There are no fractions of a byte.
    let powers = (magnitude - 6..=magnitude).map(|exponent| 2_f64.powi(exponent.max(0)));
    if span < 2.0 { decimal_steps(span) } else { powers.collect() }
}
