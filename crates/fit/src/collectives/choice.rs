//! The rules of a collective: the sequence of algorithms with the least misfit plus a cost for each
//! change.
//!
//! For each number of ranks the sizes form a row. A dynamic program finds the sequence of
//! algorithms over a row with the least cost: at each point the distance of measured and predicted
//! time (as the logarithm of their ratio) in units of the point's uncertainty, capped so that one
//! outlier decides nothing; and [`CHANGE_COST`] for each change. The uncertainty is at least the
//! median error of the best algorithms. Rows then adopt the rules of the next larger number of
//! ranks where these explain them nearly as well. Ties go to the published rules, and nothing is
//! chosen if at half of the points or more no algorithm is within about 25 % ([`MAX_ERROR`]).

use std::fmt;

use panto_schedule::{Algorithm, Collective};

use crate::fitter::roundest;

/// One measured point with the prediction of each algorithm.
#[derive(Debug, Clone)]
pub(super) struct PointTimes {
    pub(super) ranks: usize,
    /// Bytes of the vector, or of one block where each rank has one.
    pub(super) bytes: u64,
    /// Algorithm of the published rules.
    pub(super) published: Algorithm,
    /// Measured seconds.
    pub(super) measured: f64,
    /// Relative uncertainty of the measured time.
    pub(super) uncertainty: f64,
    /// Predicted seconds of each algorithm.
    pub(super) predicted: Vec<(Algorithm, f64)>,
}

/// Algorithms by size: each up to a number of bytes, the last unbounded.
pub(super) type BySize = Vec<(Option<u64>, Algorithm)>;

/// The selected algorithm by number of ranks and by size.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SelectedRules {
    /// Algorithms by size, each group up to a number of ranks (`None` for the last).
    pub(super) groups: Vec<(Option<usize>, BySize)>,
    /// Error of the selected algorithms: the median over the points.
    off: f64,
    /// Points at which another algorithm is predicted to take as long.
    ambiguous: usize,
    points: usize,
}

/// Relative uncertainty of predictions, however exact the measurement.
const MIN_UNCERTAINTY: f64 = 0.002;
/// Cost of a change of algorithm, in points that are off by their uncertainty.
const CHANGE_COST: f64 = 4.0;
/// Largest cost of one point: an outlier may have another cause.
const MAX_POINT_COST: f64 = 60.0;
/// Cost of deviating from the published rules: breaks ties.
const UNPUBLISHED_COST: f64 = 1e-3;
/// A point is unexplained if all algorithms are farther off (natural logarithm of the ratio).
const MAX_ERROR: f64 = 0.25;

/// Why no rules follow from the measured points of a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unexplained {
    /// No algorithm could be simulated at any of the points.
    NoPrediction,
    /// At `far` of `points` points every algorithm is farther off than [`MAX_ERROR`].
    NoneClose { far: usize, points: usize },
}

impl fmt::Display for Unexplained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPrediction => f.write_str("no algorithm could be simulated"),
            Self::NoneClose { far, points } => write!(
                f,
                "no algorithm explains the times: at {far} of {points} points every prediction is off by more than 25 %"
            ),
        }
    }
}

impl PointTimes {
    fn error(&self, predicted: f64) -> f64 {
        (predicted / self.measured).ln().abs()
    }

    fn best(&self) -> f64 {
        self.predicted.iter().map(|(_, seconds)| self.error(*seconds)).fold(f64::INFINITY, f64::min)
    }

    fn cost(&self, algorithm: Algorithm) -> f64 {
        let found = self.predicted.iter().find(|(other, _)| *other == algorithm);
        let off = found.map_or(MAX_POINT_COST, |(_, seconds)| {
            self.error(*seconds) / self.uncertainty.max(MIN_UNCERTAINTY)
        });
        off.min(MAX_POINT_COST) + if algorithm == self.published { 0.0 } else { UNPUBLISHED_COST }
    }

    /// Returns whether another algorithm is predicted to take as long.
    fn is_ambiguous(&self, chosen: Algorithm) -> bool {
        let off = |algorithm| {
            self.predicted.iter().find(|(other, _)| *other == algorithm).map(|(_, s)| self.error(*s))
        };
        let Some(own) = off(chosen) else { return true };
        let close = own + self.uncertainty.max(MIN_UNCERTAINTY);
        self.predicted.iter().any(|(other, seconds)| *other != chosen && self.error(*seconds) <= close)
    }
}

