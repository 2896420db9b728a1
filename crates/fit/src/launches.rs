//! What other launches would have said. Each launch is fitted alone, in the pieces that all of them have together; then launches are
//! drawn with replacement, and the interval of a figure is that of the median over the launches drawn. What makes a launch slow
//! makes all of it slow, so that points of one launch say little about the next (Davison and Hinkley 1997, 3.8).

use panto_stats::{Bootstrap, Class, Interval};

use crate::estimate::Estimate;
use crate::figures::Figures;
use crate::law::{Law, Piece};

/// Fewer launches do not say how launches differ.
pub const LEAST: usize = 3;

/// Widens the intervals of the figures of all launches together to what the figures of each alone say. `largest` is the largest
/// size that was measured.
pub fn widen(all: &mut Figures, alone: &[Figures], largest: u64) {
    let laws: [fn(&mut Figures) -> Option<&mut Law>; 7] = [
        |figures| Some(&mut figures.network.near),
        |figures| Some(&mut figures.network.link),
        |figures| figures.network.local.as_mut(),
        |figures| figures.network.inside.as_mut(),
        |figures| Some(&mut figures.software.send),
        |figures| Some(&mut figures.software.receive),
        |figures| figures.occupancy.as_mut(),
    ];
    let mut alone = alone.to_vec();
    for law in laws {
        let own: Vec<Law> = alone.iter_mut().filter_map(|figures| law(figures).cloned()).collect();
        if let Some(law) = law(all) {
            *law = widened(law, &own, largest);
        }
    }
    let estimates: [fn(&mut Figures) -> Option<&mut Estimate>; 8] = [
        |figures| figures.network.hop.as_mut(),
        |figures| Some(&mut figures.network.control),
        |figures| Some(&mut figures.software.immediate),
        |figures| figures.gap.as_mut(),
        |figures| figures.rates.copy.as_mut(),
        |figures| figures.rates.strided.as_mut(),
        |figures| figures.rates.reduce.as_mut(),
        |figures| figures.rates.daxpy.as_mut(),
    ];
    for estimate in estimates {
        let own: Vec<f64> =
            alone.iter_mut().filter_map(|figures| estimate(figures).map(|own| own.value)).collect();
        if let (Some(estimate), Some(interval)) = (estimate(all), interval(&own)) {
            estimate.interval = Interval {
                low: estimate.interval.low.min(interval.low).min(estimate.value),
                high: estimate.interval.high.max(interval.high).max(estimate.value),
            };
        }
    }
}

/// Where the median over launches lies; nothing of too few.
fn interval(values: &[f64]) -> Option<Interval> {
    let groups: Vec<[f64; 1]> = values.iter().map(|value| [*value]).collect();
    let median = |drawn: &mut [f64]| panto_stats::median(drawn).unwrap_or(0.0);
    (values.len() >= LEAST).then(|| Bootstrap::default().interval_by_group(&groups, median).ok()).flatten()
}

fn widened(law: &Law, alone: &[Law], largest: u64) -> Law {
    law.map(|class, from, piece| {
        let to = piece.up_to.unwrap_or(largest);
        let Some((first, last)) = ends(class, from, to) else { return vec![*piece] };
        let lines: Vec<(f64, f64)> = alone.iter().map(|own| line(own, first, last)).collect();
        let doubt = |values: Vec<f64>, value: f64, before: f64| {
            let found = interval(&values);
            found.map_or(before, |found| before.max(found.high - value).max(value - found.low))
        };
        let (intercepts, slopes) = lines.into_iter().unzip();
        vec![Piece {
            intercept_doubt: doubt(intercepts, piece.line.intercept, piece.intercept_doubt),
            slope_doubt: doubt(slopes, piece.line.slope, piece.slope_doubt),
            ..*piece
        }]
    })
}

/// The first and the last size of a class in a range; nothing if there is none.
fn ends(class: Class, from: u64, to: u64) -> Option<(u64, u64)> {
    let is_one = |bytes: &u64| class.holds(*bytes as f64);
    let first = (from..=to).find(is_one)?;
    let last = (first..=to).rev().find(is_one)?;
    Some((first, last))
}

/// What a law says of a range, as one line.
fn line(law: &Law, first: u64, last: u64) -> (f64, f64) {
    let (start, end) = (law.at(first), law.at(last));
    let slope =
        if last > first { (end - start) / (last - first) as f64 } else { law.piece(first).line.slope };
    (start - slope * first as f64, slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_as_uncertain_as_launches_differ() {
        let pooled = Law::new(vec![
            Piece::exact(Some(100), panto_stats::Line { intercept: 10.0, slope: 1.0 }),
            Piece::exact(None, panto_stats::Line { intercept: 50.0, slope: 2.0 }),
        ]);
        let launch = |more: f64| pooled.plus(&Law::line(more, 0.0));
        let found = widened(&pooled, &[launch(-2.0), launch(0.0), launch(3.0)], 1_000);
        for (_, pieces) in found.classes() {
            for piece in pieces {
                assert!((piece.intercept_doubt - 3.0).abs() < 1e-9, "{piece:?}");
                assert!(piece.slope_doubt < 1e-9, "{piece:?}");
            }
        }
        assert_eq!(
            widened(&pooled, &[launch(-2.0), launch(3.0)], 1_000),
            pooled,
            "two launches say too little"
        );
    }

    #[test]
    fn classes_have_ends_of_their_own() {
        assert_eq!(ends(Class::Multiples(16), 1, 40), Some((16, 32)));
        assert_eq!(ends(Class::Others(16), 16, 32), Some((17, 31)));
        assert_eq!(ends(Class::Multiples(16), 1, 8), None);
    }
}
