//! Drawings of one row: linear arrays, rings, stars, buses.

use super::{label, shown};

/// A linear array, as in `0 ─ 1 ─ 2`.
pub(super) fn chain(n: u32) -> String {
    shown(n, 10).into_iter().map(label).collect::<Vec<_>>().join(" ─ ")
}

/// A ring: a chain whose ends are joined below it.
pub(super) fn ring(n: u32) -> Vec<String> {
    let chain = chain(n);
    if n < 3 {
        return vec![chain];
    }
    let width = chain.chars().count() + 4;
    vec![format!("┌─ {chain} ─┐"), format!("└{}┘", "─".repeat(width))]
}

/// Processors on a named switch, or on a bus.
pub(super) fn hanging(n: u32, switch: Option<&str>) -> Vec<String> {
    let labels: Vec<String> = shown(n, 10).into_iter().map(label).collect();
    let top = labels.join("   ");
    let mark = |text: &String| {
        let mark = if text == "..." { "" } else { "│" };
        format!("{mark:<width$}", width = text.len() + 3)
    };
    let below: String = labels.iter().map(mark).collect();
    let length = top.chars().count();
    let bottom = match switch {
        Some(name) => {
            let inside = format!(" {name} ");
            format!("[{inside:─^width$}]", width = length.max(inside.len() + 2) - 2)
        }
        None => "═".repeat(length),
    };
    vec![top, below, bottom]
}