/// Returns the rules that explain the points best. The points are sorted by ranks and size.
pub(super) fn choose(cells: &[PointTimes]) -> Result<SelectedRules, Unexplained> {
    let offs: Vec<f64> = cells.iter().map(PointTimes::best).collect();
    let far = offs.iter().filter(|off| **off > MAX_ERROR).count();
    if cells.is_empty() || cells.iter().all(|cell| cell.predicted.is_empty()) {
        return Err(Unexplained::NoPrediction);
    }
    if 2 * far >= cells.len() {
        return Err(Unexplained::NoneClose { far, points: cells.len() });
    }
    // Where even the best algorithm is off, smaller differences tell nothing.
    let model = panto_stats::median(&offs).unwrap_or(0.0);
    let cells: Vec<PointTimes> = cells
        .iter()
        .map(|cell| PointTimes { uncertainty: cell.uncertainty.max(model), ..cell.clone() })
        .collect();
    let rows: Vec<&[PointTimes]> = cells.chunk_by(|a, b| a.ranks == b.ranks).collect();
    let rules =
        adopt_larger_groups(&rows, rows.iter().map(|row| by_size(row, &cheapest_path(row))).collect());
    let (mut offs, mut ambiguous) = (Vec::new(), 0);
    for (row, rules) in rows.iter().zip(&rules) {
        for cell in *row {
            let algorithm = at(rules, cell.bytes);
            let own = cell.predicted.iter().find(|(other, _)| *other == algorithm);
            offs.extend(own.map(|(_, seconds)| cell.error(*seconds)));
            ambiguous += usize::from(cell.is_ambiguous(algorithm));
        }
    }
    let off = panto_stats::median(&offs).unwrap_or(0.0);
    let groups = rows.iter().map(|row| row[0].ranks).zip(rules).collect();
    Ok(SelectedRules { groups: by_ranks(groups), off, ambiguous, points: cells.len() })
}

/// Gives each number of ranks the rules of the next larger one where these explain it nearly as
/// well: with few ranks many algorithms are equal.
fn adopt_larger_groups(rows: &[&[PointTimes]], mut rules: Vec<BySize>) -> Vec<BySize> {
    for place in (1..rows.len()).rev() {
        let cost = |rules: &BySize| -> f64 {
            rows[place - 1].iter().map(|cell| cell.cost(at(rules, cell.bytes))).sum()
        };
        let (before, after) = rules.split_at_mut(place);
        let (own, next) = (&mut before[place - 1], &after[0]);
        if cost(next) <= cost(own) + CHANGE_COST * own.len() as f64 {
            own.clone_from(next);
        }
    }
    rules
}

/// Returns the algorithm for a size.
fn at(rules: &BySize, bytes: u64) -> Algorithm {
    let fits = |(most, _): &&(Option<u64>, Algorithm)| most.is_none_or(|most| bytes <= most);
    rules.iter().find(fits).map_or(Algorithm::Linear, |(_, algorithm)| *algorithm)
}

/// Returns the cheapest sequence of algorithms over the sizes of one number of ranks, by dynamic
/// programming. O(sizes * algorithms^2), since a prediction is looked up by a linear search.
fn cheapest_path(row: &[PointTimes]) -> Vec<Algorithm> {
    let algorithms: Vec<Algorithm> = row[0].predicted.iter().map(|(algorithm, _)| *algorithm).collect();
    let mut sums = vec![0.0; algorithms.len()];
    let mut steps: Vec<Vec<usize>> = Vec::new();
    for cell in row {
        let cheapest = least(&sums);
        let from = |index: usize| if sums[index] <= sums[cheapest] + CHANGE_COST { index } else { cheapest };
        let step: Vec<usize> = (0..algorithms.len()).map(from).collect();
        let sum = |index: usize| {
            let change = if step[index] == index { 0.0 } else { CHANGE_COST };
            sums[step[index]] + change + cell.cost(algorithms[index])
        };
        sums = (0..algorithms.len()).map(sum).collect();
        steps.push(step);
    }
    let mut at = least(&sums);
    let mut path: Vec<Algorithm> = Vec::with_capacity(row.len());
    for step in steps.iter().rev() {
        path.push(algorithms[at]);
        at = step[at];
    }
    path.reverse();
    path
}

fn least(sums: &[f64]) -> usize {
    (0..sums.len()).min_by(|a, b| sums[*a].total_cmp(&sums[*b])).unwrap_or(0)
}

