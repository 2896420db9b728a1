//! The fewest changes of algorithm that explain what was measured.

use panto_schedule::{Algorithm, Collective};

use crate::curve::roundest;

/// One measured point, and what each algorithm would take there.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    pub(super) ranks: usize,
    /// Of the vector, or of one block where each rank has one.
    pub(super) bytes: u64,
    /// What the published rules say.
    pub(super) usual: Algorithm,
    /// Seconds.
    pub(super) measured: f64,
    /// By what part of it that may be wrong.
    pub(super) doubt: f64,
    /// Seconds.
    pub(super) predicted: Vec<(Algorithm, f64)>,
}

/// Algorithms by size: each up to so many bytes, the last for all that remain.
pub(super) type BySize = Vec<(Option<u64>, Algorithm)>;

/// Which algorithm, by number of ranks and by size.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chosen {
    /// Up to so many ranks (any if none), the algorithms by size: up to so many bytes (any if none).
    pub(super) groups: Vec<(Option<usize>, BySize)>,
    /// How far the chosen algorithms are off: the median over the points.
    off: f64,
    /// Points at which another algorithm would take as long, so that nothing tells them apart.
    open: usize,
    points: usize,
}

/// Predictions are not better than this, however clean the measurement.
const LEAST_DOUBT: f64 = 0.002;
/// A change of algorithm between two sizes must save as much as so many points that are off by their doubt.
const CHANGE: f64 = 4.0;
/// One point counts at most as much as this: something else may have been going on.
const MOST: f64 = 60.0;
/// Among equals the published rule is preferred.
const UNUSUAL: f64 = 1e-3;
/// Nothing explains a point whose best algorithm is farther off.
const TOO_FAR: f64 = 0.25;

impl Cell {
    fn off(&self, predicted: f64) -> f64 {
        (predicted / self.measured).ln().abs()
    }

    fn best(&self) -> f64 {
        self.predicted.iter().map(|(_, seconds)| self.off(*seconds)).fold(f64::INFINITY, f64::min)
    }

    fn cost(&self, algorithm: Algorithm) -> f64 {
        let found = self.predicted.iter().find(|(other, _)| *other == algorithm);
        let off = found.map_or(MOST, |(_, seconds)| self.off(*seconds) / self.doubt.max(LEAST_DOUBT));
        off.min(MOST) + if algorithm == self.usual { 0.0 } else { UNUSUAL }
    }

    /// Would another algorithm take as long?
    fn is_open(&self, chosen: Algorithm) -> bool {
        let off = |algorithm| {
            self.predicted.iter().find(|(other, _)| *other == algorithm).map(|(_, s)| self.off(*s))
        };
        let Some(own) = off(chosen) else { return true };
        let close = own + self.doubt.max(LEAST_DOUBT);
        self.predicted.iter().any(|(other, seconds)| *other != chosen && self.off(*seconds) <= close)
    }
}

/// The rules that explain the cells best, which are sorted by ranks and size; or why nothing does.
pub(super) fn choose(cells: &[Cell]) -> Result<Chosen, String> {
    let offs: Vec<f64> = cells.iter().map(Cell::best).collect();
    let far = offs.iter().filter(|off| **off > TOO_FAR).count();
    if cells.is_empty() || cells.iter().all(|cell| cell.predicted.is_empty()) {
        return Err("nothing to compare with".into());
    }
    if 2 * far >= cells.len() {
        return Err(format!(
            "no schedule explains it: at {far} of {} points all are off by more than a quarter",
            cells.len()
        ));
    }
    // Where even the best is off, the model is no better than that, and smaller differences say nothing.
    let model = panto_stats::median(&offs).unwrap_or(0.0);
    let cells: Vec<Cell> =
        cells.iter().map(|cell| Cell { doubt: cell.doubt.max(model), ..cell.clone() }).collect();
    let rows: Vec<&[Cell]> = cells.chunk_by(|a, b| a.ranks == b.ranks).collect();
    let rules = as_neighbours(&rows, rows.iter().map(|row| by_size(row, &path(row))).collect());
    let (mut offs, mut open) = (Vec::new(), 0);
    for (row, rules) in rows.iter().zip(&rules) {
        for cell in *row {
            let algorithm = at(rules, cell.bytes);
            let own = cell.predicted.iter().find(|(other, _)| *other == algorithm);
            offs.extend(own.map(|(_, seconds)| cell.off(*seconds)));
            open += usize::from(cell.is_open(algorithm));
        }
    }
    let off = panto_stats::median(&offs).unwrap_or(0.0);
    let groups = rows.iter().map(|row| row[0].ranks).zip(rules).collect();
    Ok(Chosen { groups: by_ranks(groups), off, open, points: cells.len() })
}

