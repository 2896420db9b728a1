//! Where the best changes.

use std::collections::BTreeMap;

use panto_stats::Interval;

use super::{RANKS, Round};
use crate::point::{Point, Value};

/// Where size 0 stands on a logarithmic axis.
const BELOW_ONE: f64 = 0.5;

/// Where the best changes along an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Crossover {
    /// The point without the candidate and the axis.
    pub point: Point,
    /// Who is best below.
    pub from: String,
    /// Who is best above.
    pub to: String,
    /// Where both take the same time, interpolated on a logarithmic axis.
    pub place: f64,
    /// Where the two cannot be told apart: from where the second may be as fast to where the first may still be.
    pub interval: Interval,
}

/// Where the winner changes along an axis: [`RANKS`], or a parameter that is a number. Rounds without a clear winner are stepped
/// over, so nothing is said of a lead that was never certain.
pub fn crossovers(rounds: &[Round], axis: &str) -> Vec<Crossover> {
    let lines = lines(rounds, axis);
    lines.iter().flat_map(|(point, line)| changes(point, line)).collect()
}

/// The same where only these two compete.
pub fn crossovers_between(rounds: &[Round], axis: &str, pair: [&str; 2]) -> Vec<Crossover> {
    let duels: Vec<Round> = rounds.iter().filter_map(|round| round.among(&pair)).collect();
    crossovers(&duels, axis)
}

/// Rounds that differ in one number only, in its order. Each stands at the logarithm of that number.
fn lines<'a>(rounds: &'a [Round], axis: &str) -> Vec<(Point, Vec<(f64, &'a Round)>)> {
    let mut lines: BTreeMap<Point, Vec<(f64, &Round)>> = BTreeMap::new();
    for round in rounds {
        let mut rest = round.point.clone();
        let x = match axis {
            RANKS => Some(std::mem::replace(&mut rest.ranks, 0) as u64),
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
        // What the second takes against the first: from more to less.
        let ratio = |(x, round): &(f64, &Round)| Some((*x, round.entry(to)?.against(round.entry(from)?)));
        let ratios: Vec<(f64, [f64; 3])> = line[*first..=*last].iter().filter_map(ratio).collect();
        let zero = |which: usize| ratios.iter().map(move |(x, ratio)| (*x, ratio[which]));
        let low = first_zero(zero(0))?;
        let place = first_zero(zero(1))?;
        // The last place at which the first may still be as fast, seen from behind.
        let high = first_zero(zero(2).rev())?;
        let interval = Interval { low: low.min(place), high: high.max(place) };
        Some(Crossover { point: point.clone(), from: from.clone(), to: to.clone(), place, interval })
    };
    won.windows(2).filter_map(change).collect()
}

/// Where the first change of sign is, as a number of the axis. Points are logarithms, of both.
fn first_zero(points: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let mut before: Option<(f64, f64)> = None;
    for (x, y) in points {
        match before {
            Some((x0, y0)) if (y > 0.0) != (y0 > 0.0) => {
                // An interval without an end has no slope: the change is then where it was last certain.
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
    use super::super::rounds;
    use super::super::tests::record;
    use super::*;
    use crate::point::param;
    use crate::results::Record;

    /// Constant 1000 ns against 10 ns a byte: they meet at 100 bytes.
    fn duel(spread: f64) -> Vec<Round> {
        let sizes = [1, 16, 64, 128, 1024, 4096];
        let both = |&bytes: &u64| {
            [record("flat", bytes, 1000.0, spread), record("steep", bytes, 10.0 * bytes as f64, spread)]
        };
        let records: Vec<Record> = sizes.iter().flat_map(both).collect();
        rounds(&records.iter().collect::<Vec<_>>(), param::VARIANT)
    }

    #[test]
    fn the_place_where_two_meet_is_found_and_lies_within_its_interval() {
        let found = crossovers(&duel(0.01), param::BYTES);
        assert_eq!(found.len(), 1);
        let Crossover { from, to, place, interval, .. } = &found[0];
        assert_eq!((from.as_str(), to.as_str()), ("steep", "flat"));
        assert!((place - 100.0).abs() < 1.0, "{place}");
        assert!(interval.contains(*place) && interval.low > 95.0 && interval.high < 106.0, "{interval:?}");
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
