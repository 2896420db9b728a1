//! The shapes of markers.

use crate::markup::{Markup, Tag, number};

/// Whether a marker is filled, or shows the paper.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Fill {
    Solid,
    Hollow,
}

/// Draws the marker number `shape` around a place in the current colour.
pub(super) fn draw(m: &mut Markup, shape: usize, (x, y): (f64, f64), fill: Fill) {
    let path = format!("M{},{}{}", number(x), number(y), outline(shape));
    let tag = Tag::new("path").attr("d", &path).attr("stroke", "currentColor").attr("stroke-width", "1.4");
    m.empty(&match fill {
        Fill::Solid => tag.attr("fill", "currentColor"),
        Fill::Hollow => tag.attr("class", "hollow").attr("fill", "#ffffff"),
    });
}

/// Relative paths from the middle of the marker, of about equal weight.
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
