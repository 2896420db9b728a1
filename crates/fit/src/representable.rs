//! From fitted curves to those that a model file can state: no negative start-ups or rates, and no
//! more pieces than the noise justifies.
//!
//! A difference of two measured curves may have a negative intercept or slope. Such a piece is
//! replaced by a few flat or proportional pieces that stay within a tolerance of a message's whole
//! time; the tolerance grows until at most four are needed (two with much noise). Neighbouring
//! pieces that differ by less than the noise are merged.

use panto_stats::Line;

use crate::fitter::Points;
use crate::piecewise::{Piece, PiecewiseLinear};

/// Part of a message's whole time below which two pieces are merged.
const NEGLIGIBLE: f64 = 1e-3;
/// Part of the noise below which two pieces are merged, where that is more than [`NEGLIGIBLE`].
const NOISE_SHARE: f64 = 0.25;
/// Part of a message's whole time below which two pieces are merged, for exact times.
const NEGLIGIBLE_EXACT: f64 = 1e-6;
/// Part of a message's whole time that may be lost where a piece is not representable; more only
/// where the noise is larger.
const TOLERATED_LOSS: f64 = 0.01;
/// Upper bound of the noise that justifies a loss, as a part of a message's time.
const MAX_NOISE: f64 = 0.05;
/// Pieces that may replace one that is not representable.
const MAX_STEPS: usize = 4;
/// Pieces that may replace one that is not representable, where the noise exceeds
/// [`TOLERATED_LOSS`]: more would follow the noise.
const MAX_NOISY_STEPS: usize = 2;
/// Factor by which the tolerance grows until few enough pieces are left.
const RELAX_FACTOR: f64 = 1.25;

/// What counts as small: the whole time of a message, and its noise.
pub struct Tolerance<'a> {
    /// One-way seconds of a message.
    pub whole: &'a PiecewiseLinear,
    /// Largest measured size in bytes.
    pub largest: u64,
    /// Median relative residual of the points; `None` for exact times.
    pub noise: Option<f64>,
}

impl<'a> Tolerance<'a> {
    /// Takes the noise from the residuals of `points` about `whole`.
    pub fn new(whole: &'a PiecewiseLinear, points: &Points, exact: bool) -> Self {
        let off = |(bytes, seconds): &(u64, f64)| (whole.at(*bytes) / seconds.max(1e-12) - 1.0).abs();
        let offs: Vec<f64> = points.iter().map(off).collect();
        let noise = (!exact).then(|| panto_stats::median(&offs).unwrap_or(0.0).min(MAX_NOISE));
        Self { whole, largest: points.last().map_or(1, |(bytes, _)| *bytes), noise }
    }

    /// Returns the relative difference below which two pieces are merged.
    fn negligible(&self) -> f64 {
        self.noise.map_or(NEGLIGIBLE_EXACT, |noise| NEGLIGIBLE.max(NOISE_SHARE * noise))
    }

    /// Returns the relative loss that is tolerated.
    fn tolerated_loss(&self) -> f64 {
        self.noise.unwrap_or(0.0).max(TOLERATED_LOSS)
    }

    /// Returns how many pieces may replace one that is not representable.
    fn max_steps(&self) -> usize {
        if self.noise.unwrap_or(0.0) > TOLERATED_LOSS { MAX_NOISY_STEPS } else { MAX_STEPS }
    }

    /// Returns the largest difference of two lines over a range, relative to a message's whole
    /// time. Checked at both ends and at their geometric mean.
    fn max_difference(&self, a: Line, b: Line, from: u64, to: u64) -> f64 {
        let middle = ((from.max(1) as f64) * (to.max(1) as f64)).sqrt() as u64;
        let at = |bytes: u64| {
            let whole = self.whole.at(bytes).max(1e-12);
            (a.at(bytes as f64) - b.at(bytes as f64)).abs() / whole
        };
        [from, middle.clamp(from, to), to].into_iter().map(at).fold(0.0, f64::max)
    }
}

/// Returns the curve as a model file can state it.
pub fn representable(curve: &PiecewiseLinear, scale: &Tolerance<'_>) -> PiecewiseLinear {
    let curve = curve.map(|_, from, piece| representable_pieces(from, piece, scale));
    merge_similar(&curve, scale)
}

/// Returns the piece, or its replacement if the start-up or the rate is negative.
fn representable_pieces(from: u64, piece: &Piece, scale: &Tolerance<'_>) -> Vec<Piece> {
    let to = piece.up_to.unwrap_or(scale.largest).max(from);
    let Line { intercept, slope } = piece.line;
    if intercept >= 0.0 && slope >= 0.0 {
        return vec![*piece];
    }
    steps(from, to, piece, scale)
}

/// Returns a flat or proportional line that equals `line` at the geometric mean of the range.
fn nearest_representable(line: Line, from: u64, to: u64) -> Line {
    let at = |bytes: f64| line.at(bytes).max(0.0);
    let middle = ((from.max(1) as f64) * (to.max(1) as f64)).sqrt().clamp(from as f64, to as f64);
    if line.slope < 0.0 {
        return Line { intercept: at(middle), slope: 0.0 };
    }
    Line { intercept: 0.0, slope: if to > 0 { at(middle.max(1.0)) / middle.max(1.0) } else { 0.0 } }
}

