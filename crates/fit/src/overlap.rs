//! Overlap of computation and communication, measured and modelled.
//!
//! A model file has no key for it: overlap follows from the overheads. So the measured points are
//! simulated on the fitted machine, and both results are reported.

use std::collections::BTreeMap;
use std::sync::Arc;

use panto_bench::Kernel;
use panto_findings::{OverlapGain, overlap_gain};
use panto_machine::Machine;
use panto_results::{Distance, Manifest, Point, Record, Separation, kernel, param};
use panto_stats::Interval;

use crate::fitted::{Parameter, Unit};
use crate::simulation::{RecordsByPoint, Simulation};

const BLOCKING: &str = "blocking";
const OVERLAPPED: &str = "overlapped";

/// Percentage points by which two gains must differ to be reported.
const NOTABLE_PERCENT: f64 = 10.0;

/// Gain by overlap at one point, measured and simulated.
#[derive(Debug, Clone)]
struct OverlapPoint {
    point: Point,
    measured: OverlapGain,
    model: Option<f64>,
}

/// The comparison of measured and simulated overlap.
#[derive(Debug, Clone, Default)]
pub struct OverlapComparison {
    /// The largest measured gain, and that of the model at the same point.
    pub parameters: Vec<Parameter>,
    /// Line of `[sources]` in the model file; `None` without measurements.
    pub source: Option<String>,
    /// Where the model differs most.
    pub note: Option<String>,
}

