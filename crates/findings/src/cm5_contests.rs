//! Findings of the CM-5 paper's algorithms: from where on which one is faster (M6, M7).

use panto_results::cm5::broadcast_segments;
use panto_results::{FindingKind, Record, kernel, param};

use crate::contest::{Crossover, Entry, Round, crossovers, crossovers_between, rounds};
use crate::{Finding, IntervalKind, Unit};

/// The two algorithms of each kernel that the paper compares.
const DUELS: [(&str, [&str; 2]); 2] =
    [(kernel::cm5::EXCHANGE, ["rex", "pex"]), (kernel::cm5::BROADCAST, ["lib", "reb"])];

pub(super) fn findings(kernel: &str, records: &[&Record]) -> Vec<Finding> {
    let rounds = rounds(records, param::VARIANT);
    let mut findings: Vec<Finding> = Vec::new();
    for axis in [param::BYTES, param::RANKS] {
        let won = crossovers(&rounds, axis);
        findings.extend(won.iter().map(|crossover| changed(kernel, axis, crossover, "")));
        for (_, pair) in DUELS.iter().filter(|(name, _)| *name == kernel) {
            let between = crossovers_between(&rounds, axis, *pair);
            let new = between.iter().filter(|crossover| !won.contains(crossover));
            findings.extend(new.map(|crossover| changed(kernel, axis, crossover, ", of these two")));
        }
    }
    findings.extend(best_segments(kernel, &rounds));
    findings
}

fn changed(kernel: &str, axis: &str, crossover: &Crossover, whose: &str) -> Finding {
    let Crossover { point, from, to, position, interval } = crossover;
    let (unit, at) = match axis {
        param::RANKS => (Unit::Number, panto_units::bytes(point.number(param::BYTES).unwrap_or(0))),
        _ => (Unit::Bytes, format!("{} ranks", point.ranks)),
    };
    let what = if axis == param::RANKS { "ranks" } else { "bytes" };
    let label = format!("{from} is faster below these {what}, {to} above{whose}, {at}");
    Finding::new((kernel, FindingKind::Crossover), point, label, (*position, unit)).within(*interval, 1.0)
}

/// Returns the best number of segments of REB for the largest message, by ranks. The range is that
/// of the numbers that are tied.
fn best_segments(kernel: &str, rounds: &[Round]) -> Vec<Finding> {
    let mut largest: Vec<&Round> = Vec::new();
    // Rounds are sorted by ranks, then by size.
    for round in rounds.iter().filter(|round| round.entries.iter().any(is_divided)) {
        match largest.last_mut() {
            Some(last) if last.point.ranks == round.point.ranks => *last = round,
            _ => largest.push(round),
        }
    }
    largest.into_iter().filter_map(|round| best_of(kernel, round)).collect()
}

fn is_divided(entry: &Entry) -> bool {
    broadcast_segments(&entry.name).is_some_and(|segments| segments > 1)
}

fn best_of(kernel: &str, round: &Round) -> Option<Finding> {
    let family: Vec<&Entry> =
        round.entries.iter().filter(|entry| broadcast_segments(&entry.name).is_some()).collect();
    let (&best, others) = family.split_first()?;
    let tied = others.iter().copied().filter(|entry| entry.is_tied_with(best)).chain([best]);
    let mut numbers: Vec<usize> = tied.filter_map(|entry| broadcast_segments(&entry.name)).collect();
    numbers.sort_unstable();
    let point = &round.point;
    let bytes = panto_units::bytes(point.number(param::BYTES)?);
    let label = format!("best number of segments of reb, {} ranks, {bytes}", point.ranks);
    let value = (broadcast_segments(&best.name)? as f64, Unit::Number);
    let range = (*numbers.first()? as f64, *numbers.last()? as f64);
    let finding = Finding::new((kernel, FindingKind::BestSegments), point, label, value);
    Some(finding.between(range, IntervalKind::Extremes))
}
