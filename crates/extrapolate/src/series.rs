//! Rules for numbers that may change from one iteration of a loop to the next.

use std::fmt;

use crate::grid::Grid;
use crate::number::{Division, Number, Place, Seen};
use crate::panels::{Aspect, Panels};

/// A rule for a number in each execution of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Series {
    /// The same each time.
    Same(Number),
    /// A rule for each value of an index.
    Table(Index, Vec<Number>),
    /// The first one, and the difference from one to the next.
    Linear(Index, Number, Number),
    /// The first one, doubled each time.
    Doubled(Index, Number),
    /// The first one, halved each time.
    Halved(Index, Number),
    /// Places that take turns in the iterations of a loop, each several times in a row.
    Turns { first: i64, places: Number, times: u32 },
    /// The place whose block of all iterations has this one.
    Owner { places: Number, how: Division },
    /// One number in the first iterations, another in the others.
    Switch { first: Number, at: Switch, then: Number },
    /// What belongs to a panel of a matrix in each iteration.
    Panels(Panels, Aspect),
}

/// When a number changes in a loop.
#[derive(Debug, Clone, PartialEq)]
pub enum Switch {
    /// After this number of iterations.
    After(Number),
    /// This number of iterations before the end.
    Before(Number),
}

/// What a number may depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Index {
    /// The iteration of the innermost loop.
    Iteration,
    /// How often that loop was executed before.
    Execution,
    /// All iterations so far.
    Position,
}

/// Where a call stands in its loops.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Step {
    pub iteration: u32,
    /// The iterations of this execution.
    pub count: u32,
    pub execution: u32,
    pub position: u32,
}

/// Values that a rank had, in the order of execution.
#[derive(Debug, Clone)]
pub struct SeenSeries<'a> {
    pub grid: &'a Grid,
    pub rank: u32,
    pub partner: Option<u32>,
    /// The dimension in which the partner is a neighbor.
    pub across: Option<usize>,
    /// One value if it never changes.
    pub values: Vec<i64>,
    /// The iterations of the enclosing loop in each execution.
    pub counts: &'a [u32],
    /// The partner of each iteration, in a loop over partners.
    pub partners: Vec<u32>,
}

/// The most values that a rule lists.
const LONGEST_TABLE: usize = 4096;

impl Index {
    const ALL: [Self; 3] = [Self::Iteration, Self::Execution, Self::Position];

    fn of(self, step: Step) -> u32 {
        match self {
            Self::Iteration => step.iteration,
            Self::Execution => step.execution,
            Self::Position => step.position,
        }
    }
}

impl Series {
    /// Returns the number of an execution.
    pub fn at(&self, place: &Place<'_>, step: Step) -> Option<i64> {
        match self {
            Self::Same(number) => number.at(place),
            Self::Table(index, numbers) => numbers.get(index.of(step) as usize)?.at(place),
            Self::Linear(index, first, difference) => {
                let far = difference.at(place)?.checked_mul(index.of(step).into())?;
                first.at(place)?.checked_add(far)
            }
            Self::Doubled(index, first) => first.at(place)?.checked_shl(index.of(step)),
            Self::Halved(index, first) => first.at(place)?.checked_shr(index.of(step)),
            Self::Turns { first, places, times } => {
                let turn = i64::from(step.iteration / (*times).max(1));
                Some(first + turn.checked_rem(places.at(place)?)?)
            }
            Self::Owner { places, how } => {
                how.owner(step.count.into(), places.at(place)?, step.iteration.into())
            }
            Self::Switch { first, at, then } => {
                let (done, count) = (i64::from(step.iteration), i64::from(step.count));
                let is_first = match at {
                    Switch::After(iterations) => done < iterations.at(place)?,
                    Switch::Before(iterations) => done < count - iterations.at(place)?,
                };
                if is_first { first.at(place) } else { then.at(place) }
            }
            Self::Panels(panels, aspect) => panels.at(*aspect, place, step.iteration.into()),
        }
    }

