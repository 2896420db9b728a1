//! From points to a piecewise linear function of size: segmented regression for each protocol and
//! each residue class.
//!
//! The points are the medians of each size. They are fitted by [`Segmentation`]: an exact dynamic
//! program over all breakpoints that minimises the sum of absolute relative residuals plus a
//! penalty for each segment (see `panto_stats::Segmentation`). Two things are decided before, and
//! split the points:
//!
//! - the size at which the protocol changes, from eager to rendezvous: both sides have pieces of
//!   their own;
//! - the residue class: where multiples of some number (16 on the CM-5) take another time than all
//!   other sizes, each class has pieces of its own.
//!
//! Afterwards an empty message gets a piece of its own if it lies off the line, because it may take
//! another path through the software.
//!
//! A break that is found between two measured sizes is put at a known break in that range, else
//! where the two lines cross, else at the roundest number of the range.
//!
//! Breakpoints are found once for each [`Component`], from the points of all launches. Single
//! launches are fitted with the same breakpoints, so that their lines can be compared.

use std::cell::RefCell;
use std::collections::BTreeMap;

use panto_stats::{Fit, Line, Segmentation};

use crate::piecewise::{Piece, PiecewiseLinear};

/// Relative noise of simulated times: they are rounded to whole picoseconds.
const EXACT_NOISE_FLOOR: f64 = 2e-5;

/// Relative distance from its line beyond which an empty message has a piece of its own, for times
/// with noise and for exact ones. It may take another path through the software, and requests and
/// clears to send are such messages.
const EMPTY_OFF_LINE: f64 = 0.03;
/// [`EMPTY_OFF_LINE`] for exact times.
const EMPTY_OFF_LINE_EXACT: f64 = 1e-6;

/// Seconds by size in bytes: ascending sizes, each once.
pub type Points = Vec<(u64, f64)>;

/// The quantity that a curve is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Component {
    /// One way over the fewest links, with the overheads of both processors.
    EndToEnd,
    /// Overhead of the sender.
    Send,
    /// Overhead of the receiver.
    Receive,
    /// One way, from the points of all distances.
    OneWay,
    /// From a processor to itself.
    SelfMessage,
    /// Between two processors of a node.
    IntraNode,
    /// Time for which a message occupies a link.
    Occupancy,
}

/// Fits piecewise linear functions to points.
#[derive(Debug, Clone, Default)]
pub struct Fitter {
    /// Whether all times are free of noise (a virtual clock).
    pub exact: bool,
    /// Modulus of the residue classes: multiples of it have pieces of their own.
    pub modulus: Option<u64>,
    /// Sizes at which curves are known to break, ascending; a break found next to one of them is
    /// moved there.
    pub known_breaks: Vec<u64>,
    /// The first fit of each component: later fits, to single launches, keep its breakpoints.
    first_fits: RefCell<BTreeMap<Component, PiecewiseLinear>>,
}

impl Fitter {
    /// Returns a fitter without residue classes and known breaks.
    pub fn new(exact: bool) -> Self {
        Self { exact, ..Self::default() }
    }

    fn segmentation(&self) -> Segmentation {
        let usual = Segmentation::default();
        if self.exact {
            Segmentation { noise_floor: EXACT_NOISE_FLOOR, resamples: 0, ..usual }
        } else {
            usual
        }
    }

    /// Returns the modulus whose multiples take another time than all other sizes, if there is one.
    pub fn find_modulus(&self, points: &Points) -> Option<u64> {
        self.segmentation().fit_residues(&floats(points)).ok()?.modulus
    }

    /// Returns the curve of `points`, fitted separately below and above `split`, the size at which
    /// the protocol changes. The first call for a component decides its breakpoints.
    pub fn fit(&self, component: Component, points: &Points, split: Option<u64>) -> PiecewiseLinear {
        if let Some(before) = self.first_fits.borrow().get(&component) {
            return self.refit(points, before);
        }
        let curve = self.fit_classes(points, split);
        self.first_fits.borrow_mut().insert(component, curve.clone());
        curve
    }

