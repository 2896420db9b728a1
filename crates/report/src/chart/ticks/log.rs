//! Logarithmic ticks: powers of two or of ten, or every few of them.

use super::super::Unit;
use super::super::domain::Domain;
use super::{Tick, Ticks};

/// Upper limit of minor grid lines; more would be a grey area.
const MAX_MINOR: usize = 64;

/// Up to this many decades, 2 and 5 have labels as well.
const FEW_DECADES: f64 = 2.0;

/// Returns powers of two. Strides of 2, 5 and 10 powers hit the units of bytes; strides of counts
/// double.
pub(super) fn binary(domain: Domain, unit: Unit) -> Vec<Ticks> {
    let strides: &[i32] = if unit == Unit::Bytes {
        &[1, 2, 5, 10, 20, 50, 100, 200]
    } else {
        &[1, 2, 4, 8, 16, 32, 64, 128, 256]
    };
    let exponents = exponents(domain, 2.0);
    strides.iter().map(|&stride| strided(domain, unit, 2.0, &exponents, stride)).collect()
}

/// Returns powers of ten; on short axes with 2 and 5 between them.
pub(super) fn decimal(domain: Domain, unit: Unit) -> Vec<Ticks> {
    let mut found = Vec::new();
    if (domain.high / domain.low).log10() <= FEW_DECADES {
        found.push(mantissas(domain, unit, &[1.0, 2.0, 5.0]));
    }
    found.push(mantissas(domain, unit, &[1.0]));
    let exponents = exponents(domain, 10.0);
    found.extend([2, 3, 6, 12, 24, 48, 96].map(|stride| strided(domain, unit, 10.0, &exponents, stride)));
    found
}

fn mantissas(domain: Domain, unit: Unit, named: &[f64]) -> Ticks {
    let exponents = exponents(domain, 10.0);
    let all = |digits: &[f64]| -> Vec<f64> {
        let values = (exponents.start() - 1..=*exponents.end())
            .flat_map(|exponent| digits.iter().map(move |digit| digit * 10_f64.powi(exponent)));
        values.filter(|value| (domain.low..=domain.high).contains(value)).collect()
    };
    let others: Vec<f64> = (1..10).map(f64::from).filter(|digit| !named.contains(digit)).collect();
    Ticks { major: labelled(all(named), unit), minor: few(all(&others)) }
}

fn strided(
    domain: Domain,
    unit: Unit,
    base: f64,
    exponents: &std::ops::RangeInclusive<i32>,
    stride: i32,
) -> Ticks {
    let (named, others): (Vec<i32>, Vec<i32>) =
        exponents.clone().partition(|exponent| exponent.rem_euclid(stride) == 0);
    let powers = |exponents: Vec<i32>| -> Vec<f64> {
        let values = exponents.into_iter().map(|exponent| base.powi(exponent));
        values.filter(|value| (domain.low..=domain.high).contains(value)).collect()
    };
    Ticks { major: labelled(powers(named), unit), minor: few(powers(others)) }
}

/// Returns the exponents of `base` around the domain; callers drop those outside by a rounding
/// error.
fn exponents(domain: Domain, base: f64) -> std::ops::RangeInclusive<i32> {
    let exponent = |value: f64| value.log2() / base.log2();
    (exponent(domain.low) - 1e-9).ceil() as i32..=(exponent(domain.high) + 1e-9).floor() as i32
}

fn labelled(values: Vec<f64>, unit: Unit) -> Vec<Tick> {
    values.into_iter().map(|value| Tick { value, label: unit.tick(value) }).collect()
}

fn few(values: Vec<f64>) -> Vec<f64> {
    if values.len() <= MAX_MINOR { values } else { Vec::new() }
}