/// The rules of each number of ranks, or those of the next larger number where these explain it nearly as well: few ranks leave so little to
/// choose that many algorithms are equal.
fn as_neighbours(rows: &[&[Cell]], mut rules: Vec<BySize>) -> Vec<BySize> {
    for place in (1..rows.len()).rev() {
        let cost = |rules: &BySize| -> f64 {
            rows[place - 1].iter().map(|cell| cell.cost(at(rules, cell.bytes))).sum()
        };
        let (before, after) = rules.split_at_mut(place);
        let (own, next) = (&mut before[place - 1], &after[0]);
        if cost(next) <= cost(own) + CHANGE * own.len() as f64 {
            own.clone_from(next);
        }
    }
    rules
}

/// The algorithm for a size.
fn at(rules: &BySize, bytes: u64) -> Algorithm {
    let fits = |(most, _): &&(Option<u64>, Algorithm)| most.is_none_or(|most| bytes <= most);
    rules.iter().find(fits).map_or(Algorithm::Linear, |(_, algorithm)| *algorithm)
}

/// The cheapest sequence of algorithms over the sizes of one number of ranks. O(sizes * algorithms^2).
fn path(row: &[Cell]) -> Vec<Algorithm> {
    let algorithms: Vec<Algorithm> = row[0].predicted.iter().map(|(algorithm, _)| *algorithm).collect();
    let mut sums = vec![0.0; algorithms.len()];
    let mut steps: Vec<Vec<usize>> = Vec::new();
    for cell in row {
        let cheapest = least(&sums);
        let from = |index: usize| if sums[index] <= sums[cheapest] + CHANGE { index } else { cheapest };
        let step: Vec<usize> = (0..algorithms.len()).map(from).collect();
        let sum = |index: usize| {
            let change = if step[index] == index { 0.0 } else { CHANGE };
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

/// Where the algorithm changes, at the roundest size between two that were measured.
fn by_size(row: &[Cell], path: &[Algorithm]) -> BySize {
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

/// Numbers of ranks with the same rules together. Between two that were measured the rules of the smaller hold.
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

impl Chosen {
    /// The algorithm, if it is the same everywhere.
    pub(super) fn single(&self) -> Option<Algorithm> {
        match self.groups.as_slice() {
            [(_, rules)] if rules.len() == 1 => Some(rules[0].1),
            _ => None,
        }
    }

    pub(super) fn note(&self, collective: Collective) -> String {
        let count: usize = self.groups.iter().map(|(_, rules)| rules.len()).sum();
        let rules = if count == 1 { "one rule, off" } else { &format!("{count} rules, off") };
        let open = match self.open {
            0 => String::new(),
            open => format!("; at {open} of {} points another algorithm takes as long", self.points),
        };
        format!("{collective}: {rules} by {} in the median{open}", panto_units::percent(self.off * 100.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Algorithm::{Binomial, Chain, Linear};

    fn cell(ranks: usize, bytes: u64, measured: f64, predicted: &[(Algorithm, f64)]) -> Cell {
        Cell { ranks, bytes, usual: Binomial, measured, doubt: 0.0, predicted: predicted.to_vec() }
    }

    #[test]
    fn a_change_is_found_and_a_wild_point_is_not_one() {
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
        let cells: Vec<Cell> = times.into_iter().map(|(bytes, time)| row(bytes, time)).collect();
        let found = choose(&cells).unwrap();
        assert_eq!(found.groups, [(None, vec![(Some(64), Binomial), (None, chain)])]);
        assert_eq!(found.single(), None);
    }

    #[test]
    fn equals_follow_their_neighbours_and_the_usual_rule() {
        let same = |bytes| cell(2, bytes, 1.0, &[(Linear, 1.0), (Binomial, 1.0)]);
        let cells = [same(1), cell(4, 1, 2.0, &[(Linear, 3.0), (Binomial, 2.0)])];
        let found = choose(&cells).unwrap();
        assert_eq!((found.single(), found.open), (Some(Binomial), 1));
        // Two ranks do it as four do, although the usual rule says otherwise.
        let cells = [same(1), cell(4, 1, 2.0, &[(Linear, 2.0), (Binomial, 3.0)])];
        assert_eq!(choose(&cells).unwrap().single(), Some(Linear));
        assert!(found.note(Collective::Broadcast).contains("at 1 of 2 points"));
    }

    #[test]
    fn what_nothing_explains_is_said() {
        let error = choose(&[cell(2, 1, 9.0, &[(Linear, 1.0)])]).unwrap_err();
        assert!(error.contains("no schedule explains it"), "{error}");
    }
}
