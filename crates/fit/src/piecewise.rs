//! Piecewise linear functions of message size, the form in which a model file states a cost: lines
//! for ranges of sizes, separately for multiples of a modulus and all other sizes.

use panto_stats::{Interval, Line, ResidueClass, Segment};

/// Seconds by message size.
#[derive(Debug, Clone, PartialEq)]
pub struct PiecewiseLinear {
    /// Modulus of the residue classes: multiples of it have pieces of their own.
    pub modulus: Option<u64>,
    /// Pieces by ascending size: those of multiples first if there is a modulus, then those of all
    /// other sizes.
    classes: Vec<Vec<Piece>>,
}

/// A line for a range of sizes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// Largest size in bytes; `None` for the last piece.
    pub up_to: Option<u64>,
    /// Seconds, and seconds per byte.
    pub line: Line,
    /// Half-width of the 95 % interval of the intercept, in seconds.
    pub intercept_margin: f64,
    /// Half-width of the 95 % interval of the slope, in seconds per byte.
    pub slope_margin: f64,
}

impl Piece {
    /// Returns an exact piece, with zero margins.
    pub fn exact(up_to: Option<u64>, line: Line) -> Self {
        Self { up_to, line, intercept_margin: 0.0, slope_margin: 0.0 }
    }

    /// Returns a fitted segment as a piece.
    pub fn of(up_to: Option<u64>, segment: &Segment) -> Self {
        let half =
            |interval: Interval, value: f64| (interval.high - value).max(value - interval.low).max(0.0);
        Self {
            up_to,
            line: segment.line(),
            intercept_margin: half(segment.intercept_interval, segment.intercept),
            slope_margin: half(segment.slope_interval, segment.slope),
        }
    }

    fn covers(&self, bytes: u64) -> bool {
        self.up_to.is_none_or(|most| bytes <= most)
    }
}

impl PiecewiseLinear {
    /// Returns one line for all sizes.
    pub fn line(intercept: f64, slope: f64) -> Self {
        Self::new(vec![Piece::exact(None, Line { intercept, slope })])
    }

    /// Returns the function that is 0 for all sizes.
    pub fn zero() -> Self {
        Self::line(0.0, 0.0)
    }

    /// Returns a function of these pieces, the last of which is unbounded.
    pub fn new(pieces: Vec<Piece>) -> Self {
        Self { modulus: None, classes: vec![pieces] }
    }

    /// Returns a function with separate pieces for multiples of the modulus and for all other
    /// sizes.
    pub fn by_residue(modulus: u64, multiples: Vec<Piece>, others: Vec<Piece>) -> Self {
        Self { modulus: Some(modulus), classes: vec![multiples, others] }
    }

    /// Returns the residue classes with their pieces.
    pub fn classes(&self) -> impl Iterator<Item = (ResidueClass, &[Piece])> {
        self.classes.iter().enumerate().map(|(index, pieces)| (self.class(index), pieces.as_slice()))
    }

    fn class(&self, index: usize) -> ResidueClass {
        match (self.modulus, index) {
            (None, _) => ResidueClass::All,
            (Some(modulus), 0) => ResidueClass::Multiples(modulus),
            (Some(modulus), _) => ResidueClass::Others(modulus),
        }
    }

    /// Returns the piece of a size.
    pub fn piece(&self, bytes: u64) -> &Piece {
        let index = self.modulus.map_or(0, |modulus| usize::from(!bytes.is_multiple_of(modulus)));
        let pieces = &self.classes[index];
        pieces.iter().find(|piece| piece.covers(bytes)).unwrap_or(&pieces[pieces.len() - 1])
    }

    /// Returns the seconds of a size; never negative.
    pub fn at(&self, bytes: u64) -> f64 {
        self.piece(bytes).line.at(bytes as f64).max(0.0)
    }

    /// Returns the sizes at which pieces end, over all classes.
    pub fn breaks(&self) -> Vec<u64> {
        let mut ends: Vec<u64> = self.classes.iter().flatten().filter_map(|piece| piece.up_to).collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// Returns the difference, piece by piece. Margins add in quadrature, as those of independent
    /// figures.
    pub fn minus(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a - b)
    }

    /// Returns the sum, piece by piece. Margins add in quadrature, as those of independent figures.
    pub fn plus(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a + b)
    }

    fn combine(&self, other: &Self, both: impl Fn(f64, f64) -> f64 + Copy) -> Self {
        let modulus = self.modulus.or(other.modulus);
        let count = if modulus.is_some() { 2 } else { 1 };
        let class_of =
            |function: &Self, index: usize| function.classes[index.min(function.classes.len() - 1)].clone();
        let classes = (0..count)
            .map(|index| combine_pieces(&class_of(self, index), &class_of(other, index), both))
            .collect();
        Self { modulus, classes }
    }

    /// Returns the function with each piece replaced; `change` gets the class, the first size of
    /// the piece, and the piece.
    pub fn map(&self, mut change: impl FnMut(ResidueClass, u64, &Piece) -> Vec<Piece>) -> Self {
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

/// Combines two lists of pieces, cut at the breaks of both.
fn combine_pieces(one: &[Piece], other: &[Piece], both: impl Fn(f64, f64) -> f64) -> Vec<Piece> {
    let mut ends: Vec<u64> = one.iter().chain(other).filter_map(|piece| piece.up_to).collect();
    ends.sort_unstable();
    ends.dedup();
    let at = |pieces: &[Piece], bytes: u64| {
        *pieces.iter().find(|piece| piece.covers(bytes)).unwrap_or(&pieces[pieces.len() - 1])
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
            intercept_margin: a.intercept_margin.hypot(b.intercept_margin),
            slope_margin: a.slope_margin.hypot(b.slope_margin),
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
    fn functions_add_up_piece_by_piece() {
        let a = PiecewiseLinear::new(vec![piece(Some(100), 5.0, 1.0), piece(None, 20.0, 2.0)]);
        let b = PiecewiseLinear::new(vec![piece(Some(10), 1.0, 0.0), piece(None, 2.0, 0.5)]);
        let rest = a.minus(&b);
        assert_eq!(rest.breaks(), [10, 100]);
        for bytes in [0, 10, 11, 100, 101, 5_000] {
            assert!((rest.at(bytes) - (a.at(bytes) - b.at(bytes))).abs() < 1e-9, "{bytes}");
            assert!((rest.plus(&b).at(bytes) - a.at(bytes)).abs() < 1e-9, "{bytes}");
        }
    }

    #[test]
    fn classes_spread_to_what_has_none() {
        let by_residue =
            PiecewiseLinear::by_residue(16, vec![piece(None, 88.0, 0.1)], vec![piece(None, 126.0, 0.4)]);
        let rest = by_residue.minus(&PiecewiseLinear::line(8.0, 0.0));
        assert_eq!((rest.modulus, rest.at(32), rest.at(33)), (Some(16), 83.2, 126.0 - 8.0 + 0.4 * 33.0));
    }
}
