//! Names come from command lines and third-party files. None may escape its context.

use crate::well_formed::assert_well_formed;
use panto_report::chart::{Axis, Chart, Point, Scale, Series, Style, Unit};
use panto_report::html::{Block, KeyFigure, Page, RawSamples, Section};
use panto_report::table::{Column, Table};

const NAMES: [&str; 7] = [
    "<script>alert(1)</script>",
    "\"><svg onload=alert(1)>",
    "a & b &amp; c &#x41;",
    "]]></style></title></desc>",
    "'quoted' \"twice\"",
    "control \u{0}\u{1b}[31m\u{8}\u{fffe} line\nbreak",
    "\u{6f22}\u{5b57} \u{202e}right to left\u{1f600}",
];

fn chart(name: &str) -> Chart {
    Chart::new(name, Axis::new(name, Scale::Log2, Unit::Bytes), Axis::new(name, Scale::Linear, Unit::Count))
        .subtitle(name)
        .note(name)
        .mark(2.0, name)
        .mark(1e9, name)
        .series(Series::new(name, Style::Dots, [Point::new(1.0, 1.0), Point::new(4.0, 2.0)]))
}

fn table(name: &str) -> Table {
    let mut table = Table::new([Column::text(name), Column::number(name).unit(name)]).caption(name);
    table.row([name, name]);
    table
}

fn page(name: &str) -> Page {
    let details = Block::Details { summary: name.into(), blocks: vec![Block::paragraph(name)] };
    let section = Section::new(name, name)
        .block(Block::paragraph(name))
        .block(Block::KeyFigures(vec![KeyFigure::new(name, name, name)]))
        .block(chart(name))
        .block(table(name))
        .block(details)
        .block(Block::Preformatted(name.into()));
    let page = Page::new(name, name).section(section.clone()).section(section);
    Page { raw: vec![RawSamples::new(&[1.0, 2.0], 10)], ..page }
}

#[test]
fn hostile_names_stay_text() {
    for name in NAMES {
        for text in [chart(name).to_svg(), table(name).to_html(), page(name).to_html()] {
            assert_well_formed(&text);
            assert!(!text.contains("<script>alert") && !text.contains("<svg onload"), "{text}");
        }
    }
}

#[test]
fn hostile_cells_stay_in_their_cell() {
    for name in NAMES {
        let table = table(name);
        assert_eq!(table.to_string().lines().count(), 5);
        assert!(table.to_string().chars().all(|c| c == '\n' || !c.is_control()));
        // Caption, an empty line, head, rule, row.
        assert_eq!(table.to_markdown().lines().count(), 5);
    }
}

#[test]
fn extreme_values_are_drawn_without_panic() {
    let values = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        1e-300,
        1e300,
        f64::MIN_POSITIVE,
        f64::MAX,
        f64::NAN,
        f64::INFINITY,
        1e99,
        1e-99,
    ];
    for scale in [Scale::Linear, Scale::Log2, Scale::Log10] {
        for unit in [Unit::Seconds, Unit::Bytes, Unit::BytesPerSecond, Unit::Count, Unit::Percent] {
            let points = values.iter().flat_map(|&x| values.map(|y| Point::with_interval(x, y, x, y)));
            let chart = Chart::new("", Axis::new("", scale, unit), Axis::new("", scale, unit));
            let svg = chart.series(Series::line("extreme", points)).to_svg();
            assert_well_formed(&svg);
            assert!(!svg.contains("\"NaN") && !svg.contains(",NaN"));
        }
    }
}
