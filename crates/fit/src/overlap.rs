//! What computation hides. A model has no figure for it: it follows from what processors pay. So the same points are run on the
//! fitted machine, and what they save there stands beside what was measured.

use std::collections::BTreeMap;
use std::sync::Arc;

use panto_bench::results::{Manifest, Record};
use panto_bench::{Distance, Gain, Kernel, Point, Separation, overlap_gain, param};
use panto_machine::Machine;
use panto_stats::Interval;

use crate::fitted::{Parameter, Unit};
use crate::stage::{Seen, Stage};

const BLOCKING: &str = "blocking";
const OVERLAPPED: &str = "overlapped";

/// Gains that differ by fewer points of a hundred are alike.
const WORTH_A_NOTE: f64 = 10.0;

/// What overlapping saved at one point, and what it saves on the model.
#[derive(Debug, Clone)]
struct Pair {
    point: Point,
    measured: Gain,
    model: Option<f64>,
}

/// What is to be said of overlap.
#[derive(Debug, Clone, Default)]
pub struct Overlap {
    /// The best gain, and that of the model at the same point.
    pub parameters: Vec<Parameter>,
    /// What was measured, in a line of the model file; none if nothing was.
    pub source: Option<String>,
    /// Where the model departs from it.
    pub note: Option<String>,
}

/// Compares `comet/overlap` among the records with the same on the fitted machine.
pub fn compare(records: &[Record], manifests: &[Manifest], machine: &Machine) -> Overlap {
    let mut ways: BTreeMap<Option<Separation>, Vec<&Record>> = BTreeMap::new();
    for record in records.iter().filter(|record| record.kernel == "comet/overlap" && record.absent.is_none())
    {
        ways.entry(record.point.separation()).or_default().push(record);
    }
    let of = |(way, records): (&Option<Separation>, &Vec<&Record>)| pairs(*way, records, manifests, machine);
    let pairs: Vec<Pair> = ways.iter().flat_map(of).collect();
    let best = pairs.iter().max_by(|a, b| a.measured.percent.total_cmp(&b.measured.percent));
    best.map_or_else(Overlap::default, |best| Overlap {
        parameters: parameters(best),
        source: Some(source(best)),
        note: note(&pairs),
    })
}

fn pairs(
    way: Option<Separation>,
    records: &[&Record],
    manifests: &[Manifest],
    machine: &Machine,
) -> Vec<Pair> {
    let blocking = records.iter().filter(|record| record.point.text(param::VARIANT) == BLOCKING);
    let measured = blocking.filter_map(|before| {
        let point = before.point.clone().with_text(param::VARIANT, OVERLAPPED);
        let after = records.iter().find(|record| record.point == point)?;
        Some(Pair { point: before.point.clone(), measured: overlap_gain(before, after)?, model: None })
    });
    let measured: Vec<Pair> = measured.collect();
    if measured.is_empty() {
        return measured;
    }
    let simulated = rehearse(way, &measured, manifests, machine);
    let with_model = |pair: Pair| {
        let of = |variant: &str| simulated.get(&plain(&pair.point).with_text(param::VARIANT, variant));
        let gain = of(BLOCKING).zip(of(OVERLAPPED)).and_then(|(before, after)| overlap_gain(before, after));
        Pair { model: gain.map(|gain| gain.percent), ..pair }
    };
    measured.into_iter().map(with_model).collect()
}

/// The same points on the fitted machine. Between hosts each rank has one of its own; else the nearest two speak.
fn rehearse(way: Option<Separation>, pairs: &[Pair], manifests: &[Manifest], machine: &Machine) -> Seen {
    let mut machine = machine.clone();
    if way == Some(Separation::Placed(Distance::Network)) {
        machine.network.nodes = None;
    }
    let stage = Stage::new(Arc::new(machine), manifests);
    let points: Vec<Point> = pairs.iter().map(|pair| plain(&pair.point)).collect();
    stage.run(Kernel::Overlap, &stage.settings(&points.iter().collect::<Vec<_>>()))
}

