//! The iPSC/860 of the CoMet thesis (C20).

use panto_bench::{Kernel, Settings};
use panto_findings::overlap_gain;
use panto_machine::Machine;
use panto_results::{Record, param, variant};
use panto_stats::{Bandwidth, least_squares};
use panto_transport::simulated::Sharing;

use super::curves::{
    Points, against, at, beyond, curve, departure, is_variant, least, median, most, ratios, regimes,
};
use super::{Evaluated, Figures, Line, Plot, Workbench, builtin};
use crate::error::{Error, Result};

/// The message size in bytes at which the protocol changes.
const JUMP: f64 = 100.0;
/// Nodes of the thesis's machine.
const NODES: usize = 16;
/// Numbers of nodes that the thesis uses for the broadcast.
const PARTS: [usize; 3] = [4, 8, 16];
/// Numbers of nodes that the thesis uses for reduction and barrier.
const ALL_PARTS: [usize; 4] = [2, 4, 8, 16];
/// Orders of the matrix; from the first one, its edges and lines are longer than 100 bytes.
const DIMS: [u64; 8] = [64, 128, 192, 256, 320, 384, 448, 512];
/// Bytes of the large message of the overlap experiment.
const LARGE: u64 = 85_000;

/// The largest message size in bytes that the least-squares line is fitted to. The thesis does not
/// state its own; its bandwidths are plotted to 5,000 bytes and beyond.
const FITTED: f64 = 10_000.0;

/// Returns message sizes in bytes: every byte around the change of protocol, both sides of the
/// other jumps, and up to several pages.
fn sizes() -> Vec<u64> {
    let small = (0..=96).step_by(4).chain(98..=104).chain((110..=250).step_by(10));
    let middle = [300, 400, 500, 600, 700, 800, 1_000, 1_250, 1_500, 1_750, 2_000, 2_048];
    let jumps = [2_049, 2_250, 2_500, 3_000, 3_500, 4_000, 4_096, 4_097, 4_500, 5_000, 6_000, 7_000, 8_000];
    let large = [10_000, 16_384, 32_768, 65_536];
    small.chain(middle).chain(jumps).chain(large).collect()
}

pub(super) fn evaluate(figures: &Figures, model: Sharing) -> Result<(Machine, Evaluated)> {
    let bench = Workbench::new(builtin("ipsc860", &[])?, model);
    let mut all = Evaluated::default();
    for part in [echo, exchange, broadcast, collectives, contention, overlap, matrix] {
        let (values, plots) = part(&bench, figures)?;
        all.0.extend(values);
        all.1.extend(plots);
    }
    Ok((bench.machine().clone(), all))
}

fn plot(kernel: Kernel, records: Vec<Record>) -> Plot {
    Plot { kernel: kernel.to_string(), records, times: Vec::new(), rates: Vec::new() }
}

fn pair_settings(bench: &Workbench, hops: &[u64]) -> Settings {
    Settings { sizes: Some(sizes()), hops: Some(hops.to_vec()), ..bench.settings(&[NODES]) }
}

fn echo(bench: &Workbench, figures: &Figures) -> Result<Evaluated> {
    let records = bench.simulate(Kernel::Echo, &pair_settings(bench, &[1, 4]))?;
    let over = |hops| curve(&records, param::BYTES, at(param::HOPS, hops));
    let (near, far) = (over(1), over(4));
    let fit = regimes(&near)?;
    let first = fit.segments[0];
    let fitted: Points = beyond(&near, JUMP).into_iter().filter(|point| point.0 <= FITTED).collect();
    let long = least_squares(&fitted)?.line;
    let bandwidth = Bandwidth::of(&near)?;
    let values = vec![
        ("startup-short", first.intercept),
        ("byte-short", first.slope),
        ("startup-long", long.intercept),
        ("byte-long", long.slope),
        ("jump", first.to_x),
        ("jumps", (fit.segments.len() - 1) as f64),
        ("hop", each_hop(&beyond(&near, JUMP), &beyond(&far, JUMP))?),
        ("peak", bandwidth.peak),
        ("half", bandwidth.half_size),
        ("ninety", bandwidth.ninety_size),
    ];
    Ok((values, vec![Plot { times: lines(figures)?, rates: rates(figures)?, ..plot(Kernel::Echo, records) }]))
}

