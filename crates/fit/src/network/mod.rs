//! What the network takes: links, hops, and the request and grant of a send that asks first.

mod distances;
mod worm;

use panto_bench::{Distance, Separation};
use panto_machine::{Protocol, Switching};

use crate::curve::{Fitter, Part, Points};
use crate::error::Error;
use crate::estimate::Estimate;
use crate::known::Known;
use crate::law::Law;
use crate::observe::{Eager, Observed, merged};
use crate::rates::Rates;
use crate::shape::{Scale, sayable};
use crate::software::Software;
use distances::Distances;

/// What the network takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// A message over one link.
    pub link: Law,
    /// The head of a message over one link; none where only one distance was measured.
    pub hop: Option<Estimate>,
    /// For a request and for a grant, beside what the network takes for them.
    pub control: Estimate,
    /// How a standard send behaves.
    pub protocol: Protocol,
    /// Is that known, or assumed?
    pub protocol_known: bool,
    /// From a processor to itself.
    pub local: Option<Law>,
    /// Inside a node.
    pub inside: Option<Law>,
    /// One way over the fewest links that were measured.
    pub near: Law,
    /// How far points are off it; see [`Scale`].
    pub noise: Option<f64>,
    /// How many those are.
    pub links: u32,
}

/// Points at each number of links, from near to far.
pub type Ways = Vec<(u32, Points)>;

/// The largest size up to which a send does not ask, if some do.
pub fn limit(protocol: Protocol) -> Option<u64> {
    match protocol {
        Protocol::Eager { limit } | Protocol::Handshake { above: limit } => Some(limit),
        Protocol::Buffered | Protocol::Synchronous => None,
    }
}

/// The points over links, by number of links.
pub fn ways(observed: &Observed, known: &Known) -> Result<Ways, Error> {
    let mut ways: Ways = Vec::new();
    for (separation, points) in &observed.echo {
        let Some(links) = known.links(*separation) else { continue };
        match ways.iter_mut().find(|(other, _)| *other == links) {
            // Two kinds of neighbours, within a core complex and beyond: the farther ones speak for all.
            Some((_, nearer)) => nearer.clone_from(points),
            None => ways.push((links, points.clone())),
        }
    }
    ways.sort_by_key(|(links, _)| *links);
    check(&ways)?;
    Ok(ways)
}

/// The fewest sizes that say anything about start-up and rate.
const LEAST_SIZES: usize = 3;

fn check(ways: &Ways) -> Result<(), Error> {
    let run = "panto calibrate -o machine.toml, or panto bench comet/echo --sizes 0..4MiB -o results.jsonl";
    let Some((_, points)) = ways.iter().max_by_key(|(_, points)| points.len()) else {
        return Err(Error::new(format!(
            "no result says what a message to another rank takes (comet/echo at a distance above 0); run {run} on two ranks \
             or more"
        )));
    };
    match points.as_slice() {
        [] => Err(Error::new(format!("comet/echo has no times; run {run}"))),
        [(bytes, _)] => Err(Error::new(format!(
            "all messages of comet/echo are of {}: start-up and rate need at least {LEAST_SIZES} sizes; run {run}",
            panto_units::bytes(*bytes)
        ))),
        points if points.len() < LEAST_SIZES => Err(Error::new(format!(
            "comet/echo has messages of {} sizes: at least {LEAST_SIZES} are needed; run {run}",
            points.len()
        ))),
        _ => Ok(()),
    }
}

/// How a standard send behaves, from `calibrate/eager` and from what the distance costs.
pub fn protocol(observed: &Observed, known: &Known, ways: &Ways, fitter: &Fitter) -> (Protocol, bool) {
    let handshake = || {
        let through = !matches!(known.switching, Switching::Packet | Switching::Wormhole { .. });
        through.then(|| distances::handshake(ways, fitter)).flatten()
    };
    match observed.eager {
        Some(Eager::UpTo(limit)) => (Protocol::Eager { limit }, true),
        Some(Eager::None) => (Protocol::Synchronous, true),
        Some(Eager::All(_)) => {
            (handshake().map_or(Protocol::Buffered, |above| Protocol::Handshake { above }), true)
        }
        None => match handshake() {
            Some(above) => (Protocol::Handshake { above }, true),
            None => (Protocol::Buffered, false),
        },
    }
}

