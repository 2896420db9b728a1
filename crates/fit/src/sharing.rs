//! What it costs to share a way. A model has no figure for it: links that are shared follow from the topology.

use crate::fitted::{Parameter, Unit};
use crate::observe::{Observed, Shared};

/// Contention factors.
pub fn parameters(observed: &Observed) -> Vec<Parameter> {
    factors(&observed.shared)
}

/// By what factor the longest message is slower when others are under way, for each number of pairs, each set and each load.
fn factors(shared: &[Shared]) -> Vec<Parameter> {
    let mut most: Vec<&Shared> = Vec::new();
    for one in shared.iter().filter(|one| !one.is_alone()) {
        match most.iter_mut().find(|other| other.kind() == one.kind()) {
            Some(kept) if kept.bytes < one.bytes => *kept = one,
            Some(_) => {}
            None => most.push(one),
        }
    }
    most.sort_by_key(|one| one.kind());
    let factor = |one: &&Shared| {
        let base = shared.iter().find(|other| one.is_base(other))?;
        let method = format!(
            "{}, {} with {}, against one alone",
            one.kernel,
            panto_units::bytes(one.bytes),
            one.words()
        );
        Some(Parameter::new("contention", one.seconds / base.seconds, Unit::Number, method))
    };
    most.iter().filter_map(factor).collect()
}

impl Shared {
    fn is_alone(&self) -> bool {
        self.pairs <= 1 && self.load == 0
    }

    fn kind(&self) -> (&str, u64, u64, &str) {
        (&self.kernel, self.pairs, self.load, &self.set)
    }

    /// Is the other the same message while nobody else sends? Of a set it is the first message.
    fn is_base(&self, other: &Self) -> bool {
        let is_first = || {
            let first = self.set.split_inclusive(')').next().unwrap_or_default();
            other.set == first || other.set == first.replace("(i,i+", "(0,")
        };
        other.is_alone() && other.kernel == self.kernel && other.bytes == self.bytes && is_first()
    }

    fn words(&self) -> String {
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

    fn shared(set: &str, pairs: u64, load: u64, seconds: f64) -> Shared {
        Shared { kernel: "x".into(), pairs, load, bytes: 64, seconds, set: set.into() }
    }

    #[test]
    fn factors_compare_with_the_same_message_alone() {
        let all = [
            shared("(0,1)", 1, 0, 2.0),
            shared("(0,4)", 1, 0, 3.0),
            shared("(0,1),(2,3)", 2, 0, 5.0),
            shared("(i,i+4)", 4, 0, 9.0),
        ];
        let found: Vec<f64> = factors(&all).iter().map(|parameter| parameter.value).collect();
        assert_eq!(found, [2.5, 3.0]);
        let loads = factors(&[shared("", 0, 0, 2.0), shared("", 0, 90, 3.0)]);
        assert_eq!((loads.len(), loads[0].value), (1, 1.5));
        assert!(loads[0].method.contains("90 % load"));
    }
}
