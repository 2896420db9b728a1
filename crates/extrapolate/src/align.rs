//! The calls of all ranks of all traces as one program.
//!
//! The program is a supersequence: it has every call that some rank has, in an order that holds for
//! all. Ranks are added one after the other, each aligned so that as many calls as possible match.
//! Calls match if they have the same shape and there are rules for partners that explain both.

use smallvec::SmallVec;

use crate::error::{Error, Result};
use crate::fold::Item;
use crate::partner::Candidates;

/// A call or a loop of the program.
#[derive(Debug, Clone)]
pub struct Node<'a> {
    pub kind: Kind,
    /// What ranks have here.
    pub found: Vec<Found<'a>>,
}

/// What a rank has at a place of the program.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    /// The number of the rank among those of all traces.
    pub member: usize,
    pub item: &'a Item,
}

/// What a place of the program is.
#[derive(Debug, Clone)]
pub enum Kind {
    Call(Call),
    Loop { is_over_partners: bool },
}

/// A call.
#[derive(Debug, Clone)]
pub struct Call {
    /// Its shape, and the rules that explain its partners.
    pub class: Class,
    /// Whether some rank has `MPI_PROC_NULL` for a partner.
    pub has_null: bool,
    pub takes: Takes,
}

/// Calls with the same shape whose partners follow the same rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    pub shape: u32,
    pub partners: SmallVec<[Candidates; 2]>,
}

/// Requests that a call completes, starts or frees.
#[derive(Debug, Clone, Default)]
pub struct Takes {
    pub is_all: bool,
    /// The class of the call that made each, and its place among those of the class.
    pub requests: Vec<(Class, u32)>,
}

/// A row of calls and loops: the program, or the body of a loop.
#[derive(Debug, Clone, Default)]
pub struct Row<'a>(pub Vec<(Node<'a>, Row<'a>)>);

/// The most items of a row. More are a program that repeats nothing.
const MOST_ITEMS: usize = 4000;

impl Class {
    fn matches(&self, other: &Self) -> bool {
        self.shape == other.shape
            && self.partners.len() == other.partners.len()
            && self.partners.iter().zip(&other.partners).all(|(own, other)| !own.both(*other).is_empty())
    }

    fn join(&mut self, other: &Self) {
        for (own, other) in self.partners.iter_mut().zip(&other.partners) {
            *own = own.both(*other);
        }
    }
}

impl Takes {
    fn matches(&self, other: &Self) -> bool {
        let is_listed = |class: &Class, place: u32| {
            other.requests.iter().any(|(theirs, at)| *at == place && class.matches(theirs))
        };
        (self.is_all && other.is_all)
            || (self.requests.is_empty() && other.requests.is_empty())
            || self.requests.iter().any(|(class, place)| is_listed(class, *place))
    }

    /// Adds the requests of another rank, in an order that holds for both.
    fn join(&mut self, other: Self) {
        self.is_all &= other.is_all;
        let mut from = 0;
        for (class, place) in other.requests {
            let same = |(own, at): &(Class, u32)| *at == place && own.matches(&class);
            if let Some(at) = self.requests.iter().skip(from).position(same) {
                self.requests[from + at].0.join(&class);
                from += at + 1;
            } else {
                self.requests.insert(from, (class, place));
                from += 1;
            }
        }
    }
}

impl Row<'_> {
    /// Adds what another rank does.
    pub fn join(&mut self, other: Self) -> Result<()> {
        if self.0.len().max(other.0.len()) > MOST_ITEMS {
            return Err(Error::Unsuitable(format!(
                "the program repeats too little: after loops were found, a rank has {} different calls in a row (at most {MOST_ITEMS} are aligned)",
                self.0.len().max(other.0.len())
            )));
        }
        if self.0.is_empty() {
            *self = other;
            return Ok(());
        }
        let pairs = Alignment::new(self, &other).pairs();
        let mut joined = Vec::with_capacity(pairs.len());
        let mut own = std::mem::take(&mut self.0).into_iter();
        let mut theirs = other.0.into_iter();
        for pair in pairs {
            let (first, second) = match pair {
                Pair::Both => (own.next(), theirs.next()),
                Pair::First => (own.next(), None),
                Pair::Second => (None, theirs.next()),
            };
            match (first, second) {
                (Some(first), Some(second)) => joined.push(join(first, second)?),
                (one, other) => joined.extend(one.or(other)),
            }
        }
        self.0 = joined;
        Ok(())
    }
}

