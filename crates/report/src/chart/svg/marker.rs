//! Shapes of markers.

use crate::markup::{Markup, Tag, number};

/// Whether a marker is filled, or shows the background.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Fill {
    Solid,
    Hollow,
}

/// Draws the marker `shape` at each of the positions in the current colour.
pub(super) fn draw(m: &mut Markup, shape: usize, places: &[(f64, f64)], fill: Fill) {
    if places.is_empty() {
        return;
    }
    let is_disc = shape == 0 && fill == Fill::Solid;
    let outline = if is_disc { DOT } else { outline(shape) };
    let around = |path: String, &(x, y): &(f64, f64)| path + "M" + &number(x) + "," + &number(y) + outline;
    let path = places.iter().fold(String::new(), around);
    let tag = Tag::new("path").attr("d", &path).attr("stroke", "currentColor");
    m.empty(&match fill {
        Fill::Solid if is_disc => tag.attr("stroke-width", "6.8").attr("stroke-linecap", "round"),
        Fill::Solid => tag.attr("stroke-width", "1.4").attr("fill", "currentColor"),
        Fill::Hollow => tag.attr("stroke-width", "1.4").attr("class", "hollow").attr("fill", "#ffffff"),
    });
}

/// A disc is a zero-length line with round caps: the shortest marker to write, and the most
/// frequent.
const DOT: &str = "h0";

/// Returns the outline of a marker as a relative path from its centre; all have about equal weight.
fn outline(shape: usize) -> &'static str {
    match shape {
        0 => "m-2.7,0a2.7,2.7 0 1 0 5.4,0a2.7,2.7 0 1 0 -5.4,0z",
        1 => "m-2.4,-2.4h4.8v4.8h-4.8z",
        2 => "m0,-3.3l3.2,5.4h-6.4z",
        3 => "m0,-3.5l3.5,3.5l-3.5,3.5l-3.5,-3.5z",
        4 => "m0,3.3l3.2,-5.4h-6.4z",
        5 => "m-2.7,-2.7l5.4,5.4m0,-5.4l-5.4,5.4",
        6 => "m-3.4,0h6.8m-3.4,-3.4v6.8",
        _ => "m-3.2,0h6.4m-4.8,-2.8l3.2,5.6m0,-5.6l-3.2,5.6",
    }
}