/// Returns the rules of a sequence: changes lie at the roundest number between two measured sizes.
fn by_size(row: &[PointTimes], path: &[Algorithm]) -> BySize {
    let mut rules = BySize::new();
    for (index, algorithm) in path.iter().enumerate() {
        if path.get(index + 1) == Some(algorithm) {
            continue;
        }
        let end = row.get(index + 1).map(|next| roundest(row[index].bytes, next.bytes));
        rules.push((end, *algorithm));
    }
    rules
}

/// Merges numbers of ranks with equal rules. Between two that were measured the rules of the
/// smaller apply.
fn by_ranks(groups: Vec<(usize, BySize)>) -> Vec<(Option<usize>, BySize)> {
    let ends: Vec<Option<usize>> =
        groups.iter().skip(1).map(|(ranks, _)| Some(ranks - 1)).chain([None]).collect();
    let mut together: Vec<(Option<usize>, BySize)> = Vec::new();
    for (end, (_, rules)) in ends.into_iter().zip(groups) {
        match together.last_mut() {
            Some((last, same)) if *same == rules => *last = end,
            _ => together.push((end, rules)),
        }
    }
    together
}

impl SelectedRules {
    /// Returns the algorithm if it is the same everywhere.
    pub(super) fn single(&self) -> Option<Algorithm> {
        match self.groups.as_slice() {
            [(_, rules)] if rules.len() == 1 => Some(rules[0].1),
            _ => None,
        }
    }

    pub(super) fn note(&self, collective: Collective) -> String {
        let count: usize = self.groups.iter().map(|(_, rules)| rules.len()).sum();
        let rules =
            if count == 1 { "one rule, median error" } else { &format!("{count} rules, median error") };
        let ambiguous = match self.ambiguous {
            0 => String::new(),
            ambiguous => {
                format!("; at {ambiguous} of {} points another algorithm is equally close", self.points)
            }
        };
        format!("{collective}: {rules} {}{ambiguous}", panto_units::percent(self.off * 100.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Algorithm::{Binomial, Chain, Linear};

    fn cell(ranks: usize, bytes: u64, measured: f64, predicted: &[(Algorithm, f64)]) -> PointTimes {
        PointTimes {
            ranks,
            bytes,
            published: Binomial,
            measured,
            uncertainty: 0.0,
            predicted: predicted.to_vec(),
        }
    }

    #[test]
    fn a_change_is_found_and_an_outlier_is_none() {
        let chain = Chain { segments: 8 };
        let row = |bytes: u64, measured: f64| {
            let n = bytes as f64;
            cell(
                8,
                bytes,
                measured,
                &[(Linear, 7.0 + 7.0 * n), (Binomial, 3.0 + 3.0 * n), (chain, 30.0 + 2.0 * n)],
            )
        };
        let times = [(1, 6.0), (4, 15.0), (10, 33.0), (20, 63.0), (100, 230.0), (1000, 2030.0)];
        let cells: Vec<PointTimes> = times.into_iter().map(|(bytes, time)| row(bytes, time)).collect();
        let found = choose(&cells).unwrap();
        assert_eq!(found.groups, [(None, vec![(Some(64), Binomial), (None, chain)])]);
        assert_eq!(found.single(), None);
    }

    #[test]
    fn ties_follow_larger_groups_and_the_published_rule() {
        let same = |bytes| cell(2, bytes, 1.0, &[(Linear, 1.0), (Binomial, 1.0)]);
        let cells = [same(1), cell(4, 1, 2.0, &[(Linear, 3.0), (Binomial, 2.0)])];
        let found = choose(&cells).unwrap();
        assert_eq!((found.single(), found.ambiguous), (Some(Binomial), 1));
        // Two ranks adopt the rule of four, against the published rule.
        let cells = [same(1), cell(4, 1, 2.0, &[(Linear, 2.0), (Binomial, 3.0)])];
        assert_eq!(choose(&cells).unwrap().single(), Some(Linear));
        assert!(found.note(Collective::Broadcast).contains("at 1 of 2 points"));
    }

    #[test]
    fn an_unexplained_collective_is_an_error() {
        let error = choose(&[cell(2, 1, 9.0, &[(Linear, 1.0)])]).unwrap_err();
        assert_eq!(error, Unexplained::NoneClose { far: 1, points: 1 });
    }
}
