//! Rules between results of different kernels that no machine breaks.

use panto_units::{bytes, time};

use super::Grade;
use crate::{Record, Separation, kernel, param};

/// Factor by which a rule may be broken by differences of method: the data of an echo changes
/// caches twice, that of repeated broadcasts stays in the root's.
const TOLERATED: f64 = 2.5;
/// Factor from which on one of the results must be wrong.
const ABSURD: f64 = 5.0;

/// A rule that results break.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Contradiction {
    /// The sentence about it.
    pub(super) text: String,
    /// The grade that it allows at most.
    pub(super) grade: Grade,
}

/// A rule: the first kernel does not take longer than `factor` times the second, at equal sizes.
struct Rule {
    shorter: &'static str,
    longer: &'static str,
    factor: f64,
    text: &'static str,
}

const RULES: [Rule; 3] = [
    Rule {
        shorter: kernel::comet::ECHO,
        longer: kernel::comet::BROADCAST,
        factor: 1.0,
        text: "a message takes longer than a broadcast",
    },
    Rule {
        shorter: kernel::comet::ECHO,
        longer: kernel::comet::EXCHANGE,
        factor: 1.0,
        text: "a message takes longer than an exchange of two",
    },
    Rule {
        shorter: kernel::comet::EXCHANGE,
        longer: kernel::comet::ECHO,
        factor: 2.0,
        text: "an exchange takes longer than two messages",
    },
];

/// Returns the worst case of each rule that these records break.
pub(super) fn contradictions(records: &[&Record]) -> Vec<Contradiction> {
    let nearest = Separation::nearest(records.iter().filter_map(|record| record.point.separation()));
    let is_near = |record: &&Record| record.point.separation().is_none_or(|apart| Some(apart) == nearest);
    let near: Vec<&Record> = records.iter().copied().filter(is_near).collect();
    RULES.iter().filter_map(|rule| rule.worst(&near)).collect()
}

impl Rule {
    fn worst(&self, records: &[&Record]) -> Option<Contradiction> {
        let of = |name: &'static str| records.iter().filter(move |record| record.kernel == name);
        let pairs = of(self.shorter).flat_map(|shorter| {
            let same = move |longer: &&&Record| {
                longer.point.number(param::BYTES) == shorter.point.number(param::BYTES)
            };
            of(self.longer).filter(same).filter_map(move |longer| self.broken(shorter, longer))
        });
        let (factor, text) = pairs.max_by(|a, b| a.0.total_cmp(&b.0))?;
        let grade = if factor > ABSURD { Grade::Poor } else { Grade::Fair };
        Some(Contradiction { text, grade })
    }

    /// Returns by how much two records break the rule, and the sentence, if they do.
    fn broken(&self, shorter: &Record, longer: &Record) -> Option<(f64, String)> {
        let [short, long] = [shorter, longer].map(|record| record.summary().map(|summary| summary.median));
        let (short, long) = (short?, long? * self.factor);
        let (factor, size) = (short / long, shorter.point.number(param::BYTES)?);
        let [short, long] = [short, long].map(|nanos| time(nanos * 1e-9));
        let text = format!("{} ({short} and {long} for {})", self.text, bytes(size));
        (factor > TOLERATED && factor.is_finite()).then_some((factor, text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Point, Samples};
    use panto_units::Time;

    fn found(kernel: &str, nanos: u64) -> Record {
        let point = Point::new(2).with(param::BYTES, 8);
        let point = if kernel == kernel::comet::BROADCAST { point } else { point.apart(Separation::Hops(1)) };
        Record::new(kernel, &point, Samples::exact(Time::from_nanos(nanos)))
    }

    fn contradicted(echo: u64, exchange: u64, broadcast: u64) -> Vec<Contradiction> {
        use kernel::comet::{BROADCAST, ECHO, EXCHANGE};
        let records = [found(ECHO, echo), found(EXCHANGE, exchange), found(BROADCAST, broadcast)];
        contradictions(&records.iter().collect::<Vec<_>>())
    }

    #[test]
    fn plausible_results_contradict_nothing() {
        assert_eq!(contradicted(200, 250, 400), []);
        assert_eq!(contradicted(200, 450, 180), []);
    }

    #[test]
    fn a_message_that_takes_longer_than_a_broadcast_is_a_contradiction() {
        let told = contradicted(84_400, 90_000, 470);
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].text, "a message takes longer than a broadcast (84.4us and 470ns for 8B)");
        assert_eq!(told[0].grade, Grade::Poor);
        assert_eq!(contradicted(200, 1_200, 400)[0].grade, Grade::Fair);
        assert!(contradicted(200, 40, 400)[0].text.starts_with("a message takes longer than an exchange"));
    }
}
