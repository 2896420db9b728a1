//! Rules for the lists of v-collectives: bytes for each rank of the communicator.

use std::fmt;

use crate::number::{Division, Number, Place, Seen};

/// A rule for a list.
#[derive(Debug, Clone, PartialEq)]
pub enum List {
    /// All entries are equal.
    Equal(Number),
    /// Blocks of a total.
    Blocks { unit: i64, total: Number, how: Division },
}

impl List {
    /// Returns a list of this length.
    pub fn at(&self, place: &Place<'_>, length: u32) -> Option<Vec<i64>> {
        match self {
            Self::Equal(number) => Some(vec![number.at(place)?; length as usize]),
            Self::Blocks { unit, total, how } => {
                let total = total.at(place)?;
                let entry = |at: u32| unit * how.block(total, at.into(), length.into());
                Some((0..length).map(entry).collect())
            }
        }
    }

    /// Returns the simplest rule for lists that were seen, beside where they were seen.
    pub fn find(seen: &[(Seen<'_>, &[i64])]) -> Option<Self> {
        let with = |of: &dyn Fn(&[i64]) -> i64| -> Vec<Seen<'_>> {
            seen.iter().map(|(place, list)| Seen { value: of(list), ..*place }).collect()
        };
        if seen.iter().all(|(_, list)| list.iter().all(|entry| *entry == list[0])) {
            return Number::find(&with(&|list| list[0])).map(Self::Equal);
        }
        [8, 4, 16, 1].into_iter().find_map(|unit| {
            let total = Number::find(&with(&|list| list.iter().sum::<i64>() / unit))?;
            Division::ALL.into_iter().find_map(|how| {
                let rule = Self::Blocks { unit, total: total.clone(), how };
                let fits = |(place, list): &(Seen<'_>, &[i64])| {
                    let at = Place { grid: place.grid, rank: place.rank, partner: place.partner };
                    rule.at(&at, list.len() as u32).as_deref() == Some(*list)
                };
                seen.iter().all(fits).then_some(rule)
            })
        })
    }
}

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Equal(number) => number.fmt(f),
            Self::Blocks { unit, total, .. } => write!(f, "{unit} x ({total})/P"),
        }
    }
}
