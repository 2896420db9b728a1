//! Tables as HTML. The style sheet is that of the surrounding page (`html/page.css`, and
//! [`style_sheet`]).

use std::fmt::Write as _;

use super::decimal::{self, Widths};
use super::{Align, Column, Table};
use crate::markup::{Markup, Tag, escape};

pub(super) fn render(table: &Table) -> String {
    let mut m = Markup::default();
    m.open(&Tag::new("table").attr("class", &classes(table)));
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
        m.wrapped(&Tag::new("th").attr("scope", "col"), &header(column));
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
            m.wrapped(&cell_tag(index), &content(cell, table.columns[index].align, widths[index]));
        }
        m.close();
    }
    m.close();
}

/// Returns the tag of a cell; the first cell of a row is its header.
fn cell_tag(index: usize) -> Tag {
    if index == 0 { Tag::new("th").attr("scope", "row") } else { Tag::new("td") }
}

/// Returns the classes of a table: which columns are numeric, and whether the last is text. A class
/// per cell would take more bytes than the numbers.
fn classes(table: &Table) -> String {
    let is_words = |column: &Column| column.align == Align::Left;
    let numbers = (1..).zip(&table.columns).filter(|(_, column)| !is_words(column));
    let mut classes: Vec<String> = numbers.map(|(place, _)| class(place)).collect();
    if table.columns.last().is_some_and(is_words) {
        classes.push("worded".into());
    }
    classes.dedup();
    classes.join(" ")
}

/// Returns the class of a table whose column at this position, counted from 1, is numeric.
fn class(place: usize) -> String {
    if place <= MAX_PLACES { format!("n{place}") } else { format!("from{MAX_PLACES}") }
}

/// Upper limit of columns with a class of their own. Wider tables are matrices of numbers: all
/// further columns are alike.
const MAX_PLACES: usize = 24;

/// Returns the rules that align numbers to the right.
pub(crate) fn style_sheet() -> String {
    let mut css = String::new();
    for place in 1..=MAX_PLACES {
        let _ = write!(css, ".n{place} tr>:nth-child({place}),");
    }
    let rest = format!(".from{MAX_PLACES} tr>:nth-child(n+{})", MAX_PLACES + 1);
    css + &rest + "{text-align:right;white-space:nowrap}\n"
}

fn content(cell: &str, align: Align, widths: Widths) -> String {
    let text = escape(cell);
    if align == Align::Decimal { format!("{text}{}", padding(cell, widths)) } else { text.into_owned() }
}

/// Returns spaces as wide as the missing digits and point, since browsers cannot align on a
/// character. Hidden digits would also work, but show without the style sheet.
fn padding(cell: &str, widths: Widths) -> String {
    const FIGURE_SPACE: char = '\u{2007}';
    const PUNCTUATION_SPACE: char = '\u{2008}';
    let (_, after) = decimal::split(cell);
    let space = |index| if index == 0 && after.is_empty() { PUNCTUATION_SPACE } else { FIGURE_SPACE };
    (0..widths.after - after.chars().count()).map(space).collect()
}
