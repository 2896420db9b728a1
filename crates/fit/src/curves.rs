//! The fitted curves over the measured points, as the written model predicts them.

use panto_machine::{Cost, Machine};
use panto_results::Separation;

use crate::derived::predicted;
use crate::fitted::{Curve, FittedPoint};
use crate::fitter::Points;
use crate::known_network::KnownNetwork;
use crate::observations::Observations;
use crate::piecewise::PiecewiseLinear;

/// Returns one curve for each distance between two ranks, and one for each overhead.
pub fn fitted_curves(
    observed: &Observations,
    known: &KnownNetwork,
    machine: &Machine,
    near: &PiecewiseLinear,
) -> Vec<Curve> {
    let over = |(separation, points): (&Separation, &Points)| {
        // Paths without a link have costs of their own, such as a receive that is posted first.
        let links = known.links(*separation)?;
        let label = format!("one way, {separation}");
        Some(curve(label, points, near.breaks(), |bytes| predicted(machine, bytes, links)))
    };
    let overheads = &machine.network.overheads;
    let posted = if observed.overhead.contains_key("posted") { "posted" } else { "receive" };
    let sides = [
        ("send", "sending", &overheads.send, overheads.immediate),
        (posted, "receiving", &overheads.receive, panto_units::Time::ZERO),
    ];
    let side = |(variant, words, cost, more): (&str, &str, &Cost, panto_units::Time)| {
        let points = observed.overhead.get(variant)?;
        let ends = cost.pieces().filter_map(|piece| piece.up_to).collect();
        Some(curve(format!("processor, {words}"), points, ends, |bytes| {
            cost.of(bytes).as_secs() + more.as_secs()
        }))
    };
    observed.echo.iter().filter_map(over).chain(sides.into_iter().filter_map(side)).collect()
}

fn curve(label: String, points: &Points, breaks: Vec<u64>, fitted: impl Fn(u64) -> f64) -> Curve {
    let point = |(bytes, measured): &(u64, f64)| FittedPoint {
        bytes: *bytes,
        measured: *measured,
        fitted: fitted(*bytes),
    };
    Curve { label, points: points.iter().map(point).collect(), breaks }
}
