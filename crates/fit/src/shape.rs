//! From lines to what a model file can say: no negative start-ups or rates, no more pieces than needed.

use panto_stats::Line;

use crate::curve::Points;
use crate::law::{Law, Piece};

/// A difference of this part of a message's whole time is not worth a piece.
const SMALL: f64 = 1e-3;
/// The same where points are far off their line anyway: this part of that.
const NOISE_SHARE: f64 = 0.25;
/// The same where times have no noise.
const SMALL_EXACT: f64 = 1e-6;
/// As much may be lost where a model cannot say a piece as it is; more only where points are farther off their line anyway.
const TOLERABLE: f64 = 0.01;
/// However wild the points, no more is given away.
const MOST_NOISE: f64 = 0.05;
/// A piece that a model cannot say becomes at most so many that it can.
const MOST_STEPS: usize = 4;
/// The same where points are farther off their line than what may be lost: more would be steps of noise.
const MOST_NOISY_STEPS: usize = 2;
/// By which factor more is tolerated where that would be too many.
const EASIER: f64 = 1.25;

/// What a message takes in all, to judge what is small, and the largest size that was measured.
pub struct Scale<'a> {
    /// Seconds of a message, one way.
    pub whole: &'a Law,
    /// The largest size of interest.
    pub largest: u64,
    /// How far points are off their line in the median, as part of their time; none where times have no noise.
    pub noise: Option<f64>,
}

impl<'a> Scale<'a> {
    /// What a message takes, as this law says it of these points.
    pub fn new(whole: &'a Law, points: &Points, exact: bool) -> Self {
        let off = |(bytes, seconds): &(u64, f64)| (whole.at(*bytes) / seconds.max(1e-12) - 1.0).abs();
        let offs: Vec<f64> = points.iter().map(off).collect();
        let noise = (!exact).then(|| panto_stats::median(&offs).unwrap_or(0.0).min(MOST_NOISE));
        Self { whole, largest: points.last().map_or(1, |(bytes, _)| *bytes), noise }
    }

    /// A difference that is not worth a piece.
    fn small(&self) -> f64 {
        self.noise.map_or(SMALL_EXACT, |noise| SMALL.max(NOISE_SHARE * noise))
    }

    /// What may be lost where a model cannot say a piece as it is.
    fn tolerable(&self) -> f64 {
        self.noise.unwrap_or(0.0).max(TOLERABLE)
    }

    /// As many pieces may stand for one that a model cannot say.
    fn most_steps(&self) -> usize {
        if self.noise.unwrap_or(0.0) > TOLERABLE { MOST_NOISY_STEPS } else { MOST_STEPS }
    }

    /// The largest difference of two lines over a range, as part of a message's whole time.
    fn apart(&self, a: Line, b: Line, from: u64, to: u64) -> f64 {
        let middle = ((from.max(1) as f64) * (to.max(1) as f64)).sqrt() as u64;
        let at = |bytes: u64| {
            let whole = self.whole.at(bytes).max(1e-12);
            (a.at(bytes as f64) - b.at(bytes as f64)).abs() / whole
        };
        [from, middle.clamp(from, to), to].into_iter().map(at).fold(0.0, f64::max)
    }
}

/// The same law as a model can say it.
pub fn sayable(law: &Law, scale: &Scale<'_>) -> Law {
    let law = law.map(|_, from, piece| possible(from, piece, scale));
    merged(&law, scale)
}

/// One piece, or several in its place if its start-up or its rate is negative.
fn possible(from: u64, piece: &Piece, scale: &Scale<'_>) -> Vec<Piece> {
    let to = piece.up_to.unwrap_or(scale.largest).max(from);
    let Line { intercept, slope } = piece.line;
    if intercept >= 0.0 && slope >= 0.0 {
        return vec![*piece];
    }
    steps(from, to, piece, scale)
}

/// A line of a kind that a model has, close to this one in the middle of a range and nowhere negative.
fn said(line: Line, from: u64, to: u64) -> Line {
    let at = |bytes: f64| line.at(bytes).max(0.0);
    let middle = ((from.max(1) as f64) * (to.max(1) as f64)).sqrt().clamp(from as f64, to as f64);
    if line.slope < 0.0 {
        return Line { intercept: at(middle), slope: 0.0 };
    }
    Line { intercept: 0.0, slope: if to > 0 { at(middle.max(1.0)) / middle.max(1.0) } else { 0.0 } }
}

