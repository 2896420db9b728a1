//! What it costs to share a way, and what computation hides. A model has no figure for either: links that are shared follow from the
//! topology, and overlap from what processors pay.

use panto_bench::results::Record;
use panto_bench::{overlap_gain, param};

use crate::fitted::{Parameter, Unit};
use crate::observe::{Observed, Shared};

/// Contention factors and the best gain by overlapping.
pub fn parameters(observed: &Observed, records: &[Record]) -> Vec<Parameter> {
    let mut all: Vec<Parameter> = factors(&observed.shared);
    all.extend(overlap(records));
    all
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

/// The best that overlapping saved: 0 if messages do not move while a processor computes.
fn overlap(records: &[Record]) -> Option<Parameter> {
    let own = || records.iter().filter(|record| record.kernel == "comet/overlap");
    let blocking = own().filter(|record| record.point.text(param::VARIANT) == "blocking");
    let gains = blocking.filter_map(|before| {
        let point = before.point.clone().with_text(param::VARIANT, "overlapped");
        let after = own().find(|record| record.point == point)?;
        overlap_gain(before, after)
    });
    let best = gains.max_by(|a, b| a.percent.total_cmp(&b.percent))?;
    let method = "comet/overlap, the largest part of the time that overlapping saved";
    let interval = panto_stats::Interval { low: best.low / 100.0, high: best.high / 100.0 };
    Some(Parameter::new("overlap", best.percent / 100.0, Unit::Number, method).within(interval))
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
