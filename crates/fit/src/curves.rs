//! The fitted curves over the points, as the model that was written says them.

use panto_bench::Separation;
use panto_machine::{Cost, Machine};

use crate::curve::Points;
use crate::derived::predicted;
use crate::fitted::{Curve, Observed as Pair};
use crate::known::Known;
use crate::law::Law;
use crate::observe::Observed;

/// One curve for each distance to another rank, and one for each overhead.
pub fn all(observed: &Observed, known: &Known, machine: &Machine, near: &Law) -> Vec<Curve> {
    let over = |(separation, points): (&Separation, &Points)| {
        // What uses no link has costs of its own, such as a receive that is posted first.
        let links = known.links(*separation)?;
        let label = format!("one way, {separation}");
        Some(curve(label, points, near.ends(), |bytes| predicted(machine, bytes, links)))
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
    let pair =
        |(bytes, measured): &(u64, f64)| Pair { bytes: *bytes, measured: *measured, fitted: fitted(*bytes) };
    Curve { label, points: points.iter().map(pair).collect(), breaks }
}
