//! Tests of the figures of kernels.

use std::fmt::Write as _;

use insta::assert_snapshot;
use panto_report::chart::{Chart, Figure, Scale, Series};
use panto_report::present::figure;
use panto_results::{Point, Record, param};
use panto_testkit::records::record;

use super::records::{
    barrier, broadcast, contention, echo, exchange, handler, io, manifest, overlap, reduction, transpose,
};

/// Returns the content of a figure without its drawing.
fn outline(figure: &Figure) -> String {
    figure.charts.iter().fold(String::new(), |text, chart| text + &chart_outline(chart))
}

fn chart_outline(chart: &Chart) -> String {
    let Chart { title, subtitle, x, y, .. } = chart;
    let mut text = format!("{title}\n  {subtitle}\n");
    let _ = writeln!(text, "  x: {} ({:?}), y: {} ({:?})", x.label, x.scale, y.label, y.scale);
    for series in &chart.series {
        let ends = [series.points.first(), series.points.last()].map(|point| point.map_or(f64::NAN, |p| p.x));
        let _ = writeln!(
            text,
            "  - {}: {} points from {} to {}",
            series.name,
            series.points.len(),
            ends[0],
            ends[1]
        );
    }
    chart.notes.iter().for_each(|note| {
        let _ = writeln!(text, "  note: {note}");
    });
    text
}

fn all() -> Vec<Record> {
    let matrix = [transpose(), io()].concat();
    let pairs = [echo(3, 22), exchange(), contention(), overlap(), handler()].concat();
    [pairs, broadcast(20), reduction(), barrier(), matrix].concat()
}

#[test]
fn every_kernel_has_its_figure() {
    let records = all();
    let mut kernels: Vec<&str> = records.iter().map(|record| record.kernel.as_str()).collect();
    kernels.dedup();
    let outlines: Vec<String> =
        kernels.iter().map(|kernel| outline(&figure(kernel, &records, None))).collect();
    assert_snapshot!(outlines.join("\n"));
}

#[test]
fn broadcasts_and_reductions_have_a_chart_against_the_ranks() {
    for (kernel, axis) in [("comet/broadcast", param::BYTES), ("comet/reduction", param::LENGTH)] {
        let times = |counts: &[usize]| -> Vec<Record> {
            let point = |ranks: usize, size| Point::new(ranks).with(axis, size);
            let nanos = |ranks: usize| 1e3 * (ranks as f64).log2();
            let all = counts.iter().flat_map(|&ranks| [8, 1_000].map(|size| (ranks, size)));
            all.map(|(ranks, size)| record(kernel, point(ranks, size), nanos(ranks))).collect()
        };
        let charts = figure(kernel, &times(&[2, 4, 8]), None).charts;
        let last = charts.last().expect("charts");
        assert!(last.title.ends_with("time against number of ranks"), "{}", last.title);
        let places = |series: &Series| series.points.iter().map(|point| point.x).collect::<Vec<_>>();
        assert_eq!(last.series.iter().map(places).collect::<Vec<_>>(), [[2.0, 4.0, 8.0]; 2]);
        let two = figure(kernel, &times(&[2, 4]), None).charts;
        assert!(two.iter().all(|chart| !chart.title.contains("number of ranks")));
    }
}

#[test]
fn a_manifest_is_named_once() {
    let figure = figure("comet/echo", &echo(1, 4), Some(&manifest()));
    assert!(figure.charts[0].subtitle.ends_with("threads on bench-7 (Example CPU @ 2.40GHz, 4 cores)"));
    assert!(!figure.charts[1].subtitle.contains("bench-7"));
}

#[test]
fn size_zero_has_a_time_but_no_bandwidth() {
    let figure = figure("comet/echo", &echo(0, 4), None);
    let first = |chart: &Chart| chart.series[0].points[0].x;
    assert_eq!((first(&figure.charts[0]), first(&figure.charts[1])), (0.0, 1.0));
}

#[test]
fn launches_of_the_same_point_are_one_point() {
    let slower = |mut record: Record| {
        record.samples_ns.iter_mut().for_each(|nanos| *nanos *= 3.0);
        record
    };
    let records = [barrier(), barrier().into_iter().map(slower).collect()].concat();
    let point = figure("comet/barrier", &records, None).charts[0].series[0].points[0];
    assert!(point.high > 2.9 * point.low, "{point:?}");
    assert!((point.y / f64::midpoint(point.low, point.high) - 1.0).abs() < 0.1, "{point:?}");
}

#[test]
fn algorithms_are_curves_where_they_compete() {
    let with = |algorithm: &str| {
        let named = |record: Record| Record { algorithm: Some(algorithm.into()), ..record };
        barrier().into_iter().map(named).collect::<Vec<_>>()
    };
    let records = [with("tree"), with("dissemination")].concat();
    let figure = figure("comet/barrier", &records, None);
    let names: Vec<&str> = figure.charts[0].series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(names, ["dissemination", "dissemination, minimum", "tree", "tree, minimum"]);
}

#[test]
fn too_many_curves_are_thinned() {
    let figure = figure("comet/echo", &echo(20, 2), None);
    assert_eq!(figure.charts[0].series.len(), 8);
    assert_eq!(figure.charts[0].notes, ["Showing 8 of 21 curves."]);
}

#[test]
fn a_kernel_without_records_is_an_empty_figure() {
    let figure = figure("comet/shift", &[], None);
    assert!(figure.charts.iter().all(|chart| chart.series.is_empty() && chart.x.scale == Scale::Linear));
    assert!(figure.to_svg().starts_with("<svg"));
}
