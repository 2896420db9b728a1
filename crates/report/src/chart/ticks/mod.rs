//! Chooses the ticks of an axis.

mod linear;
mod log;
mod named;

use super::mapping::Mapping;
use super::{Axis, Scale};

/// A value with its label.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub value: f64,
    pub label: String,
}

/// The ticks of an axis, ascending and within its domain.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Ticks {
    /// Ticks with a label and a grid line.
    pub major: Vec<Tick>,
    /// Faint grid lines between them.
    pub minor: Vec<f64>,
}

impl Ticks {
    /// Returns as many ticks as fit. `room` is the length along the axis that a label needs,
    /// including the distance to the next.
    pub fn choose(axis: &Axis, mapping: &Mapping, room: impl Fn(&str) -> f64) -> Self {
        let mut sparsest = Self::default();
        for candidate in candidates(axis, mapping) {
            if candidate.fits(mapping, &room) {
                return candidate;
            }
            sparsest = candidate;
        }
        sparsest.major.truncate(1);
        sparsest
    }

    fn fits(&self, mapping: &Mapping, room: &impl Fn(&str) -> f64) -> bool {
        self.major.windows(2).all(|pair| {
            let distance = (mapping.at(pair[1].value) - mapping.at(pair[0].value)).abs();
            distance >= f64::midpoint(room(&pair[0].label), room(&pair[1].label))
        })
    }
}

/// Returns possible ticks, the densest first.
fn candidates(axis: &Axis, mapping: &Mapping) -> Vec<Ticks> {
    let domain = mapping.domain();
    if !axis.names.is_empty() {
        return named::candidates(&axis.names);
    }
    let mut found = match axis.scale {
        Scale::Linear => Vec::new(),
        Scale::Log2 => log::binary(domain, axis.unit),
        Scale::Log10 => log::decimal(domain, axis.unit),
    };
    found.retain(|ticks| ticks.major.len() > 1);
    // A logarithmic axis of less than one power is as good as linear.
    if found.is_empty() { linear::candidates(domain, axis.unit) } else { found }
}

#[cfg(test)]
mod tests {
    use panto_random::SplitMix64;

    use super::super::domain::Domain;
    use super::*;
    use crate::chart::Unit;

    const SCALES: [Scale; 3] = [Scale::Linear, Scale::Log2, Scale::Log10];
    const UNITS: [Unit; 5] = [Unit::Seconds, Unit::Bytes, Unit::BytesPerSecond, Unit::Count, Unit::Percent];

    fn ticks(scale: Scale, unit: Unit, low: f64, high: f64) -> (Ticks, Mapping) {
        let mapping = Mapping::new(scale, Domain { low, high, zero: false }, (0.0, 500.0), None);
        (Ticks::choose(&Axis::new("", scale, unit), &mapping, room), mapping)
    }

    fn room(label: &str) -> f64 {
        label.len() as f64 * 7.0 + 8.0
    }

    fn labels(scale: Scale, unit: Unit, low: f64, high: f64) -> String {
        let (ticks, _) = ticks(scale, unit, low, high);
        ticks.major.iter().map(|tick| tick.label.as_str()).collect::<Vec<_>>().join(" ")
    }

    fn check(scale: Scale, unit: Unit, low: f64, high: f64) {
        let (ticks, mapping) = ticks(scale, unit, low, high);
        let context = format!("{scale:?} {unit:?} {low}..{high}: {ticks:?}");
        let values: Vec<f64> = ticks.major.iter().map(|tick| tick.value).collect();
        assert!(!values.is_empty() && values.len() < 60, "{context}");
        for list in [&values, &ticks.minor] {
            assert!(list.is_sorted_by(|a, b| a < b), "{context}");
            assert!(list.iter().all(|value| (low..=high).contains(value)), "{context}");
        }
        assert!(ticks.fits(&mapping, &room), "{context}");
        assert!(ticks.major.windows(2).all(|pair| pair[0].label != pair[1].label), "{context}");
    }

    #[test]
    fn ticks_ascend_within_the_domain_and_do_not_overlap() {
        let mut random = SplitMix64::new(1);
        for round in 0..600 {
            let low = 10_f64.powf(random.unit() * 18.0 - 9.0);
            let high = low * (1.0 + 10_f64.powf(random.unit() * 11.0 - 3.0));
            check(SCALES[round % 3], UNITS[round % 5], low, high);
            check(Scale::Linear, UNITS[round % 5], -low, high);
        }
    }

    #[test]
    fn common_axes_have_conventional_ticks() {
        let sizes = "1B 4B 16B 64B 256B 1KiB 4KiB 16KiB 64KiB";
        assert_eq!(labels(Scale::Log2, Unit::Bytes, 1.0, 65536.0), sizes);
        assert_eq!(labels(Scale::Log2, Unit::Count, 2.0, 64.0), "2 4 8 16 32 64");
        assert_eq!(labels(Scale::Log10, Unit::Seconds, 8e-7, 2e-3), "1us 10us 100us 1ms");
        assert_eq!(labels(Scale::Log10, Unit::Seconds, 1e-6, 4e-5), "1us 2us 5us 10us 20us");
        assert_eq!(
            labels(Scale::Linear, Unit::BytesPerSecond, 0.0, 1.2e10),
            "0 2GB/s 4GB/s 6GB/s 8GB/s 10GB/s 12GB/s"
        );
        assert_eq!(
            labels(Scale::Log2, Unit::Bytes, 1.0, (1_u64 << 40) as f64),
            "1B 32B 1KiB 32KiB 1MiB 32MiB 1GiB 32GiB 1TiB"
        );
        assert_eq!(
            labels(Scale::Log10, Unit::Seconds, 4.1e-6, 4.9e-6),
            "4.1us 4.2us 4.3us 4.4us 4.5us 4.6us 4.7us 4.8us 4.9us"
        );
    }
}
