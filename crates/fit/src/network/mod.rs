//! Parameters of the network: links, hops, and the control messages of a rendezvous.
//!
//! The one-way curve, less the overheads of both sides and the hops, is the cost of the link. Where
//! sends above a limit are a rendezvous, the curve has a step there: the request and the clear to
//! send, each of which costs as much as an empty message plus a fixed time (`control`).

mod distances;
mod wormhole;

use panto_machine::{Protocol, Switching};
use panto_results::{Distance, Separation};

use crate::error::{Error, MIN_SIZES};
use crate::estimate::Estimate;
use crate::fitter::{Component, Fitter, Points};
use crate::known_network::KnownNetwork;
use crate::observations::{EagerRange, Observations, median_per_size};
use crate::overheads::Overheads;
use crate::piecewise::PiecewiseLinear;
use crate::rates::Rates;
use crate::representable::{Tolerance, representable};
use distances::Distances;

/// Parameters of the network.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// Time of a message over one link, by size.
    pub link: PiecewiseLinear,
    /// Time of a message's head over one link; `None` where one distance alone was measured.
    pub hop: Option<Estimate>,
    /// Time of a request or clear to send beyond that of an empty message.
    pub control: Estimate,
    /// Protocol of standard sends.
    pub protocol: Protocol,
    /// Whether the protocol was measured; otherwise it is assumed.
    pub protocol_known: bool,
    /// From a processor to itself, by size.
    pub local: Option<PiecewiseLinear>,
    /// Between two processors of a node, by size.
    pub inside: Option<PiecewiseLinear>,
    /// One way over `links` links, by size.
    pub near: PiecewiseLinear,
    /// Median relative residual about `near`; see [`Tolerance`].
    pub noise: Option<f64>,
    /// Fewest links that were measured.
    pub links: u32,
}

/// Points by number of links, ascending.
pub type TimesByLinks = Vec<(u32, Points)>;

/// Returns the largest eager size, if larger messages are a rendezvous.
pub fn rendezvous_limit(protocol: Protocol) -> Option<u64> {
    match protocol {
        Protocol::Eager { limit } | Protocol::Handshake { above: limit } => Some(limit),
        Protocol::Buffered | Protocol::Synchronous => None,
    }
}

/// Returns the echoes over links, by number of links.
pub fn times_by_links(observed: &Observations, known: &KnownNetwork) -> Result<TimesByLinks, Error> {
    let mut times: TimesByLinks = Vec::new();
    for (separation, points) in &observed.echo {
        let Some(links) = known.links(*separation) else { continue };
        match times.iter_mut().find(|(other, _)| *other == links) {
            // Of neighbours within a core complex and beyond it, the farther stand for both.
            Some((_, nearer)) => nearer.clone_from(points),
            None => times.push((links, points.clone())),
        }
    }
    times.sort_by_key(|(links, _)| *links);
    check_sizes(&times)?;
    Ok(times)
}

fn check_sizes(times: &TimesByLinks) -> Result<(), Error> {
    let Some((_, points)) = times.iter().max_by_key(|(_, points)| points.len()) else {
        return Err(Error::NoEcho);
    };
    match points.len() {
        0 => Err(Error::NoEchoTimes),
        few if few < MIN_SIZES => {
            Err(Error::TooFewSizes { sizes: points.iter().map(|(bytes, _)| *bytes).collect() })
        }
        _ => Ok(()),
    }
}

/// Returns the protocol of standard sends and whether it was measured, from `calibrate/eager` and
/// from the cost of distance.
pub fn protocol(
    observed: &Observations,
    known: &KnownNetwork,
    times: &TimesByLinks,
    fitter: &Fitter,
) -> (Protocol, bool) {
    let handshake = || {
        let cuts_through = !matches!(known.switching, Switching::Packet | Switching::Wormhole { .. });
        cuts_through.then(|| distances::handshake_limit(times, fitter)).flatten()
    };
    match observed.eager {
        Some(EagerRange::UpTo(limit)) => (Protocol::Eager { limit }, true),
        Some(EagerRange::Never) => (Protocol::Synchronous, true),
        Some(EagerRange::AtLeast(_)) => {
            (handshake().map_or(Protocol::Buffered, |above| Protocol::Handshake { above }), true)
        }
        None => match handshake() {
            Some(above) => (Protocol::Handshake { above }, true),
            None => (Protocol::Buffered, false),
        },
    }
}