/// Returns the fewest representable pieces within the tolerance, which is relaxed until they are
/// few enough.
fn steps(from: u64, to: u64, piece: &Piece, scale: &Tolerance<'_>) -> Vec<Piece> {
    let tolerances =
        std::iter::successors(Some(scale.tolerated_loss()), |tolerance| Some(tolerance * RELAX_FACTOR));
    let mut found = tolerances
        .take_while(|tolerance| tolerance.is_finite())
        .map(|tolerance| steps_within(from, to, piece, (scale, tolerance)));
    let few = found.find(|steps| steps.len() <= scale.max_steps());
    few.unwrap_or_else(|| vec![Piece { line: nearest_representable(piece.line, from, to), ..*piece }])
}

fn steps_within(from: u64, to: u64, piece: &Piece, close: (&Tolerance<'_>, f64)) -> Vec<Piece> {
    let mut steps: Vec<Piece> = Vec::new();
    let mut low = from;
    while steps.len() <= MAX_STEPS {
        let high = longest_range(low, to, piece.line, close);
        let up_to = if high == to { piece.up_to } else { Some(high) };
        steps.push(Piece { up_to, line: nearest_representable(piece.line, low, high), ..*piece });
        if high >= to {
            break;
        }
        low = high + 1;
    }
    steps
}

/// Returns the largest size up to which one piece from `from` on is within the tolerance. Found by
/// bisection.
fn longest_range(from: u64, to: u64, line: Line, (scale, tolerance): (&Tolerance<'_>, f64)) -> u64 {
    let is_close = |high: u64| {
        scale.max_difference(nearest_representable(line, from, high), line, from, high) <= tolerance
    };
    if is_close(to) {
        return to;
    }
    let (mut near, mut far) = (from, to);
    while far - near > 1 {
        let middle = near + (far - near) / 2;
        if is_close(middle) { near = middle } else { far = middle }
    }
    near
}

/// Merges neighbours that differ by a negligible amount.
fn merge_similar(curve: &PiecewiseLinear, scale: &Tolerance<'_>) -> PiecewiseLinear {
    // `map` visits the pieces of a class in order, and the last piece of a class is unbounded.
    let mut before: Vec<(u64, Piece)> = Vec::new();
    curve.map(|_, from, piece| {
        before.push((from, *piece));
        if piece.up_to.is_some() {
            return Vec::new();
        }
        merge_pieces(&std::mem::take(&mut before), scale)
    })
}

fn merge_pieces(pieces: &[(u64, Piece)], scale: &Tolerance<'_>) -> Vec<Piece> {
    let mut kept: Vec<(u64, Piece)> = Vec::new();
    for (from, piece) in pieces {
        let to = piece.up_to.unwrap_or(scale.largest).max(*from);
        match kept.last_mut() {
            Some((_, last))
                if scale.max_difference(last.line, piece.line, *from, to) <= scale.negligible() =>
            {
                last.up_to = piece.up_to;
            }
            Some((first, last))
                if scale.max_difference(last.line, piece.line, *first, *from) <= scale.negligible() =>
            {
                *last = Piece { up_to: piece.up_to, ..*piece };
            }
            _ => kept.push((*from, *piece)),
        }
    }
    kept.into_iter().map(|(_, piece)| piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(up_to: Option<u64>, intercept: f64, slope: f64) -> Piece {
        Piece::exact(up_to, Line { intercept, slope })
    }

    #[test]
    fn equal_neighbours_become_one_piece() {
        let whole = PiecewiseLinear::line(10.0, 1.0);
        let scale = Tolerance { whole: &whole, largest: 1_000, noise: None };
        let curve = PiecewiseLinear::new(vec![
            piece(Some(10), 1.0, 0.5),
            piece(Some(20), 1.0, 0.5),
            piece(None, 4.0, 0.5),
        ]);
        assert_eq!(representable(&curve, &scale).breaks(), [20]);
    }

    #[test]
    fn nothing_is_negative_and_little_is_lost() {
        let whole = PiecewiseLinear::line(5.0, 2.0);
        let scale = Tolerance { whole: &whole, largest: 100_000, noise: Some(0.0) };
        let curve = PiecewiseLinear::new(vec![piece(Some(100), 8.0, -0.05), piece(None, -200.0, 2.5)]);
        let found = representable(&curve, &scale);
        for (_, pieces) in found.classes() {
            assert!(pieces.iter().all(|piece| piece.line.intercept >= 0.0 && piece.line.slope >= 0.0));
        }
        for bytes in [0, 50, 100, 150, 1_000, 30_000, 100_000] {
            let off = (found.at(bytes) - curve.at(bytes)).abs() / whole.at(bytes);
            assert!(off < 0.25, "{bytes}: {} instead of {}", found.at(bytes), curve.at(bytes));
        }
    }

    #[test]
    fn noise_is_not_worth_a_piece() {
        let whole = PiecewiseLinear::line(1_000.0, 1.0);
        let curve = PiecewiseLinear::new(vec![
            piece(Some(50), 100.0, 0.5),
            piece(Some(2_000), 105.0, 0.5),
            piece(None, -900.0, 1.0),
        ]);
        let pieces = |noise| {
            let scale = Tolerance { whole: &whole, largest: 100_000, noise };
            representable(&curve, &scale).classes().map(|(_, pieces)| pieces.len()).sum::<usize>()
        };
        assert_eq!((pieces(Some(0.05)), pieces(Some(0.001))), (3, 6));
    }
}
