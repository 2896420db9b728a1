//! From points to a law: segments for each protocol and each class of sizes.

use std::cell::RefCell;
use std::collections::BTreeMap;

use panto_stats::{Fit, Line, Segmentation};

use crate::law::{Law, Piece};

/// Deviations of noise-free times: they are whole picoseconds.
const EXACT: f64 = 2e-5;

/// An empty message that is off its line by more than this has a piece of its own, where times have noise and where they have none:
/// it may take another way through the software, and requests and grants are such messages.
const EMPTY: f64 = 0.03;
const EMPTY_EXACT: f64 = 1e-6;

/// Time by size as it was measured, by ascending size, each once.
pub type Points = Vec<(u64, f64)>;

/// What a law is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// All of a message's time over the nearest way, with all that is the processors'.
    Whole,
    /// What a sender pays.
    Send,
    /// What a receiver pays.
    Receive,
    /// One way, from all distances together.
    Near,
    /// From a processor to itself.
    Itself,
    /// Inside a node.
    Inside,
    /// How long a cable is kept from others.
    Occupancy,
}

/// How points become laws.
#[derive(Debug, Clone, Default)]
pub struct Fitter {
    /// Have all times no noise at all?
    pub exact: bool,
    /// Multiples of this follow a law of their own.
    pub modulus: Option<u64>,
    /// Where laws are known to break, by ascending size: a break that is found near one of them is that.
    pub known: Vec<u64>,
    /// What was divided once is divided in the same way when it is fitted again, to what single launches say.
    divisions: RefCell<BTreeMap<Part, Law>>,
}

impl Fitter {
    /// One that knows nothing of the points yet but whether their times have noise.
    pub fn new(exact: bool) -> Self {
        Self { exact, ..Self::default() }
    }

    fn segmentation(&self) -> Segmentation {
        let usual = Segmentation::default();
        if self.exact { Segmentation { noise_floor: EXACT, resamples: 0, ..usual } } else { usual }
    }

    /// The number whose multiples follow a law of their own, if there is one.
    pub fn find_modulus(&self, points: &Points) -> Option<u64> {
        self.segmentation().fit_residues(&floats(points)).ok()?.modulus
    }

    /// The law of points, in parts below and above `split` where a protocol is known to change. The first time decides where its pieces end.
    pub fn law(&self, part: Part, points: &Points, split: Option<u64>) -> Law {
        if let Some(before) = self.divisions.borrow().get(&part) {
            return self.again(points, before);
        }
        let law = self.divided(points, split);
        self.divisions.borrow_mut().insert(part, law.clone());
        law
    }

    /// The same pieces with the lines of other points; those without points stay as they are.
    fn again(&self, points: &Points, before: &Law) -> Law {
        before.map(|class, from, piece| {
            let is_inside = |bytes: u64| bytes >= from && piece.up_to.is_none_or(|most| bytes <= most);
            let members: Points =
                points.iter().copied().filter(|(n, _)| is_inside(*n) && class.holds(*n as f64)).collect();
            let line = match members.as_slice() {
                [] => piece.line,
                [(bytes, seconds)] => {
                    Line { intercept: seconds - piece.line.slope * *bytes as f64, ..piece.line }
                }
                _ => self.straight(&members),
            };
            vec![Piece::exact(piece.up_to, line)]
        })
    }

    /// One line through all points.
    fn straight(&self, points: &Points) -> Line {
        let pieces =
            self.part_by(&Segmentation { max_segments: 1, resamples: 0, ..self.segmentation() }, points);
        pieces.first().map_or_else(Line::default, |piece| piece.line)
    }

    fn divided(&self, points: &Points, split: Option<u64>) -> Law {
        let member = |multiple: bool| {
            let is = move |bytes: u64| {
                self.modulus.is_none_or(|modulus| bytes.is_multiple_of(modulus) == multiple)
            };
            points.iter().copied().filter(|(bytes, _)| is(*bytes)).collect::<Points>()
        };
        match self.modulus {
            Some(modulus) if member(true).len() > 1 && member(false).len() > 1 => {
                Law::apart(modulus, self.pieces(&member(true), split), self.pieces(&member(false), split))
            }
            _ => Law::new(self.pieces(points, split)),
        }
    }