/// Fits all parameters, given the overheads and the protocol.
pub fn solve(
    observed: &Observations,
    known: &KnownNetwork,
    (protocol, protocol_known): (Protocol, bool),
    times: &TimesByLinks,
    (software, rates): (&Overheads, &Rates),
    fitter: &Fitter,
) -> Network {
    let limit = rendezvous_limit(protocol);
    let distances = Distances::new(known.switching, times, &software.both(), limit);
    let near = fitter.fit(Component::OneWay, &distances.near, limit);
    let scale = Tolerance::new(&near, &distances.near, fitter.exact);
    let rest = near.minus(&software.both()).minus(&PiecewiseLinear::line(distances.hop_time(), 0.0));
    let (link, control) = if let Switching::Wormhole { flit } = known.switching {
        wormhole::fit(times, &software.both(), limit, flit)
    } else {
        let (link, control) = subtract_handshake(&rest, limit, distances.hop_time(), distances.control);
        (link, control.times(distances.divided))
    };
    let other_path = |component: Component, points: &Points, extra: &PiecewiseLinear| {
        let whole = fitter.fit(component, points, limit);
        let scale = Tolerance::new(&whole, points, fitter.exact);
        let rest = whole.minus(&software.both()).minus(extra);
        let (rest, _) = subtract_handshake(&rest, limit, 0.0, Some(control.value));
        representable(&rest, &scale)
    };
    let at = |distance| observed.echo.get(&Separation::Placed(distance));
    let inside = known.node_size.and_then(|_| at(Distance::Node).or_else(|| at(Distance::CoreComplex)));
    let itself = at(Distance::Itself).or_else(|| observed.echo.get(&Separation::Hops(0)));
    let own = self_message_extra(protocol, software, rates);
    Network {
        link: representable(&link, &scale),
        hop: distances.hop,
        control,
        protocol,
        protocol_known,
        local: itself.map(|points| other_path(Component::SelfMessage, points, &own)),
        inside: inside.map(|points| other_path(Component::IntraNode, points, &PiecewiseLinear::zero())),
        noise: scale.noise,
        near,
        links: distances.links,
    }
}

/// Returns what a message to oneself takes beyond overheads and path: a receive that is started
/// first, or the copy of an unexpected message.
fn self_message_extra(protocol: Protocol, software: &Overheads, rates: &Rates) -> PiecewiseLinear {
    let immediate = software.immediate.value;
    let line = |intercept: f64, slope: f64| panto_stats::Line { intercept, slope };
    let above_limit = |limit: u64, above| {
        let exact = crate::piecewise::Piece::exact;
        PiecewiseLinear::new(vec![exact(Some(limit), line(0.0, 0.0)), exact(None, above)])
    };
    match protocol {
        Protocol::Synchronous => PiecewiseLinear::line(immediate, 0.0),
        Protocol::Eager { limit } => above_limit(limit, line(immediate, 0.0)),
        Protocol::Handshake { above } if software.copies_unexpected == Some(true) => {
            above_limit(above, line(0.0, rates.copy_seconds()))
        }
        Protocol::Buffered | Protocol::Handshake { .. } => PiecewiseLinear::zero(),
    }
}

/// Subtracts the handshake from a curve above the eager limit. Returns the rest and the cost of a
/// control message beyond its path. `hops` is the time of the path apart from the link, `control`
/// the cost if it is known already.
fn subtract_handshake(
    rest: &PiecewiseLinear,
    limit: Option<u64>,
    hops: f64,
    control: Option<f64>,
) -> (PiecewiseLinear, Estimate) {
    let Some(limit) = limit else { return (rest.clone(), Estimate::default()) };
    let empty = hops + rest.at(0);
    let jumps = rest.classes().filter_map(|(_, pieces)| {
        let index = pieces.iter().position(|piece| piece.up_to == Some(limit))?;
        let (before, behind) = (&pieces[index], pieces.get(index + 1)?);
        let margin = before.intercept_margin.hypot(behind.intercept_margin);
        Some((behind.line.at(limit as f64) - before.line.at(limit as f64), 1.0 / margin.max(1e-12)))
    });
    let jumps: Vec<(f64, f64)> = jumps.collect();
    let margin = jumps.iter().map(|(_, weight)| 0.5 / weight).fold(0.0, f64::max);
    let Some(jump) = crate::estimate::weighted_median(&jumps) else {
        return (rest.clone(), Estimate::default());
    };
    let value = control.unwrap_or(jump.value / 2.0 - empty).max(0.0);
    let margin = if margin > 1e-12 { margin } else { 0.0 };
    let interval = panto_stats::Interval { low: value - margin, high: value + margin };
    let handshake = 2.0 * (value + empty);
    let remaining = rest.map(|_, from, piece| {
        let mut piece = *piece;
        piece.line.intercept -= if from > limit { handshake } else { 0.0 };
        vec![piece]
    });
    (remaining, Estimate { value, interval })
}

/// Returns each size once, with the median over all lists.
fn pooled(lists: impl Iterator<Item = (u64, f64)>) -> Points {
    median_per_size(&lists.collect())
}
