//! Wormhole switching: a message takes (d - 1 + flits) t(f), for d links and t(f) for one flit over
//! one link, so the time of a flit over a link is the only parameter.

use super::TimesByLinks;
use crate::estimate::{Estimate, weighted_median};
use crate::piecewise::PiecewiseLinear;

/// Returns the time of a flit as the cost of the link, and the cost of a control message.
pub(super) fn fit(
    times: &TimesByLinks,
    both: &PiecewiseLinear,
    limit: Option<u64>,
    flit: u64,
) -> (PiecewiseLinear, Estimate) {
    let is_rendezvous = |bytes: u64| limit.is_some_and(|limit| bytes > limit);
    let steps = |links: u32, bytes: u64| f64::from(links - 1) + bytes.div_ceil(flit).max(1) as f64;
    let all = || times.iter().flat_map(|(links, points)| points.iter().map(move |point| (*links, *point)));
    let per_flit: Vec<(f64, f64)> = all()
        .filter(|(_, (bytes, _))| !is_rendezvous(*bytes))
        .map(|(links, (bytes, seconds))| {
            let steps = steps(links, bytes);
            ((seconds - both.at(bytes)) / steps, steps / seconds.max(1e-12))
        })
        .collect();
    let time = weighted_median(&per_flit).map_or(0.0, |time| time.value.max(0.0));
    let controls: Vec<(f64, f64)> = all()
        .filter(|(_, (bytes, _))| is_rendezvous(*bytes))
        .map(|(links, (bytes, seconds))| {
            let rest = seconds - both.at(bytes) - steps(links, bytes) * time;
            (rest / 2.0 - f64::from(links) * time, 1.0 / seconds.max(1e-12))
        })
        .collect();
    let control = weighted_median(&controls).map(Estimate::not_negative).unwrap_or_default();
    (PiecewiseLinear::line(time, 0.0), control)
}
