//! Tests of what readers see, as snapshots, and of invariants of every drawing.

mod charts;
mod hostile;
mod pages;
mod present;
mod reports;
mod saved;
mod tables;
mod well_formed;

/// Removes style sheets and scripts: they are long, and a snapshot of them proves nothing.
fn without_style(text: &str) -> String {
    let text = without(text, "script-src ", "; connect-src");
    without(&without(&text, "<style>", "</style>"), "<script>", "</script>")
}

fn without(text: &str, open: &str, close: &str) -> String {
    match (text.find(open), text.rfind(close)) {
        (Some(start), Some(end)) => format!("{}{}", &text[..start + open.len()], &text[end..]),
        _ => text.to_string(),
    }
}
