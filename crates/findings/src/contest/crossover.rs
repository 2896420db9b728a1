//! Where the fastest candidate changes along an axis.

use std::collections::BTreeMap;

use panto_results::{Point, Value, param};
use panto_stats::Interval;

use super::Round;

/// Where size 0 is placed on a logarithmic axis.
const BELOW_ONE: f64 = 0.5;

/// A place on an axis where the fastest candidate changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Crossover {
    /// The point, without the candidate and the axis.
    pub point: Point,
    /// The candidate that is fastest below.
    pub from: String,
    /// The candidate that is fastest above.
    pub to: String,
    /// Where both take the same time, interpolated on a logarithmic axis.
    pub position: f64,
    /// The range in which the two are tied: from where the second may be as fast to where the first
    /// may still be.
    pub interval: Interval,
}

/// Returns where the winner changes along an axis: [`param::RANKS`], or a parameter that is a
/// number. Rounds without a winner are skipped, so a lead that was never certain causes no
/// crossover.
pub fn crossovers(rounds: &[Round], axis: &str) -> Vec<Crossover> {
    let lines = lines(rounds, axis);
    lines.iter().flat_map(|(point, line)| changes(point, line)).collect()
}

/// Returns where the winner changes if only these two candidates compete.
pub fn crossovers_between(rounds: &[Round], axis: &str, pair: [&str; 2]) -> Vec<Crossover> {
    let duels: Vec<Round> = rounds.iter().filter_map(|round| round.among(&pair)).collect();
    crossovers(&duels, axis)
}

/// Groups rounds that differ only in the axis, each with the logarithm of its value, ascending.
fn lines<'a>(rounds: &'a [Round], axis: &str) -> Vec<(Point, Vec<(f64, &'a Round)>)> {
    let mut lines: BTreeMap<Point, Vec<(f64, &Round)>> = BTreeMap::new();
    for round in rounds {
        let mut rest = round.point.clone();
        let x = match axis {
            param::RANKS => Some(std::mem::replace(&mut rest.ranks, 0) as u64),
            _ => match rest.params.remove(axis) {
                Some(Value::Number(x)) => Some(x),
                _ => None,
            },
        };
        if let Some(x) = x {
            lines.entry(rest).or_default().push(((x as f64).max(BELOW_ONE).ln(), round));
        }
    }
    for line in lines.values_mut() {
        line.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    lines.into_iter().collect()
}

fn changes(point: &Point, line: &[(f64, &Round)]) -> Vec<Crossover> {
    let clear = |(place, (_, round)): (usize, &(f64, &Round))| Some((place, round.winner()?.name.clone()));
    let won: Vec<(usize, String)> = line.iter().enumerate().filter_map(clear).collect();
    let change = |pair: &[(usize, String)]| {
        let [(first, from), (last, to)] = pair else { return None };
        if from == to {
            return None;
        }
        // The ratio of the second to the first, which falls from above 1 to below.
        let ratio = |(x, round): &(f64, &Round)| Some((*x, round.entry(to)?.against(round.entry(from)?)));
        let ratios: Vec<(f64, [f64; 3])> = line[*first..=*last].iter().filter_map(ratio).collect();
        let zero = |which: usize| ratios.iter().map(move |(x, ratio)| (*x, ratio[which]));
        let low = first_zero(zero(0))?;
        let position = first_zero(zero(1))?;
        // The last place where the first may still be as fast, searched from above.
        let high = first_zero(zero(2).rev())?;
        let interval = Interval { low: low.min(position), high: high.max(position) };
        Some(Crossover { point: point.clone(), from: from.clone(), to: to.clone(), position, interval })
    };
    won.windows(2).filter_map(change).collect()
}

/// Returns where the sign changes first, as a value of the axis. Both coordinates are logarithms.
fn first_zero(points: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let mut before: Option<(f64, f64)> = None;
    for (x, y) in points {
        match before {
            Some((x0, y0)) if (y > 0.0) != (y0 > 0.0) => {
                // An unbounded interval has no slope: take the last place where the order was
                // certain.
                let part = if y.is_finite() && y0.is_finite() { y0 / (y0 - y) } else { 0.0 };
                return Some((x0 + part * (x - x0)).exp());
            }
            _ => before = Some((x, y)),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use panto_results::{Record, param};

    use super::super::rounds;
    use super::super::tests::record;
    use super::*;

    /// Returns rounds of a constant 1000 ns against 10 ns per byte, which are equal at 100 bytes.
    fn duel(spread: f64) -> Vec<Round> {
        let sizes = [1, 16, 64, 128, 1024, 4096];
        let both = |&bytes: &u64| {
            [record("flat", bytes, 1000.0, spread), record("steep", bytes, 10.0 * bytes as f64, spread)]
        };
        let records: Vec<Record> = sizes.iter().flat_map(both).collect();
        rounds(&records.iter().collect::<Vec<_>>(), param::VARIANT)
    }

    #[test]
    fn a_crossover_lies_within_its_interval() {
        let found = crossovers(&duel(0.01), param::BYTES);
        assert_eq!(found.len(), 1);
        let Crossover { from, to, position, interval, .. } = &found[0];
        assert_eq!((from.as_str(), to.as_str()), ("steep", "flat"));
        assert!((position - 100.0).abs() < 1.0, "{position}");
        assert!(interval.contains(*position) && interval.low > 95.0 && interval.high < 106.0, "{interval:?}");
    }

    #[test]
    fn noise_widens_the_interval_and_makes_ties() {
        let rounds = duel(0.5);
        let at = |bytes| rounds.iter().find(|round| round.point.number(param::BYTES) == Some(bytes));
        let near = at(128).expect("a round");
        assert_eq!((near.winner(), near.tied().count()), (None, 1));
        assert_eq!(at(1).and_then(Round::winner).map(|entry| entry.name.as_str()), Some("steep"));
        let found = &crossovers(&rounds, param::BYTES)[0];
        assert!(found.interval.low < 64.0 && found.interval.high > 128.0, "{:?}", found.interval);
    }
}
