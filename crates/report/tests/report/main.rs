//! What people read, as snapshots, and what holds for every drawing.

mod charts;
mod hostile;
mod pages;
mod present;
mod tables;
mod well_formed;

/// The text without style sheets: they are long, and no snapshot of them tells whether they look good.
fn without_style(text: &str) -> String {
    match (text.find("<style>"), text.find("</style>")) {
        (Some(start), Some(end)) => format!("{}{}", &text[..start + 7], &text[end..]),
        _ => text.to_string(),
    }
}