    /// Returns the simplest rule that gives exactly what was seen.
    pub fn find(seen: &[SeenSeries<'_>]) -> Option<Self> {
        if let Some(number) = over_partners(seen) {
            return Some(Self::Same(number));
        }
        if seen.iter().all(|one| one.values.len() == 1) {
            let values: Vec<Seen<'_>> = seen.iter().map(|one| one.with(one.values[0])).collect();
            return Number::find(&values).map(Self::Same);
        }
        if let Some(found) = switch(seen) {
            return Some(found);
        }
        Index::ALL.into_iter().find_map(|index| {
            let by_index: Option<Vec<Vec<i64>>> = seen.iter().map(|one| one.by(index)).collect();
            let by_index = by_index?;
            formula(seen, &by_index, index).or_else(|| table(seen, &by_index, index))
        })
    }

    /// Returns the simplest rule for a partner that moves: its place in the communicator.
    pub fn of_partners(seen: &[SeenSeries<'_>]) -> Option<Self> {
        let least = seen.iter().flat_map(|one| &one.values).min().copied()?;
        let places: Vec<Seen<'_>> = seen
            .iter()
            .map(|one| one.with(one.values.iter().max().map_or(0, |most| most + 1 - least)))
            .collect();
        let places = Number::find(&places)?;
        let owners = Division::ALL.map(|how| Self::Owner { places: places.clone(), how });
        let first = &seen.first()?.values;
        let times = first.iter().take_while(|value| **value == first[0]).count() as u32;
        let turns = Self::Turns { first: least, places, times };
        std::iter::once(turns).chain(owners).find(|rule| rule.fits(seen)).or_else(|| Self::find(seen))
    }

    /// Returns whether the rule gives exactly what was seen.
    pub fn fits(&self, seen: &[SeenSeries<'_>]) -> bool {
        seen.iter().all(|one| {
            let place = Place { grid: one.grid, rank: one.rank, partner: one.partner };
            let value = |at: usize| one.values[at.min(one.values.len() - 1)];
            let mut steps = steps(one.counts).enumerate();
            steps.all(|(at, step)| self.at(&place, step) == Some(value(at)))
        })
    }

    /// Returns a function of the number of ranks that comes near the mean of what was seen.
    pub fn about(seen: &[SeenSeries<'_>]) -> Self {
        let mean = |values: &[i64]| {
            let sum: i128 = values.iter().map(|value| i128::from(*value)).sum();
            (sum / values.len().max(1) as i128) as i64
        };
        let values: Vec<Seen<'_>> = seen.iter().map(|one| one.with(mean(&one.values))).collect();
        Self::Same(Number::about(&values))
    }
}

impl<'a> SeenSeries<'a> {
    fn with(&self, value: i64) -> Seen<'a> {
        Seen { grid: self.grid, rank: self.rank, partner: self.partner, across: self.across, value }
    }

    /// Returns the values by an index; none if they do not depend on it alone.
    fn by(&self, index: Index) -> Option<Vec<i64>> {
        let mut values: Vec<i64> = Vec::new();
        for (value, step) in self.values.iter().zip(steps(self.counts)) {
            let at = index.of(step) as usize;
            match values.get(at) {
                Some(known) if known != value => return None,
                Some(_) => {}
                None => values.push(*value),
            }
        }
        // A single value stands for all.
        let is_whole = self.values.len() == 1 || values.len() <= self.values.len();
        is_whole.then_some(values)
    }
}

/// Returns the steps of all executions of a loop.
pub fn steps(counts: &[u32]) -> impl Iterator<Item = Step> {
    let each = (0..).zip(counts).flat_map(|(execution, count)| {
        (0..*count).map(move |iteration| Step { iteration, count: *count, execution, position: 0 })
    });
    each.zip(0..).map(|(step, position)| Step { position, ..step })
}

/// A rule for the rank and its partner in each iteration of a loop over partners.
fn over_partners(seen: &[SeenSeries<'_>]) -> Option<Number> {
    let mut all = Vec::new();
    for one in seen {
        let values = one.by(Index::Iteration)?;
        for (i, partner) in one.partners.iter().enumerate() {
            let value = values[i.min(values.len() - 1)];
            all.push(Seen { partner: Some(*partner), ..one.with(value) });
        }
    }
    if all.is_empty() { None } else { Number::of_pair(&all) }
}

/// Rules for any number of iterations.
fn formula(seen: &[SeenSeries<'_>], values: &[Vec<i64>], index: Index) -> Option<Series> {
    let find = |of: &dyn Fn(&[i64]) -> i64| {
        let all: Vec<Seen<'_>> = seen.iter().zip(values).map(|(one, values)| one.with(of(values))).collect();
        Number::find(&all)
    };
    let difference = |values: &[i64]| values.get(1).map_or(0, |second| second - values[0]);
    let is = |next: &dyn Fn(i64, i64) -> i64| {
        values.iter().all(|values| values.windows(2).all(|pair| pair[1] == next(pair[0], difference(values))))
    };
    let long = values.iter().any(|values| values.len() > 2);
    if long && is(&|last, difference| last + difference) {
        return Some(Series::Linear(index, find(&|values| values[0])?, find(&difference)?));
    }
    if is(&|last, _| 2 * last) {
        return Some(Series::Doubled(index, find(&|values| values[0])?));
    }
    if is(&|last, _| last / 2) {
        return Some(Series::Halved(index, find(&|values| values[0])?));
    }
    None
}

/// A rule for two numbers, the second of which follows after some iterations, or is that of the
/// last ones. Loops whose numbers never change are too short to show both.
fn switch(seen: &[SeenSeries<'_>]) -> Option<Series> {
    let mut parts: Vec<(&SeenSeries<'_>, usize)> = Vec::new();
    for one in seen {
        let until = one.values.iter().take_while(|value| **value == one.values[0]).count();
        let is_two = one.values[until..].windows(2).all(|pair| pair[0] == pair[1]);
        // In two iterations any numbers are a line.
        if one.counts.len() != 1 || !is_two || until == one.values.len() {
            return None;
        }
        parts.push((one, until));
    }
    if parts.iter().all(|(one, _)| one.values.len() < 3) {
        return None;
    }
    let find = |of: &dyn Fn(&SeenSeries<'_>, usize) -> i64| {
        let all: Vec<Seen<'_>> = parts.iter().map(|(one, until)| one.with(of(one, *until))).collect();
        Number::find(&all)
    };
    let first = find(&|one, _| one.values[0])?;
    let then = find(&|one, until| one.values[until])?;
    let after = find(&|_, until| until as i64).map(Switch::After);
    let before = find(&|one, until| (one.values.len() - until) as i64).map(Switch::Before);
    let rules = after.into_iter().chain(before);
    let mut rules = rules.map(|at| Series::Switch { first: first.clone(), at, then: then.clone() });
    rules.find(|rule| rule.fits(seen))
}

/// A rule for each value of the index, if it has the same number of values everywhere.
fn table(seen: &[SeenSeries<'_>], values: &[Vec<i64>], index: Index) -> Option<Series> {
    let length = values.iter().map(Vec::len).max()?;
    let is_even = values.iter().all(|values| values.len() == length || values.len() == 1);
    if !is_even || length > LONGEST_TABLE {
        return None;
    }
    let rule = |at: usize| {
        let at = |values: &Vec<i64>| values[at.min(values.len() - 1)];
        let all: Vec<Seen<'_>> = seen.iter().zip(values).map(|(one, values)| one.with(at(values))).collect();
        Number::find(&all)
    };
    let rules: Option<Vec<Number>> = (0..length).map(rule).collect();
    rules.map(|rules| Series::Table(index, rules))
}

impl fmt::Display for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Same(number) => number.fmt(f),
            Self::Table(_, numbers) => write!(f, "{} ... {}", numbers[0], numbers[numbers.len() - 1]),
            Self::Linear(_, first, Number::Constant(step)) => write!(f, "{first} {step:+} i"),
            Self::Linear(_, first, step) => write!(f, "{first} + ({step}) i"),
            Self::Doubled(_, first) => write!(f, "{first} 2^i"),
            Self::Halved(_, first) => write!(f, "{first}/2^i"),
            Self::Turns { first, places, times } => {
                let from = if *first == 0 { String::new() } else { format!("{first} + ") };
                let turn = if *times == 1 { "i".to_owned() } else { format!("i/{times}") };
                write!(f, "{from}{turn} mod {places}")
            }
            Self::Owner { places, .. } => write!(f, "owner of i in {places}"),
            Self::Switch { first, at: Switch::After(after), then } => {
                write!(f, "{first}, after {after} times {then}")
            }
            Self::Switch { first, at: Switch::Before(before), then } => {
                write!(f, "{first}, the last {before} times {then}")
            }
            Self::Panels(panels, aspect) => panels.show(*aspect, f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Shape;

    fn found(of: impl Fn(u32) -> (Vec<i64>, Vec<u32>)) -> Option<String> {
        let data: Vec<(Grid, Vec<i64>, Vec<u32>)> = [4, 8, 16]
            .into_iter()
            .map(|ranks| {
                let (values, counts) = of(ranks);
                (Shape::Line.grid(ranks, false).expect("a grid"), values, counts)
            })
            .collect();
        let seen: Vec<SeenSeries<'_>> = data
            .iter()
            .map(|(grid, values, counts)| SeenSeries {
                grid,
                rank: 0,
                partner: None,
                across: None,
                values: values.clone(),
                counts,
                partners: Vec::new(),
            })
            .collect();
        Series::find(&seen).map(|series| series.to_string())
    }

    #[test]
    fn values_follow_the_iterations() {
        assert_eq!(found(|_| (vec![5], vec![3])).as_deref(), Some("5"));
        assert_eq!(found(|_| (vec![9, 7, 5, 9, 7, 5], vec![3, 3])).as_deref(), Some("9 -2 i"));
        assert_eq!(
            found(|ranks| ((0..ranks.ilog2()).map(|i| 64 << i).collect(), vec![ranks.ilog2()])).as_deref(),
            Some("64 2^i")
        );
        assert_eq!(found(|_| (vec![4, 1, 8, 3], vec![4])).as_deref(), Some("4 ... 3"));
    }
}