    /// Fits other points with the breakpoints of an earlier fit; pieces without points keep their
    /// line.
    fn refit(&self, points: &Points, before: &PiecewiseLinear) -> PiecewiseLinear {
        before.map(|class, from, piece| {
            let is_inside = |bytes: u64| bytes >= from && piece.up_to.is_none_or(|most| bytes <= most);
            let members: Points =
                points.iter().copied().filter(|(n, _)| is_inside(*n) && class.contains(*n as f64)).collect();
            let line = match members.as_slice() {
                [] => piece.line,
                [(bytes, seconds)] => {
                    Line { intercept: seconds - piece.line.slope * *bytes as f64, ..piece.line }
                }
                _ => self.single_line(&members),
            };
            vec![Piece::exact(piece.up_to, line)]
        })
    }

    /// Returns one line through all points.
    fn single_line(&self, points: &Points) -> Line {
        let pieces =
            self.segments_by(&Segmentation { max_segments: 1, resamples: 0, ..self.segmentation() }, points);
        pieces.first().map_or_else(Line::default, |piece| piece.line)
    }

    fn fit_classes(&self, points: &Points, split: Option<u64>) -> PiecewiseLinear {
        let member = |multiple: bool| {
            let is = move |bytes: u64| {
                self.modulus.is_none_or(|modulus| bytes.is_multiple_of(modulus) == multiple)
            };
            points.iter().copied().filter(|(bytes, _)| is(*bytes)).collect::<Points>()
        };
        match self.modulus {
            Some(modulus) if member(true).len() > 1 && member(false).len() > 1 => {
                PiecewiseLinear::by_residue(
                    modulus,
                    self.pieces(&member(true), split),
                    self.pieces(&member(false), split),
                )
            }
            _ => PiecewiseLinear::new(self.pieces(points, split)),
        }
    }

    fn pieces(&self, points: &Points, split: Option<u64>) -> Vec<Piece> {
        let mut pieces = self.split_at_protocol(points, split);
        let small = if self.exact { EMPTY_OFF_LINE_EXACT } else { EMPTY_OFF_LINE };
        if let (Some((0, empty)), Some(first)) = (points.first(), pieces.first())
            && points.len() > 3
            && (first.line.intercept - empty).abs() > small * empty.max(1e-12)
        {
            pieces.insert(0, Piece::exact(Some(0), Line { intercept: *empty, slope: 0.0 }));
        }
        pieces
    }

    fn split_at_protocol(&self, points: &Points, split: Option<u64>) -> Vec<Piece> {
        let Some(limit) = split else { return self.segments(points) };
        let cut = points.partition_point(|(bytes, _)| *bytes <= limit);
        let (below, above) = points.split_at(cut);
        // A side with too few sizes for a line of its own shares that of the other.
        if above.len() < 2 || below.len() < 2 {
            return self.segments(points);
        }
        let mut pieces = self.segments(&below.to_vec());
        if let Some(last) = pieces.last_mut() {
            last.up_to = Some(limit);
        }
        pieces.extend(self.segments(&above.to_vec()));
        pieces
    }

    /// Returns the pieces of points without a known break.
    fn segments(&self, points: &Points) -> Vec<Piece> {
        self.segments_by(&self.segmentation(), points)
    }

    fn segments_by(&self, segmentation: &Segmentation, points: &Points) -> Vec<Piece> {
        let line = |line: Line| vec![Piece::exact(None, line)];
        match points.as_slice() {
            [] => line(Line::default()),
            [(_, seconds)] => line(Line { intercept: *seconds, slope: 0.0 }),
            [(a, first), (b, second)] => {
                let slope = (second - first) / (*b - *a) as f64;
                line(Line { intercept: first - slope * *a as f64, slope })
            }
            _ if points.iter().all(|(_, seconds)| *seconds <= 0.0) => line(Line::default()),
            _ => match segmentation.fit(&floats(points)) {
                Ok(fit) => self.pieces_of(&fit),
                // Points are finite and there are enough of them: nothing else can fail.
                Err(_) => line(Line::default()),
            },
        }
    }