/// The point without a distance, which a simulated machine has none of; two ranks are enough where others only look on.
fn plain(point: &Point) -> Point {
    let ranks = if point.separation().is_some() { 2 } else { point.ranks };
    let number = |name| point.number(name).unwrap_or(0);
    Point::new(ranks)
        .with(param::BYTES, number(param::BYTES))
        .with(param::LENGTH, number(param::LENGTH))
        .with_text(param::VARIANT, point.text(param::VARIANT))
}

fn parameters(best: &Pair) -> Vec<Parameter> {
    let method =
        format!("comet/overlap, the largest part of the time that overlapping saved: {}", place(best));
    let Gain { percent, low, high } = best.measured;
    let interval = Interval { low: low / 100.0, high: high / 100.0 };
    let measured = Parameter::new("overlap", percent / 100.0, Unit::Number, method).within(interval);
    let beside = |model: f64| {
        Parameter::new("overlap, model", model / 100.0, Unit::Number, "the same on the fitted model")
    };
    std::iter::once(measured).chain(best.model.map(beside)).collect()
}

fn source(best: &Pair) -> String {
    let Gain { percent, low, high } = best.measured;
    let model = best.model.map_or_else(String::new, |model| format!("; on this model {}", points(model)));
    format!(
        "measured: comet/overlap, at best {} of the time is saved ({} to {}, {}){model}; a model has no figure for it",
        points(percent),
        points(low),
        points(high),
        place(best)
    )
}

/// Where the model is farthest off, if that is worth knowing.
fn note(pairs: &[Pair]) -> Option<String> {
    let off = |pair: &&Pair| pair.model.map_or(0.0, |model| (model - pair.measured.percent).abs());
    let departs = |pair: &&Pair| {
        let Gain { low, high, .. } = pair.measured;
        pair.model.is_some_and(|model| model < low || model > high) && off(pair) > WORTH_A_NOTE
    };
    let departing: Vec<&Pair> = pairs.iter().filter(departs).collect();
    let worst = departing.iter().copied().max_by(|a, b| off(a).total_cmp(&off(b)))?;
    let (measured, model) = (worst.measured.percent, worst.model?);
    let way = if model > measured { "fast" } else { "slow" };
    Some(format!(
        "overlapping saves {} of the time at {}, and {} on the model: predictions of programs that overlap are too {way}, there by {}; so at {} of {} points",
        points(measured),
        place(worst),
        points(model),
        points(((100.0 - model) / (100.0 - measured) - 1.0).abs() * 100.0),
        departing.len(),
        pairs.len()
    ))
}

fn points(percent: f64) -> String {
    format!("{percent:.0} %")
}

fn place(pair: &Pair) -> String {
    let number = |name| pair.point.number(name).unwrap_or(0);
    let way = pair.point.separation().map_or_else(String::new, |way| format!(", {way}"));
    format!("{}, {} doubles{way}", panto_units::bytes(number(param::BYTES)), number(param::LENGTH))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(bytes: u64, percent: f64, model: f64) -> Pair {
        let point = Point::new(2).with(param::BYTES, bytes).with(param::LENGTH, 100);
        let measured = Gain { percent, low: percent - 2.0, high: percent + 2.0 };
        Pair { point, measured, model: Some(model) }
    }

    #[test]
    fn departures_are_said_with_their_direction() {
        assert_eq!(note(&[pair(8, 20.0, 29.0), pair(64, 0.0, 5.0)]), None);
        let text = note(&[pair(8, 20.0, 32.0), pair(64, 5.0, 45.0)]).unwrap();
        for words in ["too fast", "5 % of the time at 64B", "45 % on the model", "by 42 %", "2 of 2 points"] {
            assert!(text.contains(words), "no `{words}` in {text}");
        }
        assert!(note(&[pair(8, 50.0, 10.0)]).unwrap().contains("too slow"));
    }
}
