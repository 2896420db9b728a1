//! How complicated a program is. Of several that explain the same traces, the simplest is right
//! most of the time.

use crate::number::Number;
use crate::partner::Rule;
use crate::program::{Call, Count, Statement};
use crate::series::Series;
use crate::who::Who;

/// Returns the cost of statements: the sum over all rules.
pub fn of(statements: &[Statement]) -> usize {
    statements.iter().map(statement).sum()
}

fn statement(statement: &Statement) -> usize {
    match statement {
        Statement::Call(call) => of_call(call),
        Statement::Loop(repeated) => {
            let count = match &repeated.count {
                Count::Number(number) => series(number),
                Count::Partners(_) => 1,
            };
            1 + who(repeated.who) + count + of(&repeated.body)
        }
    }
}

fn of_call(call: &Call) -> usize {
    let partners: usize = call.partners.iter().copied().map(partner).sum();
    1 + who(call.who) + partners + call.numbers.iter().map(series).sum::<usize>()
}

fn partner(rule: Rule) -> usize {
    match rule {
        Rule::Neighbor(far) => {
            let steps: usize = far.iter().map(|step| usize::from(step.unsigned_abs())).sum();
            2 * steps.saturating_sub(1)
        }
        Rule::Rank(_) | Rule::Last | Rule::NoRank => 0,
        _ => 1,
    }
}

fn who(who: Who) -> usize {
    match who {
        Who::All => 0,
        Who::WithPartner(_) => 1,
        Who::If(_) => 2,
        Who::Both(..) | Who::Either(..) => 6,
    }
}

fn series(rule: &Series) -> usize {
    match rule {
        Series::Same(rule) => number(rule),
        Series::Linear(_, first, difference) => 1 + number(first) + number(difference),
        Series::Switch { first, then, .. } => 1 + number(first) + number(then),
        // One matrix explains count, owners and bytes at once.
        Series::Panels(..) => 0,
        Series::Turns { places, .. } | Series::Owner { places, .. } => 1 + number(places),
        Series::Doubled(_, first) | Series::Halved(_, first) => 1 + number(first),
        Series::Table(_, rules) => 4 + rules.iter().map(number).sum::<usize>(),
    }
}

fn number(rule: &Number) -> usize {
    match rule {
        Number::Constant(_) => 0,
        Number::Split(_, parts) => 4 + parts.iter().map(number).sum::<usize>(),
        Number::About(_) => 8,
        _ => 1,
    }
}