    fn pieces_of(&self, fit: &Fit) -> Vec<Piece> {
        let ends = fit.breakpoints.iter().zip(fit.segments.windows(2)).map(|(at, pair)| {
            let crosses =
                at.last < at.at && at.at < at.first && lines_meet(&pair[0].line(), &pair[1].line(), at.at);
            Some(self.break_between(at.last as u64, at.first as u64, crosses.then_some(at.at)))
        });
        ends.chain([None]).zip(&fit.segments).map(|(end, segment)| Piece::of(end, segment)).collect()
    }

    /// Returns the last size of a piece: a known break, the crossing of both lines, or the roundest
    /// number between the two measured sizes.
    fn break_between(&self, last: u64, first: u64, crossing: Option<f64>) -> u64 {
        let range = last..first;
        let known = self.known_breaks.iter().copied().find(|end| range.contains(end));
        known
            .or(crossing.map(|at| (at.floor() as u64).clamp(last, first - 1)))
            .unwrap_or_else(|| roundest(last, first))
    }
}

fn lines_meet(before: &Line, behind: &Line, at: f64) -> bool {
    let (a, b) = (before.at(at), behind.at(at));
    (a - b).abs() <= 1e-3 * a.abs().max(b.abs())
}

fn floats(points: &Points) -> Vec<(f64, f64)> {
    // A relative residual needs a positive time; a picosecond is the resolution of a model.
    points.iter().map(|(bytes, seconds)| (*bytes as f64, seconds.max(1e-12))).collect()
}

/// Returns the roundest number of `last..first`: the largest power of two in it, else the multiple
/// of the largest power of ten.
pub fn roundest(last: u64, first: u64) -> u64 {
    let power = (0..63).rev().map(|shift| 1_u64 << shift).find(|power| (last..first).contains(power));
    let decimal = || {
        let steps = (0..18).rev().map(|digits| 10_u64.pow(digits));
        steps.map(|step| last.div_ceil(step) * step).find(|value| *value < first)
    };
    power.or_else(decimal).unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_round_numbers() {
        assert_eq!(roundest(91, 128), 100);
        assert_eq!(roundest(9_000, 20_000), 16_384);
        assert_eq!(roundest(64, 65), 64);
        assert_eq!(roundest(12_001, 13_000), 12_100);
    }

    #[test]
    fn a_known_break_is_kept_and_both_sides_are_exact() {
        let time = |bytes: u64| {
            if bytes <= 100 { 79e-6 + 0.63e-6 * bytes as f64 } else { 156e-6 + 0.41e-6 * bytes as f64 }
        };
        let points: Points = [0, 8, 16, 32, 64, 90, 128, 200, 500, 1_000, 5_000].map(|n| (n, time(n))).into();
        let fitter = Fitter { exact: true, ..Fitter::default() };
        for split in [Some(100), None] {
            let curve = fitter.fit_classes(&points, split);
            assert_eq!(curve.breaks(), [100]);
            for bytes in [0, 50, 100, 101, 10_000] {
                assert!((curve.at(bytes) / time(bytes) - 1.0).abs() < 1e-6, "{bytes}");
            }
        }
    }

    #[test]
    fn few_points_are_still_a_line() {
        let fitter = Fitter::default();
        assert!((fitter.fit_classes(&vec![(8, 2e-6)], None).at(100) - 2e-6).abs() < 1e-15);
        assert!((fitter.fit_classes(&vec![(0, 1e-6), (10, 2e-6)], Some(5)).at(20) - 3e-6).abs() < 1e-12);
        assert!(fitter.fit_classes(&Points::new(), None).at(7).abs() < 1e-15);
    }
}
