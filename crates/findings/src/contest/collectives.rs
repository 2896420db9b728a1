//! Contests between implementations of a collective, in the contexts of the suite `scenario` (S1).

use std::collections::{BTreeMap, BTreeSet};

use panto_results::{Point, Record, Value, duration, param};

use super::{Contest, Round, rounds};

/// Returns a contest for each collective of each scenario that has several implementations (S1).
pub(super) fn contests(kernel: &str, machine: Option<&str>, records: &[&Record]) -> Vec<Contest> {
    let mut subjects: BTreeMap<_, Vec<Round>> = BTreeMap::new();
    for round in rounds(records, param::IMPLEMENTATION) {
        let subject = [param::SCENARIO, param::COLLECTIVE].map(|name| round.point.text(name).to_owned());
        subjects.entry(subject).or_default().push(round);
    }
    let contest = |rounds: Vec<Round>| {
        let (kernel, machine) = (kernel.to_owned(), machine.map(str::to_owned));
        Contest { kernel, title: title(&rounds), machine, rounds }
    };
    let is_contest = |contest: &Contest| contest.rounds.iter().any(|round| round.entries.len() > 1);
    subjects.into_values().map(contest).filter(is_contest).collect()
}

/// Returns the parameters of a point other than its size.
pub(super) fn context(point: &Point) -> BTreeMap<String, Value> {
    let mut context = point.params.clone();
    context.remove(param::BYTES);
    context
}

/// Returns the names of parameters other than the size that vary between rounds.
pub(super) fn varying(rounds: &[Round]) -> Vec<&str> {
    let Some((first, others)) = rounds.split_first() else { return Vec::new() };
    let names: BTreeSet<&str> =
        rounds.iter().flat_map(|round| round.point.params.keys()).map(String::as_str).collect();
    let differs = |name: &&str| {
        let value = first.point.params.get(*name);
        *name != param::BYTES && others.iter().any(|round| round.point.params.get(*name) != value)
    };
    names.into_iter().filter(differs).collect()
}

/// Returns a title of what all rounds have in common: `the fastest bcast, non-blocking, late last`.
fn title(rounds: &[Round]) -> String {
    let mut context = rounds.first().map_or_else(BTreeMap::new, |round| context(&round.point));
    let varying = varying(rounds);
    context.retain(|name, _| !varying.contains(&name.as_str()));
    let text = |(name, value): (&String, &Value)| match (name.as_str(), value) {
        (param::COLLECTIVE, _) => None,
        (param::CALL | param::SCENARIO, value) => Some(value.to_string()),
        (param::DELAY | param::COMPUTATION, Value::Number(nanos)) => {
            Some(format!("{name} {}", duration(*nanos)))
        }
        (_, value) => Some(format!("{name} {value}")),
    };
    let collective = context.get(param::COLLECTIVE).map_or("collective".into(), ToString::to_string);
    let rest = context.iter().filter_map(text);
    std::iter::once(format!("the fastest {collective}")).chain(rest).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use panto_results::Samples;
    use panto_units::Time;

    use super::super::contests;
    use super::*;

    #[test]
    fn all_contexts_of_a_collective_are_one_contest() {
        let one = |implementation: &str, delay: u64| {
            let point = Point::new(4).with(param::BYTES, 8).with(param::DELAY, delay);
            let point = point.with_text(param::LATE, "last").with_text(param::COLLECTIVE, "bcast");
            let point = point.with_text(param::IMPLEMENTATION, implementation);
            Record::new("scenario/delay", &point, Samples::exact(Time::from_nanos(delay)))
        };
        let records = [one("a", 0), one("b", 0), one("a", 1_000), one("b", 1_000)];
        let found = contests(&records);
        assert_eq!((found.len(), found[0].rounds.len()), (1, 2));
        assert_eq!(
            (found[0].title.as_str(), found[0].varying()),
            ("the fastest bcast, late last", vec![param::DELAY])
        );
        // A single implementation is no contest.
        assert!(contests(&records[..1]).is_empty());
    }
}