/// The fewest pieces of a kind that a model has, each as far as it is close enough; where that would be too many, they are less close.
fn steps(from: u64, to: u64, piece: &Piece, scale: &Scale<'_>) -> Vec<Piece> {
    let tolerances = std::iter::successors(Some(scale.tolerable()), |tolerance| Some(tolerance * EASIER));
    let mut found = tolerances
        .take_while(|tolerance| tolerance.is_finite())
        .map(|tolerance| steps_within(from, to, piece, (scale, tolerance)));
    let few = found.find(|steps| steps.len() <= scale.most_steps());
    few.unwrap_or_else(|| vec![Piece { line: said(piece.line, from, to), ..*piece }])
}

fn steps_within(from: u64, to: u64, piece: &Piece, close: (&Scale<'_>, f64)) -> Vec<Piece> {
    let mut steps: Vec<Piece> = Vec::new();
    let mut low = from;
    while steps.len() <= MOST_STEPS {
        let high = reach(low, to, piece.line, close);
        let up_to = if high == to { piece.up_to } else { Some(high) };
        steps.push(Piece { up_to, line: said(piece.line, low, high), ..*piece });
        if high >= to {
            break;
        }
        low = high + 1;
    }
    steps
}

/// The largest size up to which one piece from here on is close enough.
fn reach(from: u64, to: u64, line: Line, (scale, tolerance): (&Scale<'_>, f64)) -> u64 {
    let is_close = |high: u64| scale.apart(said(line, from, high), line, from, high) <= tolerance;
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

/// Neighbours that differ too little become one.
fn merged(law: &Law, scale: &Scale<'_>) -> Law {
    // Pieces of a class are given one after the other: the last piece of a class has no end.
    let mut before: Vec<(u64, Piece)> = Vec::new();
    law.map(|_, from, piece| {
        before.push((from, *piece));
        if piece.up_to.is_some() {
            return Vec::new();
        }
        fold(&std::mem::take(&mut before), scale)
    })
}

fn fold(pieces: &[(u64, Piece)], scale: &Scale<'_>) -> Vec<Piece> {
    let mut kept: Vec<(u64, Piece)> = Vec::new();
    for (from, piece) in pieces {
        let to = piece.up_to.unwrap_or(scale.largest).max(*from);
        match kept.last_mut() {
            Some((_, last)) if scale.apart(last.line, piece.line, *from, to) <= scale.small() => {
                last.up_to = piece.up_to;
            }
            Some((first, last)) if scale.apart(last.line, piece.line, *first, *from) <= scale.small() => {
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
        let whole = Law::line(10.0, 1.0);
        let scale = Scale { whole: &whole, largest: 1_000, noise: None };
        let law = Law::new(vec![piece(Some(10), 1.0, 0.5), piece(Some(20), 1.0, 0.5), piece(None, 4.0, 0.5)]);
        assert_eq!(sayable(&law, &scale).ends(), [20]);
    }

    #[test]
    fn nothing_is_negative_and_little_is_lost() {
        let whole = Law::line(5.0, 2.0);
        let scale = Scale { whole: &whole, largest: 100_000, noise: Some(0.0) };
        let law = Law::new(vec![piece(Some(100), 8.0, -0.05), piece(None, -200.0, 2.5)]);
        let found = sayable(&law, &scale);
        for (_, pieces) in found.classes() {
            assert!(pieces.iter().all(|piece| piece.line.intercept >= 0.0 && piece.line.slope >= 0.0));
        }
        for bytes in [0, 50, 100, 150, 1_000, 30_000, 100_000] {
            let off = (found.at(bytes) - law.at(bytes)).abs() / whole.at(bytes);
            assert!(off < 0.25, "{bytes}: {} instead of {}", found.at(bytes), law.at(bytes));
        }
    }

    #[test]
    fn noise_is_not_worth_a_piece() {
        let whole = Law::line(1_000.0, 1.0);
        let law = Law::new(vec![
            piece(Some(50), 100.0, 0.5),
            piece(Some(2_000), 105.0, 0.5),
            piece(None, -900.0, 1.0),
        ]);
        let pieces = |noise| {
            let scale = Scale { whole: &whole, largest: 100_000, noise };
            sayable(&law, &scale).classes().map(|(_, pieces)| pieces.len()).sum::<usize>()
        };
        assert_eq!((pieces(Some(0.05)), pieces(Some(0.001))), (3, 6));
    }
}
