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
use super::palette::{Looks, PAPER, style_sheet, without_colors};
use crate::markup::{Markup, Tag, number};
use layout::{MARGIN, WIDTH};
use sheet::Sheet;

const FONTS: &str = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

/// The figure as a file: with a name space, a style sheet, fonts and paper.
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

/// The figure inside a page that brings the style sheet. Beside another drawing of the same figure, which has told about it and its
/// points already, it is a drawing alone.
pub(crate) fn inline(figure: &Figure, told: Option<&Figure>) -> String {
    let (body, height) = drawing(figure, told);
    let mut m = Markup::default();
    m.open(&root(figure, height));
    if told.is_none() {
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

/// The drawing and its height.
fn drawing(figure: &Figure, told: Option<&Figure>) -> (String, f64) {
    let looks = Looks::of(figure);
    let mut m = Markup::default();
    let (sheets, told) = (Sheet::all(figure), told.map(Sheet::all));
    for (place, sheet) in sheets.iter().enumerate() {
        draw(&mut m, sheet, &looks, told.as_ref().and_then(|told| told.get(place)));
    }
    let bottom = sheets.last().map_or(0.0, |sheet| sheet.frame.end);
    (m.finish(), bottom + MARGIN)
}

fn draw(m: &mut Markup, sheet: &Sheet, looks: &Looks, told: Option<&Sheet>) {
    m.open(&Tag::new("g"));
    words::above(m, sheet);
    if sheet.data.is_empty() {
        words::no_data(m, sheet);
    } else {
        axes::draw(m, sheet);
        marks::draw(m, sheet);
        curves::draw(m, sheet, looks, told);
        names::draw(m, sheet, looks);
    }
    words::below(m, sheet);
    m.close();
}
