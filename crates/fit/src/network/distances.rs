//! The cost of distance: one-way times over several links, reduced to those over the smallest
//! measured number of links (over one link under store-and-forward).

use panto_machine::Switching;

use super::{TimesByLinks, pooled};
use crate::estimate::{Estimate, weighted_median};
use crate::fitter::{Fitter, Points, roundest};
use crate::piecewise::PiecewiseLinear;

/// One-way times of all distances, reduced to the nearest.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Distances {
    /// Seconds by size over `links` links.
    pub(super) near: Points,
    /// Fewest links that were measured; 1 under store-and-forward.
    pub(super) links: u32,
    /// Time of a message's head over one link; `None` where one distance alone was measured.
    pub(super) hop: Option<Estimate>,
    /// Cost of a control message (RTS, CTS), where distances determine it.
    pub(super) control: Option<f64>,
    /// Factor by which costs that occur once were divided too, since a single distance does not
    /// separate them.
    pub(super) divided: f64,
}

/// Crossings of the network by a rendezvous: request to send, clear to send, data.
const RENDEZVOUS_CROSSINGS: f64 = 3.0;

impl Distances {
    pub(super) fn new(
        switching: Switching,
        times: &TimesByLinks,
        both: &PiecewiseLinear,
        limit: Option<u64>,
    ) -> Self {
        let is_rendezvous = |bytes: u64| limit.is_some_and(|limit| bytes > limit);
        match switching {
            Switching::Packet => store_and_forward(times, both, &is_rendezvous),
            _ => cut_through(times, &is_rendezvous),
        }
    }

    /// Returns the time of the hops at the nearest distance.
    pub(super) fn hop_time(&self) -> f64 {
        self.hop.map_or(0.0, |hop| hop.value * f64::from(self.links))
    }
}

/// Cut-through and similar switching: each extra link costs the same for all sizes.
fn cut_through(times: &TimesByLinks, is_rendezvous: &dyn Fn(u64) -> bool) -> Distances {
    let crossings = |bytes: u64| if is_rendezvous(bytes) { RENDEZVOUS_CROSSINGS } else { 1.0 };
    let slopes: Vec<(f64, f64)> = extra_links(times)
        .map(|extra| (extra.seconds / crossings(extra.bytes), extra.weight * crossings(extra.bytes)))
        .collect();
    let hop = weighted_median(&slopes).map(Estimate::not_negative);
    let links = times.first().map_or(1, |(links, _)| *links);
    let each = hop.map_or(0.0, |hop| hop.value);
    let shifted = times.iter().flat_map(|(distance, points)| {
        let beyond = f64::from(distance - links);
        points.iter().map(move |(bytes, seconds)| (*bytes, seconds - each * beyond * crossings(*bytes)))
    });
    Distances { near: pooled(shifted), links, hop, control: None, divided: 1.0 }
}

/// Store-and-forward: each link takes the whole message again, `T = o + d t(s)`, and `2 c + 2 d
/// t(0)` more for a rendezvous.
fn store_and_forward(
    times: &TimesByLinks,
    both: &PiecewiseLinear,
    is_rendezvous: &dyn Fn(u64) -> bool,
) -> Distances {
    let control = control_cost(times, both, is_rendezvous);
    let once =
        |bytes: u64| both.at(bytes) + if is_rendezvous(bytes) { 2.0 * control.unwrap_or(0.0) } else { 0.0 };
    let shifted = times.iter().flat_map(|(distance, points)| {
        let links = f64::from(*distance);
        points.iter().map(move |(bytes, seconds)| (*bytes, once(*bytes) + (seconds - once(*bytes)) / links))
    });
    let divided = match times.as_slice() {
        [(distance, _)] => f64::from(*distance),
        _ => 1.0,
    };
    Distances { near: pooled(shifted), links: 1, hop: None, control, divided }
}

/// Returns the cost of a control message: half of what does not grow with the distance for a
/// rendezvous, less the overheads.
fn control_cost(
    times: &TimesByLinks,
    both: &PiecewiseLinear,
    is_rendezvous: &dyn Fn(u64) -> bool,
) -> Option<f64> {
    let nearest = times.first()?;
    let estimates: Vec<(f64, f64)> = extra_links(times)
        .filter(|extra| is_rendezvous(extra.bytes))
        .filter_map(|extra| {
            let (_, seconds) = nearest.1.iter().find(|(bytes, _)| *bytes == extra.bytes)?;
            let rest = seconds - extra.seconds * f64::from(nearest.0) - both.at(extra.bytes);
            Some((rest / 2.0, 1.0 / seconds.max(1e-12)))
        })
        .collect();
    weighted_median(&estimates).map(|control| control.value.max(0.0))
}

/// Cost of one extra link at some size.
struct ExtraLink {
    bytes: u64,
    seconds: f64,
    weight: f64,
}

/// Compares every farther distance with the nearest, at the sizes that both have.
fn extra_links(times: &TimesByLinks) -> impl Iterator<Item = ExtraLink> + '_ {
    let (first, rest) =
        times.split_first().map_or((None, times.as_slice()), |(first, rest)| (Some(first), rest));
    let pairs = first.into_iter().flat_map(move |near| rest.iter().map(move |far| (near, far)));
    pairs.flat_map(|((less, near), (more, far))| {
        let links = f64::from(more - less);
        near.iter().filter_map(move |(bytes, seconds)| {
            let (_, longer) = far.iter().find(|(size, _)| size == bytes)?;
            Some(ExtraLink {
                bytes: *bytes,
                seconds: (longer - seconds) / links,
                weight: links / longer.max(1e-12),
            })
        })
    })
}

/// Returns the largest eager size, where larger messages pay each hop three times (RTS, CTS, data).
pub(super) fn handshake_limit(times: &TimesByLinks, fitter: &Fitter) -> Option<u64> {
    let slopes: Vec<ExtraLink> = extra_links(times).collect();
    let mut sizes: Vec<u64> = slopes.iter().map(|extra| extra.bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let cost = |limit: Option<u64>| {
        let crossings =
            |bytes: u64| if limit.is_some_and(|limit| bytes > limit) { RENDEZVOUS_CROSSINGS } else { 1.0 };
        let hops: Vec<(f64, f64)> = slopes
            .iter()
            .map(|one| (one.seconds / crossings(one.bytes), one.weight * crossings(one.bytes)))
            .collect();
        let hop = weighted_median(&hops)?.value;
        let off = |one: &ExtraLink| one.weight * (one.seconds - hop * crossings(one.bytes)).abs();
        Some((slopes.iter().map(off).sum::<f64>(), hop))
    };
    let (none, _) = cost(None)?;
    // Both sides need at least two sizes.
    let places = sizes.windows(2).skip(1).take(sizes.len().saturating_sub(3));
    let found = places.filter_map(|pair| Some((cost(Some(pair[0]))?, pair[0], pair[1])));
    let ((cost, hop), last, first) = found.min_by(|a, b| a.0.0.total_cmp(&b.0.0))?;
    if hop <= 0.0 || cost > 0.5 * none {
        return None;
    }
    let known = fitter.known_breaks.iter().copied().find(|end| (last..first).contains(end));
    Some(known.unwrap_or_else(|| roundest(last, first)))
}
