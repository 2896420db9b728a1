//! Pages.

use crate::well_formed::assert_well_formed;
use crate::without_style;
use insta::assert_snapshot;
use panto_report::chart::{Axis, Chart, Point, Scale, Series, Unit};
use panto_report::html::{Block, KeyFigure, Page, Section};
use panto_report::table::{Column, Table};

fn chart() -> Chart {
    let axis = || Axis::new("n", Scale::Linear, Unit::Count);
    Chart::new("Chart", axis(), axis()).series(Series::line("a", [Point::new(1.0, 1.0)]))
}

fn table() -> Table {
    let mut table = Table::new([Column::text("name"), Column::number("value")]).caption("Values");
    table.row(["a", "1.5"]).row(["b", "12"]);
    table
}

fn page() -> Page {
    let cards =
        Block::Figures(vec![KeyFigure::new("start-up", "1.53us", "tcp"), KeyFigure::new("ranks", "2", "")]);
    let details =
        Block::Details { summary: "More".into(), blocks: vec![Block::Preformatted("a  b\nc".into())] };
    Page::new("Report", "What was found.")
        .section(Section::new("summary", "Summary").block(cards).block(Block::paragraph("Text.")))
        .section(Section::new("data", "Data").block(table()).block(details))
}

#[test]
fn small_page() {
    let html = page().to_html();
    assert_well_formed(&html);
    assert_snapshot!(without_style(&html));
}

#[test]
fn pages_load_nothing_and_run_nothing() {
    let html = page().section(Section::new("c", "C").block(chart())).to_html();
    for needle in ["<script", "http://", "https://", "url(", "@import", " src="] {
        assert!(!html.contains(needle), "{needle}");
    }
}

#[test]
fn figures_bring_no_style_of_their_own_into_a_page() {
    let html = page().section(Section::new("c", "C").block(chart()).block(chart())).to_html();
    assert_eq!(html.matches("<style>").count(), 1);
    assert_eq!(html.matches("<svg class=\"panto-figure\"").count(), 2);
}

#[test]
fn all_ids_differ() {
    let section = || Section::new("a b", "Same");
    let html =
        Page::new("t", "").section(section()).section(section()).section(Section::new("main", "")).to_html();
    let mut ids: Vec<&str> = html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all, "{ids:?}");
    assert!(ids.contains(&"a-b") && ids.contains(&"a-b-2") && ids.contains(&"main-2"), "{ids:?}");
}

#[test]
fn one_section_needs_no_contents() {
    assert!(!Page::new("t", "").section(Section::new("a", "A")).to_html().contains("<nav"));
    assert_well_formed(&Page::default().to_html());
}