/// Joins two items that match.
fn join<'a>(first: (Node<'a>, Row<'a>), second: (Node<'a>, Row<'a>)) -> Result<(Node<'a>, Row<'a>)> {
    let ((mut node, mut body), (other, other_body)) = (first, second);
    node.found.extend(other.found);
    if let (Kind::Call(own), Kind::Call(other)) = (&mut node.kind, other.kind) {
        own.class.join(&other.class);
        own.has_null |= other.has_null;
        own.takes.join(other.takes);
    } else {
        body.join(other_body)?;
    }
    Ok((node, body))
}

/// The score of a call or loop that matches. A loop has that of its body in addition.
const MATCH: u32 = 1;

/// Returns how well two items match; 0 if they do not.
fn score(first: &(Node<'_>, Row<'_>), second: &(Node<'_>, Row<'_>)) -> u32 {
    match (&first.0.kind, &second.0.kind) {
        (Kind::Call(own), Kind::Call(other)) => {
            u32::from(own.class.matches(&other.class) && own.takes.matches(&other.takes)) * MATCH
        }
        (Kind::Loop { is_over_partners: own }, Kind::Loop { is_over_partners: other }) if own == other => {
            match Alignment::new(&first.1, &second.1).score() {
                0 => 0,
                body => body + MATCH,
            }
        }
        _ => 0,
    }
}

/// A step of an alignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pair {
    Both,
    First,
    Second,
}

/// The best alignment of two rows (Needleman and Wunsch, without a cost for gaps).
struct Alignment {
    /// The best score of the rows from each pair of places on.
    best: Vec<u32>,
    scores: Vec<u32>,
    lengths: (usize, usize),
}

impl Alignment {
    fn new(first: &Row<'_>, second: &Row<'_>) -> Self {
        let lengths @ (rows, columns) = (first.0.len(), second.0.len());
        let mut best = vec![0; (rows + 1) * (columns + 1)];
        let mut scores = vec![0; rows * columns];
        for row in (0..rows).rev() {
            for column in (0..columns).rev() {
                let at = row * (columns + 1) + column;
                let score = score(&first.0[row], &second.0[column]);
                scores[row * columns + column] = score;
                let both = if score > 0 { score + best[at + columns + 2] } else { 0 };
                best[at] = both.max(best[at + 1]).max(best[at + columns + 1]);
            }
        }
        Self { best, scores, lengths }
    }

    fn score(&self) -> u32 {
        self.best[0]
    }

    /// Returns the steps; of equally good ones those that match early.
    fn pairs(&self) -> Vec<Pair> {
        let (rows, columns) = self.lengths;
        let (mut row, mut column) = (0, 0);
        let mut pairs = Vec::new();
        while row < rows || column < columns {
            let step = self.step(row, column);
            row += usize::from(step != Pair::Second);
            column += usize::from(step != Pair::First);
            pairs.push(step);
        }
        pairs
    }

    fn step(&self, row: usize, column: usize) -> Pair {
        let (rows, columns) = self.lengths;
        if row == rows || column == columns {
            return if row == rows { Pair::Second } else { Pair::First };
        }
        let at = row * (columns + 1) + column;
        let score = self.scores[row * columns + column];
        if score > 0 && self.best[at] == score + self.best[at + columns + 2] {
            Pair::Both
        } else if self.best[at] == self.best[at + columns + 1] {
            Pair::First
        } else {
            Pair::Second
        }
    }
}
