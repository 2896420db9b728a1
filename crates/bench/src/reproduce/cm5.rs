//! The CM-5, as far as CoMet's kernels show it (M8). Its own experiments have a suite of their own.

use panto_machine::Machine;
use panto_schedule::Algorithm;
use panto_stats::{least_absolute, least_squares};
use panto_transport::simulated::Model;

use super::laws::{Points, against, at, curve, distance, least, ratios, said};
use super::{Evaluated, Figures, Line, Plot, Workbench, builtin};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::point::param;
use crate::settings::Settings;

/// Links between two processors of a cluster: up to its switch and down.
const IN_A_CLUSTER: u64 = 2;
/// Data in a packet.
const PACKET: u64 = 16;
const LARGE: u64 = 2_048;

/// Byte by byte up to 100, then on to 10 KB on both edges.
fn sizes() -> Vec<u64> {
    let steps = (1..=20).map(|step| step * 31 * PACKET);
    (0..=100).chain(steps.flat_map(|full| [full - 9, full])).collect()
}

pub(super) fn evaluate(figures: &Figures, model: Model) -> Result<(Machine, Evaluated)> {
    let bench = Workbench::new(builtin("cm5", &[])?, model);
    let mut all = envelopes(&bench, figures)?;
    let (values, plots) = broadcasts(&bench)?;
    all.0.extend(values);
    all.1.extend(plots);
    Ok((bench.machine().clone(), all))
}

fn envelopes(bench: &Workbench, figures: &Figures) -> Result<Evaluated> {
    let settings = Settings { sizes: Some(sizes()), hops: Some(vec![IN_A_CLUSTER]), ..bench.settings(&[4]) };
    let records = bench.simulate(Kernel::Echo, &settings)?;
    let edge = |full: bool| {
        let on_edge = |size: u64| size.is_multiple_of(PACKET) == full;
        curve(&records, param::BYTES, |record| record.point.number(param::BYTES).is_some_and(on_edge))
    };
    let (lower, upper) = (edge(true), edge(false));
    let (full, other) = (least_absolute(&lower).map_err(said)?, least_absolute(&upper).map_err(said)?);
    let values = vec![
        ("latency", lower.first().map_or(f64::NAN, |point| point.1)),
        ("full-startup", full.intercept),
        ("full-byte", full.slope),
        ("other-first", other.at(1.0)),
        ("other-byte", other.slope),
        ("full-linear", distance(&lower, full)),
        ("other-linear", distance(&upper, other)),
        ("padding", padding(&lower, &upper)),
    ];
    let times = vec![
        published(
            "published, multiples of 16",
            &lower,
            figures.si("full-startup")?,
            figures.si("full-byte")?,
        ),
        // The paper counts the other sizes from their first byte.
        published(
            "published, other sizes",
            &upper,
            figures.si("other-first")? - figures.si("other-byte")?,
            figures.si("other-byte")?,
        ),
    ];
    let kernel = Kernel::Echo.to_string();
    Ok((values, vec![Plot { kernel, records, times, rates: Vec::new() }]))
}

fn published(name: &str, edge: &[(f64, f64)], startup: f64, byte: f64) -> Line {
    Line { name: name.into(), points: edge.iter().map(|&(size, _)| (size, startup + byte * size)).collect() }
}

/// What the next multiple of 16 takes less than a size between, at least.
fn padding(lower: &[(f64, f64)], upper: &[(f64, f64)]) -> f64 {
    let padded = |size: f64| lower.iter().find(|point| point.0 > size).map(|point| point.1);
    least(upper.iter().filter_map(|&(size, time)| Some(time - padded(size)?)))
}

fn broadcasts(bench: &Workbench) -> Result<Evaluated> {
    let sizes = vec![0, 16, 256, 512, 1_024, LARGE];
    let settings = |algorithm, ranks: &[usize]| Settings {
        sizes: Some(sizes.clone()),
        algorithm: Some(algorithm),
        closing_barrier: false,
        ..bench.settings(ranks)
    };
    let linear = bench.simulate(Kernel::Broadcast, &settings(Algorithm::Linear, &[32]))?;
    let recursive = bench
        .simulate(Kernel::Broadcast, &settings(Algorithm::RecursiveHalving, &[4, 8, 16, 32, 64, 128, 256]))?;
    let on_32 = |records| curve(records, param::BYTES, |record| record.point.ranks == 32);
    let added = |size| doubling(&curve(&recursive, "ranks", at(param::BYTES, size)));
    let values = vec![
        ("reb-lib", least(ratios(&on_32(&recursive), &on_32(&linear)))),
        ("reb-growth", added(LARGE)? / added(0)?),
    ];
    let records = recursive.into_iter().filter(|record| record.point.ranks == 32).chain(linear).collect();
    let kernel = Kernel::Broadcast.to_string();
    Ok((values, vec![Plot { kernel, records, times: Vec::new(), rates: Vec::new() }]))
}

/// What each doubling of the ranks adds.
fn doubling(by_ranks: &Points) -> Result<f64> {
    Ok(least_squares(&against(by_ranks, f64::log2)).map_err(said)?.line.slope)
}