/// Returns the seconds per additional hop: the far path has four hops, three more than the near
/// one.
fn each_hop(near: &[(f64, f64)], far: &[(f64, f64)]) -> Result<f64> {
    let further: Vec<f64> = near.iter().zip(far).map(|(near, far)| (far.1 - near.1) / 3.0).collect();
    median(&further)
}

/// Returns the two published lines, one per protocol.
fn lines(figures: &Figures) -> Result<Vec<Line>> {
    let line = |name: &str, startup: &str, byte: &str, from: f64, to: f64| {
        let (startup, byte) = (figures.si(startup)?, figures.si(byte)?);
        let points = sizes().into_iter().map(|size| size as f64).filter(|size| (from..=to).contains(size));
        Ok::<_, Error>(Line {
            name: name.into(),
            points: points.map(|size| (size, startup + byte * size)).collect(),
        })
    };
    Ok(vec![
        line("published, up to 100 bytes", "startup-short", "byte-short", 0.0, JUMP)?,
        line("published, above", "startup-long", "byte-long", JUMP + 1.0, f64::INFINITY)?,
    ])
}

fn rates(figures: &Figures) -> Result<Vec<Line>> {
    let peak = figures.si("peak")?;
    let points = vec![(figures.si("half")?, peak / 2.0), (figures.si("ninety")?, 0.9 * peak)];
    Ok(vec![Line { name: "published, half and 90%".into(), points }])
}

fn exchange(bench: &Workbench, _: &Figures) -> Result<Evaluated> {
    let settings = pair_settings(bench, &[1]);
    let [echo, exchange] = [Kernel::Echo, Kernel::Exchange].map(|kernel| bench.simulate(kernel, &settings));
    let exchange = exchange?;
    let times = |records: &[Record]| beyond(&curve(records, param::BYTES, |_| true), 0.0);
    let round_trips =
        times(&echo?).into_iter().map(|(size, one_way)| (size, 2.0 * one_way)).collect::<Points>();
    let values = vec![("exchange", most(ratios(&round_trips, &times(&exchange))))];
    Ok((values, vec![plot(Kernel::Exchange, exchange)]))
}

fn broadcast(bench: &Workbench, _: &Figures) -> Result<Evaluated> {
    let settings = Settings { sizes: Some(sizes()), ..bench.settings(&PARTS) };
    let records = bench.simulate(Kernel::Broadcast, &settings)?;
    let whole = curve(&records, param::BYTES, |record| record.point.ranks == NODES);
    let by_ranks =
        |size| departure(&against(&curve(&records, param::RANKS, at(param::BYTES, size)), f64::log2));
    let values = vec![
        ("broadcast-jump", regimes(&whole)?.segments[0].to_x),
        ("broadcast-size", departure(&beyond(&whole, JUMP))?),
        ("broadcast-log", most(sizes().into_iter().map(by_ranks).collect::<Result<Vec<_>>>()?)),
    ];
    Ok((values, vec![plot(Kernel::Broadcast, records)]))
}

fn collectives(bench: &Workbench, _: &Figures) -> Result<Evaluated> {
    let one_double = Settings { lengths: Some(vec![1]), ..bench.settings(&ALL_PARTS) };
    let reduction = bench.simulate(Kernel::Reduction, &one_double)?;
    let barrier = bench.simulate(Kernel::Barrier, &bench.settings(&ALL_PARTS))?;
    let by_log = |records: &[Record]| departure(&against(&curve(records, param::RANKS, |_| true), f64::log2));
    let values = vec![("reduction-log", by_log(&reduction)?), ("barrier-log", by_log(&barrier)?)];
    Ok((values, vec![plot(Kernel::Reduction, reduction), plot(Kernel::Barrier, barrier)]))
}