    fn pieces(&self, points: &Points, split: Option<u64>) -> Vec<Piece> {
        let mut pieces = self.parts(points, split);
        let small = if self.exact { EMPTY_EXACT } else { EMPTY };
        if let (Some((0, empty)), Some(first)) = (points.first(), pieces.first())
            && points.len() > 3
            && (first.line.intercept - empty).abs() > small * empty.max(1e-12)
        {
            pieces.insert(0, Piece::exact(Some(0), Line { intercept: *empty, slope: 0.0 }));
        }
        pieces
    }

    fn parts(&self, points: &Points, split: Option<u64>) -> Vec<Piece> {
        let Some(limit) = split else { return self.part(points) };
        let cut = points.partition_point(|(bytes, _)| *bytes <= limit);
        let (below, above) = points.split_at(cut);
        // A part with too few sizes for a line of its own goes on as the other does.
        if above.len() < 2 || below.len() < 2 {
            return self.part(points);
        }
        let mut pieces = self.part(&below.to_vec());
        if let Some(last) = pieces.last_mut() {
            last.up_to = Some(limit);
        }
        pieces.extend(self.part(&above.to_vec()));
        pieces
    }

    /// The pieces of points without a known break.
    fn part(&self, points: &Points) -> Vec<Piece> {
        self.part_by(&self.segmentation(), points)
    }

    fn part_by(&self, segmentation: &Segmentation, points: &Points) -> Vec<Piece> {
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
                Ok(fit) => self.segments(&fit),
                // Points are finite and there are enough; nothing else can be wrong.
                Err(_) => line(Line::default()),
            },
        }
    }

    fn segments(&self, fit: &Fit) -> Vec<Piece> {
        let ends = fit.breakpoints.iter().zip(fit.segments.windows(2)).map(|(at, pair)| {
            let crosses =
                at.last < at.at && at.at < at.first && meets(&pair[0].line(), &pair[1].line(), at.at);
            Some(self.end(at.last as u64, at.first as u64, crosses.then_some(at.at)))
        });
        ends.chain([None]).zip(&fit.segments).map(|(end, segment)| Piece::of(end, segment)).collect()
    }

    /// The last size of a piece: a known one, where lines cross, or the roundest number between two measured sizes.
    fn end(&self, last: u64, first: u64, crossing: Option<f64>) -> u64 {
        let range = last..first;
        let known = self.known.iter().copied().find(|end| range.contains(end));
        known
            .or(crossing.map(|at| (at.floor() as u64).clamp(last, first - 1)))
            .unwrap_or_else(|| roundest(last, first))
    }
}

fn meets(before: &Line, behind: &Line, at: f64) -> bool {
    let (a, b) = (before.at(at), behind.at(at));
    (a - b).abs() <= 1e-3 * a.abs().max(b.abs())
}

fn floats(points: &Points) -> Vec<(f64, f64)> {
    // A time of nothing has no relative error; a picosecond is the least that a model can say.
    points.iter().map(|(bytes, seconds)| (*bytes as f64, seconds.max(1e-12))).collect()
}

/// The number of `last..first` that people would choose: a multiple of the largest power of two if that is large, else of ten.
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
            let law = fitter.divided(&points, split);
            assert_eq!(law.ends(), [100]);
            for bytes in [0, 50, 100, 101, 10_000] {
                assert!((law.at(bytes) / time(bytes) - 1.0).abs() < 1e-6, "{bytes}");
            }
        }
    }

    #[test]
    fn few_points_are_still_a_line() {
        let fitter = Fitter::default();
        assert!((fitter.divided(&vec![(8, 2e-6)], None).at(100) - 2e-6).abs() < 1e-15);
        assert!((fitter.divided(&vec![(0, 1e-6), (10, 2e-6)], Some(5)).at(20) - 3e-6).abs() < 1e-12);
        assert!(fitter.divided(&Points::new(), None).at(7).abs() < 1e-15);
    }
}
