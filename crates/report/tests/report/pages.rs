//! Tests of pages.

use crate::well_formed::assert_well_formed;
use crate::without_style;
use insta::assert_snapshot;
use panto_report::chart::{Axis, Chart, Point, Scale, Series, Unit};
use panto_report::html::{Block, KeyFigure, Page, Section};
use panto_report::table::{Column, Table};
use panto_view::{Fragment, Policy};

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
    let cards = Block::KeyFigures(vec![
        KeyFigure::new("start-up", "1.53us", "tcp"),
        KeyFigure::new("ranks", "2", ""),
    ]);
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

/// Neither style nor script runs that the page does not name by its hash, also those of parts.
#[test]
fn pages_run_their_own_scripts_only() {
    let part = Fragment {
        markup: "<style>p{}</style><script>part()</script>".into(),
        policy: Policy::default().style("p{}").script("part()"),
    };
    let hidden = Block::Details { summary: "Part".into(), blocks: vec![Block::Embedded(part)] };
    let html = page().section(Section::new("c", "C").block(chart()).block(hidden)).to_html();
    let contents = |name: &str| -> Vec<String> {
        let (start, end) = (format!("<{name}>"), format!("</{name}>"));
        html.split(&start).skip(1).map(|rest| rest.split(&end).next().unwrap_or_default().into()).collect()
    };
    let (scripts, styles) = (contents("script"), contents("style"));
    assert_eq!((scripts.len(), styles.len()), (2, 2));
    let policy = scripts.iter().fold(Policy::default(), |policy, script| policy.script(script));
    let policy = styles.iter().fold(policy, |policy, style| policy.style(style)).to_string();
    assert!(html.contains(&policy.replace('\'', "&#39;")), "{policy}");
    assert!(!html.contains("unsafe-") && !html.contains(" style=\""));
}

#[test]
fn pages_load_nothing() {
    let html = page().section(Section::new("c", "C").block(chart())).to_html();
    assert!(html.contains("default-src 'none'") || html.contains("default-src &#39;none&#39;"), "a policy");
    // The SVG namespace is not an address that is requested.
    let html = html.replace("http://www.w3.org/2000/svg", "");
    for needle in ["http://", "https://", "url(", "@import", " src=", "fetch(", "XMLHttpRequest", "import("] {
        assert!(!html.contains(needle), "{needle}");
    }
    assert_eq!(html.matches("<script>").count(), 1);
}

#[test]
fn a_figure_with_a_wide_range_has_both_scales() {
    let axis = |scale| Axis::new("n", scale, Unit::Count);
    let with = |scale, last: f64| {
        let points = [Point::new(1.0, 1.0), Point::new(2.0, last)];
        Chart::new("Chart", axis(Scale::Linear), axis(scale)).series(Series::line("a", points))
    };
    let html = |chart: Chart| Page::new("t", "").section(Section::new("a", "A").block(chart)).to_html();
    let wide = html(with(Scale::Log10, 100.0));
    assert_eq!(
        (wide.matches("<svg class=\"panto-figure\"").count(), wide.matches("type=\"radio\"").count()),
        (2, 2)
    );
    assert_well_formed(&wide);
    let (points, told) = (wide.matches("<circle").count(), wide.matches("</title></circle>").count());
    assert_eq!((points, told), (4, 2), "the text of a point is in the page once");
    let (log, linear) = (wide.find(">logarithmic</label>"), wide.find(">linear</label>"));
    assert!(log < linear && log.is_some(), "the figure's own scale comes first");
    assert_eq!(html(with(Scale::Linear, 100.0)).matches("type=\"radio\"").count(), 2);
    for flat in [with(Scale::Linear, 1.5), with(Scale::Linear, -1.0), with(Scale::Linear, 0.0)] {
        assert_eq!(html(flat).matches("type=\"radio\"").count(), 0, "no choice of scales");
    }
}

#[test]
fn figures_in_a_page_have_no_style_sheets() {
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
