//! Renders a figure as SVG.

mod axes;
mod captions;
mod chart_layout;
mod curves;
mod describe;
mod marker;
mod marks;
mod names;
mod sizes;

use super::Figure;
use super::palette::{Appearances, PAPER, style_sheet, without_colors};
use crate::markup::{Markup, Tag, number};
use chart_layout::ChartLayout;
use sizes::{MARGIN, WIDTH};

const FONTS: &str = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

/// Returns the figure as a file: with namespace, style sheet, fonts and background.
pub(super) fn standalone(figure: &Figure) -> String {
    let (body, height) = drawing(figure, None);
    let mut m = Markup::default();
    let root = root(figure, height).attr("font-family", FONTS);
    m.open(&root.attr("xmlns", "http://www.w3.org/2000/svg"));
    head(&mut m, figure);
    m.wrapped(&Tag::new("style"), &style_sheet());
    m.empty(
        &PAPER.on(Tag::new("rect")).attr("width", "100%").attr("height", "100%").attr("fill", "currentColor"),
    );
    m.raw(&body);
    m.finish()
}

/// Returns the figure for a page that includes the style sheet. Beside `labelled`, another drawing
/// of the same figure with title and tooltips, it is the drawing alone.
pub(crate) fn inline(figure: &Figure, labelled: Option<&Figure>) -> String {
    let (body, height) = drawing(figure, labelled);
    let mut m = Markup::default();
    m.open(&root(figure, height));
    if labelled.is_none() {
        head(&mut m, figure);
    }
    m.raw(&without_colors(&body));
    m.finish()
}

fn root(figure: &Figure, height: f64) -> Tag {
    Tag::new("svg")
        .attr("class", "panto-figure")
        .attr("role", "img")
        .attr("aria-label", &describe::title(figure))
        .attr("viewBox", &format!("0 0 {} {}", number(WIDTH), number(height)))
        .num("width", WIDTH)
        .num("height", height)
        .attr("fill", "currentColor")
}

fn head(m: &mut Markup, figure: &Figure) {
    m.text(&Tag::new("title"), &describe::title(figure));
    m.text(&Tag::new("desc"), &describe::description(figure));
}

/// Returns the drawing and its height.
fn drawing(figure: &Figure, labelled: Option<&Figure>) -> (String, f64) {
    let appearances = Appearances::of(figure);
    let mut m = Markup::default();
    let (layouts, labelled) = (ChartLayout::all(figure), labelled.map(ChartLayout::all));
    for (place, layout) in layouts.iter().enumerate() {
        draw(&mut m, layout, &appearances, labelled.as_ref().and_then(|labelled| labelled.get(place)));
    }
    let bottom = layouts.last().map_or(0.0, |layout| layout.frame.end);
    (m.finish(), bottom + MARGIN)
}

fn draw(m: &mut Markup, layout: &ChartLayout, appearances: &Appearances, labelled: Option<&ChartLayout>) {
    m.open(&Tag::new("g"));
    captions::above(m, layout);
    if layout.data.is_empty() {
        captions::no_data(m, layout);
    } else {
        axes::draw(m, layout);
        marks::draw(m, layout);
        curves::draw(m, layout, appearances, labelled);
        names::draw(m, layout, appearances);
    }
    captions::below(m, layout);
    m.close();
}
