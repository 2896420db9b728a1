//! Sizes to measure next: bisects the intervals in which fitted curves break.

use std::collections::BTreeSet;

use crate::fitted::{Curve, Fitted};

/// Relative distance of two neighbouring sizes below which a break is not bisected further: a
/// closer look would only find noise.
const NARROW: f64 = 0.05;
/// Distance in bytes below which a break is not bisected further.
const NARROW_BYTES: u64 = 8;

impl Fitted {
    /// Returns the sizes in the middle of the measured intervals that contain a break of a curve.
    /// `exact` means that times have no noise, so that a break can be located to the byte.
    pub fn sizes_to_refine(&self, exact: bool) -> Vec<u64> {
        let middles = self.curves.iter().flat_map(|curve| middles(curve, exact));
        middles.collect::<BTreeSet<u64>>().into_iter().collect()
    }
}

fn middles(curve: &Curve, exact: bool) -> Vec<u64> {
    let sizes: Vec<u64> = curve.points.iter().map(|point| point.bytes).collect();
    let middle = |&at: &u64| {
        let next = sizes.partition_point(|&bytes| bytes <= at);
        let (last, first) = (*sizes.get(next.checked_sub(1)?)?, *sizes.get(next)?);
        let apart = first - last;
        let close = if exact { 1 } else { ((first as f64 * NARROW) as u64).max(NARROW_BYTES) };
        (apart > close).then_some(last + apart / 2)
    };
    curve.breaks.iter().filter_map(middle).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fitted::FittedPoint;

    fn curve(sizes: &[u64], breaks: &[u64]) -> Curve {
        let point = |&bytes: &u64| FittedPoint { bytes, measured: 1.0, fitted: 1.0 };
        Curve { label: "a".into(), points: sizes.iter().map(point).collect(), breaks: breaks.to_vec() }
    }

    #[test]
    fn breaks_are_bisected_between_their_neighbours() {
        let sizes = [0, 64, 128, 1024];
        assert_eq!(middles(&curve(&sizes, &[64]), true), [96]);
        assert_eq!(middles(&curve(&sizes, &[100]), true), [96]);
        assert_eq!(middles(&curve(&sizes, &[200]), false), [576]);
        assert_eq!(middles(&curve(&[0, 100, 101], &[100]), true), [0; 0]);
        assert_eq!(middles(&curve(&[0, 1000, 1040], &[1000]), true), [1020]);
        assert_eq!(middles(&curve(&[0, 1000, 1040], &[1000]), false), [0; 0]);
        assert_eq!(middles(&curve(&sizes, &[2000]), true), [0; 0], "no larger size was measured");
    }
}
