//! Wormholes: (d - 1 + flits) t(f), so that one time, that of a flit over a link, says all.

use super::Ways;
use crate::estimate::{Estimate, weighted_median};
use crate::law::Law;

/// The time of a flit as a law for the link, and what requests and grants cost.
pub(super) fn flits(ways: &Ways, both: &Law, limit: Option<u64>, flit: u64) -> (Law, Estimate) {
    let asks = |bytes: u64| limit.is_some_and(|limit| bytes > limit);
    let steps = |links: u32, bytes: u64| f64::from(links - 1) + bytes.div_ceil(flit).max(1) as f64;
    let all = || ways.iter().flat_map(|(links, points)| points.iter().map(move |point| (*links, *point)));
    let times: Vec<(f64, f64)> = all()
        .filter(|(_, (bytes, _))| !asks(*bytes))
        .map(|(links, (bytes, seconds))| {
            let steps = steps(links, bytes);
            ((seconds - both.at(bytes)) / steps, steps / seconds.max(1e-12))
        })
        .collect();
    let time = weighted_median(&times).map_or(0.0, |time| time.value.max(0.0));
    let controls: Vec<(f64, f64)> = all()
        .filter(|(_, (bytes, _))| asks(*bytes))
        .map(|(links, (bytes, seconds))| {
            let rest = seconds - both.at(bytes) - steps(links, bytes) * time;
            (rest / 2.0 - f64::from(links) * time, 1.0 / seconds.max(1e-12))
        })
        .collect();
    let control = weighted_median(&controls).map(Estimate::not_negative).unwrap_or_default();
    (Law::line(time, 0.0), control)
}
