//! From lines to what a model file can say: no negative start-ups or rates, no more pieces than needed.

use panto_stats::Line;

use crate::law::{Law, Piece};

/// A difference of this part of a message's whole time is not worth a piece.
const SMALL: f64 = 1e-3;
/// The same where times have no noise.
const SMALL_EXACT: f64 = 1e-6;
/// As much may be lost where a model cannot say a piece as it is.
const TOLERABLE: f64 = 0.01;
/// A piece that a model cannot say becomes at most so many that it can.
const MOST_STEPS: u32 = 8;

/// What a message takes in all, to judge what is small, and the largest size that was measured.
pub struct Scale<'a> {
    /// Seconds of a message, one way.
    pub whole: &'a Law,
    /// The largest size of interest.
    pub largest: u64,
    /// Have times no noise?
    pub exact: bool,
}

impl Scale<'_> {
    fn small(&self) -> f64 {
        if self.exact { SMALL_EXACT } else { SMALL }
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
    let simple = said(piece.line, from, to);
    if scale.apart(simple, piece.line, from, to) <= TOLERABLE || to <= from + 1 {
        return vec![Piece { line: simple, ..*piece }];
    }
    steps(from, to, piece)
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

/// Steps that grow with the size.
fn steps(from: u64, to: u64, piece: &Piece) -> Vec<Piece> {
    let (first, ratio) = (from.max(1) as f64, to as f64 / from.max(1) as f64);
    let count = MOST_STEPS.min((to - from).min(u64::from(MOST_STEPS)) as u32).max(1);
    let edge = |step: u32| (first * ratio.powf(f64::from(step) / f64::from(count))) as u64;
    let one = |step: u32| {
        let (low, high) = (if step == 0 { from } else { edge(step) }, edge(step + 1));
        let up_to = if step + 1 == count { piece.up_to } else { Some(high) };
        Piece { up_to, line: said(piece.line, low, high), ..*piece }
    };
    (0..count).map(one).collect()
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
        let scale = Scale { whole: &whole, largest: 1_000, exact: true };
        let law = Law::new(vec![piece(Some(10), 1.0, 0.5), piece(Some(20), 1.0, 0.5), piece(None, 4.0, 0.5)]);
        assert_eq!(sayable(&law, &scale).ends(), [20]);
    }

    #[test]
    fn nothing_is_negative_and_little_is_lost() {
        let whole = Law::line(5.0, 2.0);
        let scale = Scale { whole: &whole, largest: 100_000, exact: false };
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
}
