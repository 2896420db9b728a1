//! Tables as HTML. The style sheet is that of the page around it (`html/page.css`).

use super::decimal::{self, Widths};
use super::{Align, Column, Table};
use crate::markup::{Markup, Tag, escape};

pub(super) fn render(table: &Table) -> String {
    let mut m = Markup::default();
    m.open(&Tag::new("table"));
    if let Some(caption) = &table.caption {
        m.text(&Tag::new("caption"), caption);
    }
    head(&mut m, table);
    body(&mut m, table);
    m.finish()
}

fn head(m: &mut Markup, table: &Table) {
    m.open(&Tag::new("thead"));
    m.open(&Tag::new("tr"));
    for column in &table.columns {
        m.wrapped(&aligned(Tag::new("th").attr("scope", "col"), column.align), &header(column));
    }
    m.close();
    m.close();
}

fn header(column: &Column) -> String {
    let header = escape(&column.header);
    match &column.unit {
        Some(unit) => format!("{header} <span class=\"unit\">{}</span>", escape(unit)),
        None => header.into_owned(),
    }
}

fn body(m: &mut Markup, table: &Table) {
    let widths: Vec<Widths> =
        (0..table.columns.len()).map(|i| decimal::widths(table.column_cells(i))).collect();
    m.open(&Tag::new("tbody"));
    for row in &table.rows {
        m.open(&Tag::new("tr"));
        for (index, cell) in row.iter().enumerate() {
            let align = table.columns[index].align;
            m.wrapped(&aligned(cell_tag(index), align), &content(cell, align, widths[index]));
        }
        m.close();
    }
    m.close();
}

/// The first cell of a row names the row.
fn cell_tag(index: usize) -> Tag {
    if index == 0 { Tag::new("th").attr("scope", "row") } else { Tag::new("td") }
}

fn aligned(tag: Tag, align: Align) -> Tag {
    if align == Align::Left { tag } else { tag.attr("class", "num") }
}

fn content(cell: &str, align: Align, widths: Widths) -> String {
    let text = escape(cell);
    if align == Align::Decimal { format!("{text}{}", padding(cell, widths)) } else { text.into_owned() }
}

/// Spaces as wide as the digits and the point that are missing: no browser aligns on a character. Hidden
/// digits would do as well, until someone reads the page without its style sheet.
fn padding(cell: &str, widths: Widths) -> String {
    const FIGURE_SPACE: char = '\u{2007}';
    const PUNCTUATION_SPACE: char = '\u{2008}';
    let (_, after) = decimal::split(cell);
    let space = |index| if index == 0 && after.is_empty() { PUNCTUATION_SPACE } else { FIGURE_SPACE };
    (0..widths.after - after.chars().count()).map(space).collect()
}