/// Compares the records of `comet/overlap` with the same points on the fitted machine.
pub fn compare(records: &[Record], manifests: &[Manifest], machine: &Machine) -> OverlapComparison {
    let mut ways: BTreeMap<Option<Separation>, Vec<&Record>> = BTreeMap::new();
    for record in
        records.iter().filter(|record| record.kernel == kernel::comet::OVERLAP && record.absent.is_none())
    {
        ways.entry(record.point.separation()).or_default().push(record);
    }
    let of = |(way, records): (&Option<Separation>, &Vec<&Record>)| pairs(*way, records, manifests, machine);
    let pairs: Vec<OverlapPoint> = ways.iter().flat_map(of).collect();
    let best = pairs.iter().max_by(|a, b| a.measured.percent.total_cmp(&b.measured.percent));
    best.map_or_else(OverlapComparison::default, |best| OverlapComparison {
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
) -> Vec<OverlapPoint> {
    let blocking = records.iter().filter(|record| record.point.text(param::VARIANT) == BLOCKING);
    let measured = blocking.filter_map(|before| {
        let point = before.point.clone().with_text(param::VARIANT, OVERLAPPED);
        let after = records.iter().find(|record| record.point == point)?;
        Some(OverlapPoint {
            point: before.point.clone(),
            measured: overlap_gain(before, after)?,
            model: None,
        })
    });
    let measured: Vec<OverlapPoint> = measured.collect();
    if measured.is_empty() {
        return measured;
    }
    let simulated = simulate(way, &measured, manifests, machine);
    let with_model = |pair: OverlapPoint| {
        let of =
            |variant: &str| simulated.get(&simulated_point(&pair.point).with_text(param::VARIANT, variant));
        let gain = of(BLOCKING).zip(of(OVERLAPPED)).and_then(|(before, after)| overlap_gain(before, after));
        OverlapPoint { model: gain.map(|gain| gain.percent), ..pair }
    };
    measured.into_iter().map(with_model).collect()
}

/// Runs the points on the fitted machine. Between hosts each rank has a node of its own; otherwise
/// two neighbours communicate.
fn simulate(
    way: Option<Separation>,
    pairs: &[OverlapPoint],
    manifests: &[Manifest],
    machine: &Machine,
) -> RecordsByPoint {
    let mut machine = machine.clone();
    if way == Some(Separation::Placed(Distance::Network)) {
        machine.network.nodes = None;
    }
    let simulation = Simulation::new(Arc::new(machine), manifests);
    let points: Vec<Point> = pairs.iter().map(|pair| simulated_point(&pair.point)).collect();
    simulation.run(Kernel::Overlap, &simulation.settings(&points.iter().collect::<Vec<_>>()))
}

/// Returns the point without its distance, which simulated machines do not record; two ranks are
/// enough where the others are idle.
fn simulated_point(point: &Point) -> Point {
    let ranks = if point.separation().is_some() { 2 } else { point.ranks };
    let number = |name| point.number(name).unwrap_or(0);
    Point::new(ranks)
        .with(param::BYTES, number(param::BYTES))
        .with(param::LENGTH, number(param::LENGTH))
        .with_text(param::VARIANT, point.text(param::VARIANT))
}

fn parameters(best: &OverlapPoint) -> Vec<Parameter> {
    let method = format!("comet/overlap, largest part of the time saved by overlap: {}", describe(best));
    let OverlapGain { percent, low, high } = best.measured;
    let interval = Interval { low: low / 100.0, high: high / 100.0 };
    let measured = Parameter::new("overlap", percent / 100.0, Unit::Number, method).within(interval);
    let beside = |model: f64| {
        Parameter::new("overlap, model", model / 100.0, Unit::Number, "the same point on the fitted model")
    };
    std::iter::once(measured).chain(best.model.map(beside)).collect()
}

fn source(best: &OverlapPoint) -> String {
    let OverlapGain { percent, low, high } = best.measured;
    let model = best.model.map_or_else(String::new, |model| format!("; on this model {}", rounded(model)));
    format!(
        "measured: comet/overlap, saves at most {} of the time ({} to {}, {}){model}; not a parameter of the model",
        rounded(percent),
        rounded(low),
        rounded(high),
        describe(best)
    )
}

/// Describes the largest error of the model, if it is worth a note.
fn note(pairs: &[OverlapPoint]) -> Option<String> {
    let off = |pair: &&OverlapPoint| pair.model.map_or(0.0, |model| (model - pair.measured.percent).abs());
    let departs = |pair: &&OverlapPoint| {
        let OverlapGain { low, high, .. } = pair.measured;
        pair.model.is_some_and(|model| model < low || model > high) && off(pair) > NOTABLE_PERCENT
    };
    let departing: Vec<&OverlapPoint> = pairs.iter().filter(departs).collect();
    let worst = departing.iter().copied().max_by(|a, b| off(a).total_cmp(&off(b)))?;
    let (measured, model) = (worst.measured.percent, worst.model?);
    let direction = if model > measured { "fast" } else { "slow" };
    Some(format!(
        "overlap saves {} of the time at {}, but {} on the model: predictions of programs that overlap are too {direction}, by {} at this point; {} of {} points differ",
        rounded(measured),
        describe(worst),
        rounded(model),
        rounded(((100.0 - model) / (100.0 - measured) - 1.0).abs() * 100.0),
        departing.len(),
        pairs.len()
    ))
}

fn rounded(percent: f64) -> String {
    format!("{percent:.0} %")
}

fn describe(pair: &OverlapPoint) -> String {
    let number = |name| pair.point.number(name).unwrap_or(0);
    let way = pair.point.separation().map_or_else(String::new, |way| format!(", {way}"));
    format!("{}, {} doubles{way}", panto_units::bytes(number(param::BYTES)), number(param::LENGTH))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(bytes: u64, percent: f64, model: f64) -> OverlapPoint {
        let point = Point::new(2).with(param::BYTES, bytes).with(param::LENGTH, 100);
        let measured = OverlapGain { percent, low: percent - 2.0, high: percent + 2.0 };
        OverlapPoint { point, measured, model: Some(model) }
    }

    #[test]
    fn the_note_has_the_direction_of_the_error() {
        assert_eq!(note(&[pair(8, 20.0, 29.0), pair(64, 0.0, 5.0)]), None);
        let text = note(&[pair(8, 20.0, 32.0), pair(64, 5.0, 45.0)]).unwrap();
        for words in ["too fast", "5 % of the time at 64B", "45 % on the model", "by 42 %", "2 of 2 points"] {
            assert!(text.contains(words), "no `{words}` in {text}");
        }
        assert!(note(&[pair(8, 50.0, 10.0)]).unwrap().contains("too slow"));
    }
}
