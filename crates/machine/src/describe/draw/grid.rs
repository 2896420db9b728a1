//! Meshes and tori: a plane of the last two dimensions.

use super::{label, lines, shown};

pub(super) fn grid(extents: &[u32], torus: bool) -> Vec<String> {
    let long: Vec<u32> = extents.iter().copied().filter(|extent| *extent > 1).collect();
    match *long.as_slice() {
        [] => vec![lines::chain(1)],
        [n] if torus => lines::ring(n),
        [n] => vec![lines::chain(n)],
        [ref outer @ .., rows, columns] => {
            let mut lines = plane(rows, columns, torus, outer.is_empty());
            lines.extend(captions(outer, rows * columns, torus));
            lines
        }
    }
}

fn plane(rows: u32, columns: u32, torus: bool, alone: bool) -> Vec<String> {
    let rows_shown = shown(rows, if alone { 5 } else { 4 });
    let columns_shown = shown(columns, 7);
    let digits = (rows * columns - 1).to_string().len().max(if columns > 7 { 3 } else { 1 });
    let mut lines: Vec<String> = Vec::new();
    for row in rows_shown {
        let cells = columns_shown.iter().map(|column| {
            let text = match (row, column) {
                (Some(row), Some(column)) => (row * columns + column).to_string(),
                (None, _) => "·".to_owned(),
                (_, None) => label(None),
            };
            format!("{text:>digits$}")
        });
        let line = cells.collect::<Vec<_>>().join(if row.is_some() { " ─ " } else { "   " });
        let (before, behind) = if torus && row.is_some() { ("─ ", " ─") } else { ("  ", "") };
        if !lines.is_empty() {
            lines.push(between(&columns_shown, digits));
        }
        lines.push(format!("{before}{line}{behind}"));
    }
    if torus {
        lines.insert(0, between(&columns_shown, digits));
        lines.push(between(&columns_shown, digits));
    }
    lines
}

/// The links between two rows.
fn between(columns: &[Option<u32>], digits: usize) -> String {
    let mark = |column: &Option<u32>| format!("{:>digits$}", if column.is_some() { "│" } else { " " });
    format!("  {}", columns.iter().map(mark).collect::<Vec<_>>().join("   "))
}

fn captions(outer: &[u32], plane: u32, torus: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if !outer.is_empty() {
        let planes: u32 = outer.iter().product();
        let mut apart = plane;
        let mut strides: Vec<String> = Vec::new();
        for extent in outer.iter().rev() {
            strides.push(apart.to_string());
            apart *= extent;
        }
        let strides = strides.join(", ");
        lines
            .push(format!("one of {planes} such planes; links between them join processors {strides} apart"));
    }
    if torus {
        lines.push("wrap-around links join the ends of each line".to_owned());
    }
    lines
}
