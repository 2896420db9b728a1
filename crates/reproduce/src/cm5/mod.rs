//! The published figures of the CM-5 and of its experiments (M8).

mod collectives;
mod messages;

use panto_bench::{Effort, Kernel, Settings};
use panto_machine::Machine;
use panto_results::{Record, param};
use panto_stats::{ResidueFit, least_absolute};
use panto_transport::simulated::Sharing;

use super::curves::{curve, distance, least};
use super::{Evaluated, Figures, Line, Plot, Workbench, builtin};
use crate::error::Result;

/// Bytes of data in a packet.
const PACKET: u64 = 16;

pub(super) fn evaluate(figures: &Figures, model: Sharing) -> Result<(Machine, Evaluated)> {
    let bench = Workbench::new(builtin("cm5", &[])?, model);
    let mut all = envelopes(&bench, figures)?;
    for part in [messages::paths, messages::sets, collectives::exchanges, collectives::broadcasts] {
        let (values, plots) = part(&bench)?;
        all.0.extend(values);
        all.1.extend(plots);
    }
    Ok((bench.machine().clone(), all))
}

fn plot(kernel: Kernel, records: Vec<Record>) -> Plot {
    Plot { kernel: kernel.to_string(), records, times: Vec::new(), rates: Vec::new() }
}

/// Returns settings with one sample per point, since a simulation without noise repeats its times.
fn once(bench: &Workbench, ranks: &[usize]) -> Settings {
    let settings = bench.settings(ranks);
    let effort = Effort { min_samples: 1, max_samples: 1, ..settings.effort.clone() };
    Settings { effort, ..settings }
}

fn envelopes(bench: &Workbench, figures: &Figures) -> Result<Evaluated> {
    let records = bench.simulate(Kernel::SimpleSend, &bench.settings(&[4]))?;
    let all = curve(&records, param::BYTES, |_| true);
    let edge = |full: bool| {
        let on_edge = |size: u64| size.is_multiple_of(PACKET) == full;
        curve(&records, param::BYTES, |record| record.point.number(param::BYTES).is_some_and(on_edge))
    };
    let (lower, upper) = (edge(true), edge(false));
    let (full, other) = (least_absolute(&lower)?, least_absolute(&upper)?);
    let found = ResidueFit::fit(&all)?.modulus.unwrap_or(1);
    let values = vec![
        ("latency", lower.first().map_or(f64::NAN, |point| point.1)),
        ("modulus", found as f64),
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
    Ok((values, vec![Plot { times, ..plot(Kernel::SimpleSend, records) }]))
}

fn published(name: &str, edge: &[(f64, f64)], startup: f64, byte: f64) -> Line {
    Line { name: name.into(), points: edge.iter().map(|&(size, _)| (size, startup + byte * size)).collect() }
}

/// Returns the least saving, in seconds, of padding a message to the next multiple of 16 bytes.
fn padding(lower: &[(f64, f64)], upper: &[(f64, f64)]) -> f64 {
    let padded = |size: f64| lower.iter().find(|point| point.0 > size).map(|point| point.1);
    least(upper.iter().filter_map(|&(size, time)| Some(time - padded(size)?)))
}
