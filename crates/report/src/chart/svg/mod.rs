//! Rendering of a figure as SVG.

mod axes;
mod curves;
mod describe;
mod layout;
mod marker;
mod marks;
mod names;
mod sheet;
mod words;

use super::Figure;
use super::palette::{Looks, PAPER, style_sheet};
use crate::markup::{Markup, Tag, number};
use layout::{MARGIN, WIDTH};
use sheet::Sheet;

const FONTS: &str = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

/// The figure as a file: with a name space and a style sheet.
pub(super) fn standalone(figure: &Figure) -> String {
    let (body, height) = body(figure);
    let mut m = Markup::default();
    m.open(&root(figure, height).attr("xmlns", "http://www.w3.org/2000/svg"));
    head(&mut m, figure);
    m.wrapped(&Tag::new("style"), &style_sheet());
    m.raw(&body);
    m.finish()
}

/// The figure inside a page that brings the style sheet.
pub(crate) fn inline(figure: &Figure) -> String {
    let (body, height) = body(figure);
    let mut m = Markup::default();
    m.open(&root(figure, height));
    head(&mut m, figure);
    m.raw(&body);
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
        .attr("font-family", FONTS)
        .attr("fill", "currentColor")
}

fn head(m: &mut Markup, figure: &Figure) {
    m.text(&Tag::new("title"), &describe::title(figure));
    m.text(&Tag::new("desc"), &describe::description(figure));
}

/// The drawing and its height.
fn body(figure: &Figure) -> (String, f64) {
    let looks = Looks::of(figure);
    let mut m = Markup::default();
    m.empty(
        &PAPER.on(Tag::new("rect")).attr("width", "100%").attr("height", "100%").attr("fill", "currentColor"),
    );
    let sheets = Sheet::all(figure);
    for sheet in &sheets {
        draw(&mut m, sheet, &looks);
    }
    let bottom = sheets.last().map_or(0.0, |sheet| sheet.frame.end);
    (m.finish(), bottom + MARGIN)
}

fn draw(m: &mut Markup, sheet: &Sheet, looks: &Looks) {
    m.open(&Tag::new("g"));
    words::above(m, sheet);
    if sheet.data.is_empty() {
        words::no_data(m, sheet);
    } else {
        axes::draw(m, sheet);
        marks::draw(m, sheet);
        curves::draw(m, sheet, looks);
        names::draw(m, sheet, looks);
    }
    words::below(m, sheet);
    m.close();
}
