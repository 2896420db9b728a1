//! Time by size as a model file can say it: lines for ranges of sizes, and apart for multiples of a number.

use panto_stats::{Class, Interval, Line, Segment};

/// Time by size.
#[derive(Debug, Clone, PartialEq)]
pub struct Law {
    /// What multiples of this take differs from what other sizes take.
    pub modulus: Option<u64>,
    /// The pieces of multiples if there is a modulus, then those of all others; each list by ascending size.
    classes: Vec<Vec<Piece>>,
}

/// A line for a range of sizes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// Up to this size; to the end if none.
    pub up_to: Option<u64>,
    /// Seconds, and seconds a byte.
    pub line: Line,
    /// By how much the intercept may be off, with 95 % confidence.
    pub intercept_doubt: f64,
    /// The same of the slope.
    pub slope_doubt: f64,
}

impl Piece {
    /// A line that is known exactly.
    pub fn exact(up_to: Option<u64>, line: Line) -> Self {
        Self { up_to, line, intercept_doubt: 0.0, slope_doubt: 0.0 }
    }

    /// The line of a segment of a fit.
    pub fn of(up_to: Option<u64>, segment: &Segment) -> Self {
        let half =
            |interval: Interval, value: f64| (interval.high - value).max(value - interval.low).max(0.0);
        Self {
            up_to,
            line: segment.line(),
            intercept_doubt: half(segment.intercept_interval, segment.intercept),
            slope_doubt: half(segment.slope_interval, segment.slope),
        }
    }

    fn holds(&self, bytes: u64) -> bool {
        self.up_to.is_none_or(|most| bytes <= most)
    }
}

impl Law {
    /// The same line for all sizes.
    pub fn line(intercept: f64, slope: f64) -> Self {
        Self::new(vec![Piece::exact(None, Line { intercept, slope })])
    }

    /// Nothing for any size.
    pub fn zero() -> Self {
        Self::line(0.0, 0.0)
    }

    /// These pieces for all sizes; the last has no end.
    pub fn new(pieces: Vec<Piece>) -> Self {
        Self { modulus: None, classes: vec![pieces] }
    }

    /// These pieces for multiples of the modulus, and those for all other sizes.
    pub fn apart(modulus: u64, multiples: Vec<Piece>, others: Vec<Piece>) -> Self {
        Self { modulus: Some(modulus), classes: vec![multiples, others] }
    }

    /// The classes with their pieces.
    pub fn classes(&self) -> impl Iterator<Item = (Class, &[Piece])> {
        self.classes.iter().enumerate().map(|(index, pieces)| (self.class(index), pieces.as_slice()))
    }

    fn class(&self, index: usize) -> Class {
        match (self.modulus, index) {
            (None, _) => Class::All,
            (Some(modulus), 0) => Class::Multiples(modulus),
            (Some(modulus), _) => Class::Others(modulus),
        }
    }

    /// The piece that decides.
    pub fn piece(&self, bytes: u64) -> &Piece {
        let index = self.modulus.map_or(0, |modulus| usize::from(!bytes.is_multiple_of(modulus)));
        let pieces = &self.classes[index];
        pieces.iter().find(|piece| piece.holds(bytes)).unwrap_or(&pieces[pieces.len() - 1])
    }

    /// Seconds at a size; never negative.
    pub fn at(&self, bytes: u64) -> f64 {
        self.piece(bytes).line.at(bytes as f64).max(0.0)
    }

    /// Where pieces end, over all classes.
    pub fn ends(&self) -> Vec<u64> {
        let mut ends: Vec<u64> = self.classes.iter().flatten().filter_map(|piece| piece.up_to).collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// What remains after `other`, line by line. The doubts of both add up as those of independent figures do.
    pub fn minus(&self, other: &Self) -> Self {
        self.with(other, |a, b| a - b)
    }

    /// Both together.
    pub fn plus(&self, other: &Self) -> Self {
        self.with(other, |a, b| a + b)
    }

    fn with(&self, other: &Self, both: impl Fn(f64, f64) -> f64 + Copy) -> Self {
        let modulus = self.modulus.or(other.modulus);
        let count = if modulus.is_some() { 2 } else { 1 };
        let of = |law: &Self, index: usize| law.classes[index.min(law.classes.len() - 1)].clone();
        let classes = (0..count).map(|index| joined(&of(self, index), &of(other, index), both)).collect();
        Self { modulus, classes }
    }

    /// The same with something done to each piece. `from` is the first size that it holds for.
    pub fn map(&self, mut change: impl FnMut(Class, u64, &Piece) -> Vec<Piece>) -> Self {
        let classes = self.classes.iter().enumerate().map(|(index, pieces)| {
            let mut from = 0;
            let mut changed = Vec::new();
            for piece in pieces {
                changed.extend(change(self.class(index), from, piece));
                from = piece.up_to.map_or(from, |most| most.saturating_add(1));
            }
            changed
        });
        Self { modulus: self.modulus, classes: classes.collect() }
    }
}

/// The pieces of two lists, cut where either is.
fn joined(one: &[Piece], other: &[Piece], both: impl Fn(f64, f64) -> f64) -> Vec<Piece> {
    let mut ends: Vec<u64> = one.iter().chain(other).filter_map(|piece| piece.up_to).collect();
    ends.sort_unstable();
    ends.dedup();
    let at = |pieces: &[Piece], bytes: u64| {
        *pieces.iter().find(|piece| piece.holds(bytes)).unwrap_or(&pieces[pieces.len() - 1])
    };
    let last = ends.last().map_or(0, |most| most.saturating_add(1));
    let places = ends.iter().map(|most| (Some(*most), *most)).chain([(None, last)]);
    let piece = |(up_to, inside): (Option<u64>, u64)| {
        let (a, b) = (at(one, inside), at(other, inside));
        Piece {
            up_to,
            line: Line {
                intercept: both(a.line.intercept, b.line.intercept),
                slope: both(a.line.slope, b.line.slope),
            },
            intercept_doubt: a.intercept_doubt.hypot(b.intercept_doubt),
            slope_doubt: a.slope_doubt.hypot(b.slope_doubt),
        }
    };
    places.map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(up_to: Option<u64>, intercept: f64, slope: f64) -> Piece {
        Piece::exact(up_to, Line { intercept, slope })
    }

    #[test]
    fn laws_add_up_piece_by_piece() {
        let a = Law::new(vec![piece(Some(100), 5.0, 1.0), piece(None, 20.0, 2.0)]);
        let b = Law::new(vec![piece(Some(10), 1.0, 0.0), piece(None, 2.0, 0.5)]);
        let rest = a.minus(&b);
        assert_eq!(rest.ends(), [10, 100]);
        for bytes in [0, 10, 11, 100, 101, 5_000] {
            assert!((rest.at(bytes) - (a.at(bytes) - b.at(bytes))).abs() < 1e-9, "{bytes}");
            assert!((rest.plus(&b).at(bytes) - a.at(bytes)).abs() < 1e-9, "{bytes}");
        }
    }

    #[test]
    fn classes_spread_to_what_has_none() {
        let apart = Law::apart(16, vec![piece(None, 88.0, 0.1)], vec![piece(None, 126.0, 0.4)]);
        let rest = apart.minus(&Law::line(8.0, 0.0));
        assert_eq!((rest.modulus, rest.at(32), rest.at(33)), (Some(16), 83.2, 126.0 - 8.0 + 0.4 * 33.0));
    }
}
