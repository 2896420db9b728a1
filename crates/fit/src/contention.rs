//! Contention factors: how much slower a message is while others use the same links. A model file
//! has no key for them, since contention follows from the topology; they are only reported.

use crate::fitted::{Parameter, Unit};
use crate::observations::{ContentionPoint, Observations};

/// Returns the contention factors of all measured points.
pub fn parameters(observed: &Observations) -> Vec<Parameter> {
    factors(&observed.contention)
}

/// Returns the factor by which the longest message is slower with other messages in flight, for
/// each number of pairs, each message set and each load.
fn factors(points: &[ContentionPoint]) -> Vec<Parameter> {
    let mut longest: Vec<&ContentionPoint> = Vec::new();
    for one in points.iter().filter(|one| !one.is_alone()) {
        match longest.iter_mut().find(|other| other.kind() == one.kind()) {
            Some(kept) if kept.bytes < one.bytes => *kept = one,
            Some(_) => {}
            None => longest.push(one),
        }
    }
    longest.sort_by_key(|one| one.kind());
    let factor = |one: &&ContentionPoint| {
        let base = points.iter().find(|other| other.is_baseline_of(one))?;
        let method = format!(
            "{}, {} with {}, relative to one alone",
            one.kernel,
            panto_units::bytes(one.bytes),
            one.describe()
        );
        Some(Parameter::new("contention", one.seconds / base.seconds, Unit::Number, method))
    };
    longest.iter().filter_map(factor).collect()
}

impl ContentionPoint {
    fn is_alone(&self) -> bool {
        self.pairs <= 1 && self.load == 0
    }

    fn kind(&self) -> (&str, u64, u64, &str) {
        (&self.kernel, self.pairs, self.load, &self.set)
    }

    /// Returns whether this point is the message of `loaded` alone on the network; the message of a
    /// set is its first.
    fn is_baseline_of(&self, loaded: &Self) -> bool {
        let is_first_of_set = || {
            let first = loaded.set.split_inclusive(')').next().unwrap_or_default();
            self.set == first || self.set == first.replace("(i,i+", "(0,")
        };
        self.is_alone() && self.kernel == loaded.kernel && self.bytes == loaded.bytes && is_first_of_set()
    }

    fn describe(&self) -> String {
        match self.load {
            0 if self.set.is_empty() => format!("{} pairs", self.pairs),
            0 => format!("{} messages {}", self.pairs, self.set),
            load => format!("{load} % load"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(set: &str, pairs: u64, load: u64, seconds: f64) -> ContentionPoint {
        ContentionPoint { kernel: "x".into(), pairs, load, bytes: 64, seconds, set: set.into() }
    }

    #[test]
    fn factors_compare_with_the_same_message_alone() {
        let all = [
            point("(0,1)", 1, 0, 2.0),
            point("(0,4)", 1, 0, 3.0),
            point("(0,1),(2,3)", 2, 0, 5.0),
            point("(i,i+4)", 4, 0, 9.0),
        ];
        let found: Vec<f64> = factors(&all).iter().map(|parameter| parameter.value).collect();
        assert_eq!(found, [2.5, 3.0]);
        let loads = factors(&[point("", 0, 0, 2.0), point("", 0, 90, 3.0)]);
        assert_eq!((loads.len(), loads[0].value), (1, 1.5));
        assert!(loads[0].method.contains("90 % load"));
    }
}