fn contention(bench: &Workbench, _: &Figures) -> Result<Evaluated> {
    let settings = Settings { sizes: Some(sizes()), ..bench.settings(&[8]) };
    let records = bench.simulate(Kernel::Contention, &settings)?;
    let under = |load| curve(&records, param::BYTES, at(param::LOAD, load));
    let slower = |first: &[(f64, f64)], second: &[(f64, f64)]| {
        median(&ratios(first, second)).map(|ratio| (ratio - 1.0) * 100.0)
    };
    let (idle, half, heavy) = (under(0), under(50), under(90));
    let values = vec![("contention-50", slower(&idle, &half)?), ("contention-90", slower(&half, &heavy)?)];
    Ok((values, vec![plot(Kernel::Contention, records)]))
}

fn overlap(bench: &Workbench, _: &Figures) -> Result<Evaluated> {
    let settings = Settings {
        sizes: Some(vec![0, 2_536, LARGE]),
        lengths: Some((0..=200_000).step_by(20_000).chain([1_000, 5_000]).collect()),
        ..bench.settings(&[4])
    };
    let records = bench.simulate(Kernel::Overlap, &settings)?;
    let large = gains(&records, LARGE);
    let copy = large.iter().find(|(length, _)| *length == 0).map(|(_, gain)| *gain);
    let values = vec![
        ("overlap-large", most(large.iter().map(|(_, gain)| *gain))),
        ("overlap-tiny", most(gains(&records, 0).iter().map(|(_, gain)| *gain))),
        ("overlap-copy", copy.ok_or_else(|| Error::Curve("no vector of 0 elements was simulated".into()))?),
    ];
    Ok((values, vec![plot(Kernel::Overlap, records)]))
}

/// Returns the gain of overlapping in per cent, by vector length.
fn gains(records: &[Record], bytes: u64) -> Vec<(u64, f64)> {
    let of_size = at(param::BYTES, bytes);
    let blocking = records.iter().filter(|record| of_size(record) && is_variant(variant::BLOCKING)(record));
    let gain = |blocking: &Record| {
        let same = blocking.point.clone().with_text(param::VARIANT, variant::OVERLAPPED);
        let overlapped = records.iter().find(|record| record.point == same)?;
        Some((blocking.point.number(param::LENGTH)?, overlap_gain(blocking, overlapped)?.percent))
    };
    blocking.filter_map(gain).collect()
}

fn matrix(bench: &Workbench, _: &Figures) -> Result<Evaluated> {
    let settings = Settings { dims: Some(DIMS.to_vec()), ..bench.settings(&[NODES]) };
    let simulate = |kernel| bench.simulate(kernel, &settings);
    let (guard, shift, transpose) =
        (simulate(Kernel::Guard)?, simulate(Kernel::Shift)?, simulate(Kernel::Transpose)?);
    let (row, column) = (simulate(Kernel::RowBroadcast)?, simulate(Kernel::ColumnBroadcast)?);
    let by_dim = |records: &[Record]| curve(records, param::DIM, |_| true);
    let by_square = |records: &[Record], which| {
        departure(&against(&curve(records, param::DIM, is_variant(which)), |dim| dim * dim))
    };
    let slower = ratios(&by_dim(&row), &by_dim(&column)).into_iter().map(|ratio| (ratio - 1.0) * 100.0);
    let values = vec![
        ("guard-linear", departure(&by_dim(&guard))?),
        ("row-linear", departure(&by_dim(&row))?),
        ("column-linear", departure(&by_dim(&column))?),
        ("column-slower", least(slower)),
        ("shift-square", most([by_square(&shift, "north")?, by_square(&shift, "east")?])),
        ("transpose-square", by_square(&transpose, "exchange")?),
    ];
    let plots = [
        (Kernel::Guard, guard),
        (Kernel::Shift, shift),
        (Kernel::Transpose, transpose),
        (Kernel::RowBroadcast, row),
        (Kernel::ColumnBroadcast, column),
    ];
    Ok((values, plots.into_iter().map(|(kernel, records)| plot(kernel, records)).collect()))
}
