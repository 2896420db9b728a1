//! Tables for GitHub-flavoured Markdown, padded so that the source reads well too.

use panto_units::is_control;

use super::{Align, Column, Table};

pub(super) fn render(table: &Table) -> String {
    let rows: Vec<Vec<String>> = std::iter::once(table.columns.iter().map(Column::full_header).collect())
        .chain(table.rows.iter().cloned())
        .map(|row: Vec<String>| row.iter().map(|cell| escape(cell)).collect())
        .collect();
    let widths: Vec<usize> = (0..table.columns.len()).map(|i| width(&rows, i)).collect();
    let mut lines: Vec<String> = rows.iter().map(|row| line(row, table, &widths)).collect();
    lines.insert(1, rule(table, &widths));
    let caption = table.caption.as_deref().map(|text| format!("{}\n\n", escape(text))).unwrap_or_default();
    caption + &lines.concat()
}

fn width(rows: &[Vec<String>], column: usize) -> usize {
    rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0).max(3)
}

fn line(row: &[String], table: &Table, widths: &[usize]) -> String {
    let cells = row.iter().zip(&table.columns).zip(widths);
    let padded = cells.map(|((cell, column), &width)| match column.align {
        Align::Left => format!("{cell:<width$}"),
        Align::Right | Align::Decimal => format!("{cell:>width$}"),
    });
    format!("| {} |\n", padded.collect::<Vec<_>>().join(" | "))
}

fn rule(table: &Table, widths: &[usize]) -> String {
    let cells = table.columns.iter().zip(widths).map(|(column, width)| match column.align {
        Align::Left => "-".repeat(*width),
        Align::Right | Align::Decimal => "-".repeat(width - 1) + ":",
    });
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

/// Escapes a cell, which is text and not Markdown: `|` would begin a new cell, `<` an element, `*`
/// an emphasis.
fn escape(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, c| {
        match c {
            '\\' | '|' | '<' | '>' | '*' | '_' | '`' | '[' | ']' | '&' => out.extend(['\\', c]),
            c if is_control(c) => out.push(' '),
            c => out.push(c),
        }
        out
    })
}