/// All of it, given what processors pay and how a standard send behaves.
pub fn solve(
    observed: &Observed,
    known: &Known,
    (protocol, protocol_known): (Protocol, bool),
    ways: &Ways,
    (software, rates): (&Software, &Rates),
    fitter: &Fitter,
) -> Network {
    let limit = limit(protocol);
    let distances = Distances::new(known.switching, ways, &software.both(), limit);
    let near = fitter.law(Part::Near, &distances.near, limit);
    let scale = Scale::new(&near, &distances.near, fitter.exact);
    let rest = near.minus(&software.both()).minus(&Law::line(distances.hop_time(), 0.0));
    let (link, control) = if let Switching::Wormhole { flit } = known.switching {
        worm::flits(ways, &software.both(), limit, flit)
    } else {
        let (link, control) = without_asking(&rest, limit, distances.hop_time(), distances.control);
        (link, control.times(distances.divided))
    };
    let aside = |part: Part, points: &Points, extra: &Law| {
        let law = fitter.law(part, points, limit);
        let scale = Scale::new(&law, points, fitter.exact);
        let rest = law.minus(&software.both()).minus(extra);
        let (rest, _) = without_asking(&rest, limit, 0.0, Some(control.value));
        sayable(&rest, &scale)
    };
    let at = |distance| observed.echo.get(&Separation::Placed(distance));
    let inside = known.node.and_then(|_| at(Distance::Node).or_else(|| at(Distance::CoreComplex)));
    let itself = at(Distance::Itself).or_else(|| observed.echo.get(&Separation::Hops(0)));
    let own = own_extra(protocol, software, rates);
    Network {
        link: sayable(&link, &scale),
        hop: distances.hop,
        control,
        protocol,
        protocol_known,
        local: itself.map(|points| aside(Part::Itself, points, &own)),
        inside: inside.map(|points| aside(Part::Inside, points, &Law::zero())),
        noise: scale.noise,
        near,
        links: distances.links,
    }
}

/// What a message to oneself takes beside overheads and way: a receive that is started first, or the copy of what came early.
fn own_extra(protocol: Protocol, software: &Software, rates: &Rates) -> Law {
    let immediate = software.immediate.value;
    let line = |intercept: f64, slope: f64| panto_stats::Line { intercept, slope };
    let apart = |limit: u64, above| {
        let exact = crate::law::Piece::exact;
        Law::new(vec![exact(Some(limit), line(0.0, 0.0)), exact(None, above)])
    };
    match protocol {
        Protocol::Synchronous => Law::line(immediate, 0.0),
        Protocol::Eager { limit } => apart(limit, line(immediate, 0.0)),
        Protocol::Handshake { above } if software.copies == Some(true) => {
            apart(above, line(0.0, rates.copy_seconds()))
        }
        Protocol::Buffered | Protocol::Handshake { .. } => Law::zero(),
    }
}

/// What remains of a law when the request and the grant of messages above the limit are taken away, and what one of these costs
/// beside its way. `hops` is what the way takes apart from the link; `control` is what is known of it already.
fn without_asking(rest: &Law, limit: Option<u64>, hops: f64, control: Option<f64>) -> (Law, Estimate) {
    let Some(limit) = limit else { return (rest.clone(), Estimate::default()) };
    let empty = hops + rest.at(0);
    let jumps = rest.classes().filter_map(|(_, pieces)| {
        let index = pieces.iter().position(|piece| piece.up_to == Some(limit))?;
        let (before, behind) = (&pieces[index], pieces.get(index + 1)?);
        let doubt = before.intercept_doubt.hypot(behind.intercept_doubt);
        Some((behind.line.at(limit as f64) - before.line.at(limit as f64), 1.0 / doubt.max(1e-12)))
    });
    let jumps: Vec<(f64, f64)> = jumps.collect();
    let doubt = jumps.iter().map(|(_, weight)| 0.5 / weight).fold(0.0, f64::max);
    let Some(jump) = crate::estimate::weighted_median(&jumps) else {
        return (rest.clone(), Estimate::default());
    };
    let value = control.unwrap_or(jump.value / 2.0 - empty).max(0.0);
    let doubt = if doubt > 1e-12 { doubt } else { 0.0 };
    let interval = panto_stats::Interval { low: value - doubt, high: value + doubt };
    let asked = 2.0 * (value + empty);
    let law = rest.map(|_, from, piece| {
        let mut piece = *piece;
        piece.line.intercept -= if from > limit { asked } else { 0.0 };
        vec![piece]
    });
    (law, Estimate { value, interval })
}

/// Pooled points of several lists, each size once.
fn pooled(lists: impl Iterator<Item = (u64, f64)>) -> Points {
    merged(&lists.collect())
}
