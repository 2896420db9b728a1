//! What the number of links costs.

use panto_machine::Switching;

use super::{Ways, pooled};
use crate::curve::{Fitter, Points, roundest};
use crate::estimate::{Estimate, weighted_median};
use crate::law::Law;

/// Times of all distances, brought to that of the nearest.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Distances {
    /// Time by size over `links` links.
    pub(super) near: Points,
    /// The fewest that were measured; 1 where each link takes all of the time again.
    pub(super) links: u32,
    /// The head of a message over one link; none where it cannot be told from the rest.
    pub(super) hop: Option<Estimate>,
    /// What requests and grants cost, where distances tell.
    pub(super) control: Option<f64>,
    /// By what everything that happens once was divided, too, because a single distance does not tell it apart.
    pub(super) divided: f64,
}

/// A message that asks goes over the way three times: request, grant, data.
const ASKING: f64 = 3.0;

impl Distances {
    pub(super) fn new(switching: Switching, ways: &Ways, both: &Law, limit: Option<u64>) -> Self {
        let asks = |bytes: u64| limit.is_some_and(|limit| bytes > limit);
        match switching {
            Switching::Packet => stored(ways, both, &asks),
            _ => through(ways, &asks),
        }
    }

    /// What the way takes beside the link, at the nearest distance.
    pub(super) fn hop_time(&self) -> f64 {
        self.hop.map_or(0.0, |hop| hop.value * f64::from(self.links))
    }
}

/// The head goes on while the rest still comes: each further link costs the same for all sizes.
fn through(ways: &Ways, asks: &dyn Fn(u64) -> bool) -> Distances {
    let times = |bytes: u64| if asks(bytes) { ASKING } else { 1.0 };
    let slopes: Vec<(f64, f64)> = further(ways)
        .map(|further| (further.seconds / times(further.bytes), further.weight * times(further.bytes)))
        .collect();
    let hop = weighted_median(&slopes).map(Estimate::not_negative);
    let links = ways.first().map_or(1, |(links, _)| *links);
    let each = hop.map_or(0.0, |hop| hop.value);
    let brought = ways.iter().flat_map(|(distance, points)| {
        let beyond = f64::from(distance - links);
        points.iter().map(move |(bytes, seconds)| (*bytes, seconds - each * beyond * times(*bytes)))
    });
    Distances { near: pooled(brought), links, hop, control: None, divided: 1.0 }
}

/// Each link takes all of the message again: `T = o + d t(s)`, and above the limit `2 c + 2 d t(0)` more.
fn stored(ways: &Ways, both: &Law, asks: &dyn Fn(u64) -> bool) -> Distances {
    let control = asked_once(ways, both, asks);
    let once = |bytes: u64| both.at(bytes) + if asks(bytes) { 2.0 * control.unwrap_or(0.0) } else { 0.0 };
    let brought = ways.iter().flat_map(|(distance, points)| {
        let links = f64::from(*distance);
        points.iter().map(move |(bytes, seconds)| (*bytes, once(*bytes) + (seconds - once(*bytes)) / links))
    });
    let divided = match ways.as_slice() {
        [(distance, _)] => f64::from(*distance),
        _ => 1.0,
    };
    Distances { near: pooled(brought), links: 1, hop: None, control, divided }
}

/// What does not grow with the distance above the limit, less what processors pay: request and grant.
fn asked_once(ways: &Ways, both: &Law, asks: &dyn Fn(u64) -> bool) -> Option<f64> {
    let nearest = ways.first()?;
    let estimates: Vec<(f64, f64)> = further(ways)
        .filter(|further| asks(further.bytes))
        .filter_map(|further| {
            let (_, seconds) = nearest.1.iter().find(|(bytes, _)| *bytes == further.bytes)?;
            let rest = seconds - further.seconds * f64::from(nearest.0) - both.at(further.bytes);
            Some((rest / 2.0, 1.0 / seconds.max(1e-12)))
        })
        .collect();
    weighted_median(&estimates).map(|control| control.value.max(0.0))
}

/// What one further link costs at some size.
struct Further {
    bytes: u64,
    seconds: f64,
    weight: f64,
}

/// Every farther way against the nearest, at the sizes that both have.
fn further(ways: &Ways) -> impl Iterator<Item = Further> + '_ {
    let (first, rest) =
        ways.split_first().map_or((None, ways.as_slice()), |(first, rest)| (Some(first), rest));
    let pairs = first.into_iter().flat_map(move |near| rest.iter().map(move |far| (near, far)));
    pairs.flat_map(|((less, near), (more, far))| {
        let links = f64::from(more - less);
        near.iter().filter_map(move |(bytes, seconds)| {
            let (_, longer) = far.iter().find(|(size, _)| size == bytes)?;
            Some(Further {
                bytes: *bytes,
                seconds: (longer - seconds) / links,
                weight: links / longer.max(1e-12),
            })
        })
    })
}

/// The largest size of messages that do not ask, where the others pay for three ways: their hops cost three times as much.
pub(super) fn handshake(ways: &Ways, fitter: &Fitter) -> Option<u64> {
    let slopes: Vec<Further> = further(ways).collect();
    let mut sizes: Vec<u64> = slopes.iter().map(|further| further.bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let cost = |limit: Option<u64>| {
        let times = |bytes: u64| if limit.is_some_and(|limit| bytes > limit) { ASKING } else { 1.0 };
        let hops: Vec<(f64, f64)> = slopes
            .iter()
            .map(|one| (one.seconds / times(one.bytes), one.weight * times(one.bytes)))
            .collect();
        let hop = weighted_median(&hops)?.value;
        let off = |one: &Further| one.weight * (one.seconds - hop * times(one.bytes)).abs();
        Some((slopes.iter().map(off).sum::<f64>(), hop))
    };
    let (none, _) = cost(None)?;
    // Both sides need sizes enough to be believed.
    let places = sizes.windows(2).skip(1).take(sizes.len().saturating_sub(3));
    let found = places.filter_map(|pair| Some((cost(Some(pair[0]))?, pair[0], pair[1])));
    let ((cost, hop), last, first) = found.min_by(|a, b| a.0.0.total_cmp(&b.0.0))?;
    if hop <= 0.0 || cost > 0.5 * none {
        return None;
    }
    let known = fitter.known.iter().copied().find(|end| (last..first).contains(end));
    Some(known.unwrap_or_else(|| roundest(last, first)))
}
