//! Tables as comma-separated values, quoted as in RFC 4180, section 2.

use std::borrow::Cow;

use super::{Column, Table};

pub(super) fn render(table: &Table) -> String {
    let header = record(table.columns.iter().map(Column::full_header));
    let rows = table.rows.iter().map(record);
    std::iter::once(header).chain(rows).collect()
}

fn record(cells: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let cells: Vec<String> = cells.into_iter().map(|cell| field(cell.as_ref()).into_owned()).collect();
    cells.join(",") + "\n"
}

fn field(text: &str) -> Cow<'_, str> {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text.into()
    }
}
