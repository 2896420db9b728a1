//! Tables of text: aligned for terminals, and as CSV, Markdown and HTML.

use std::fmt;

mod csv;
mod decimal;
mod html;
mod markdown;
mod text;

pub(crate) use html::style_sheet;

/// Where the cells of a column stand.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Align {
    /// At the left edge: names.
    Left,
    /// At the right edge.
    Right,
    /// With the decimal points below each other: numbers.
    Decimal,
}

/// The head of a column.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Column {
    /// What the column holds.
    pub header: String,
    /// The unit of all its cells, on a line of its own below the header.
    pub unit: Option<String>,
    /// Where its cells stand.
    pub align: Align,
}

/// Columns and rows of cells. Every row has a cell for each column.
///
/// ```
/// use panto_report::table::{Column, Table};
/// let mut table = Table::new([Column::text("size"), Column::number("time").unit("us")]);
/// table.row(["1KiB", "1.5"]).row(["1MiB", "120.25"]);
/// assert_eq!(table.to_string(), "\
/// size    time
///           us
/// ----  ------
/// 1KiB    1.5
/// 1MiB  120.25
/// ");
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Table {
    caption: Option<String>,
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Column {
    /// A column of names, at the left edge.
    pub fn text(header: impl Into<String>) -> Self {
        Self { header: header.into(), unit: None, align: Align::Left }
    }

    /// A column of numbers, with the decimal points below each other.
    pub fn number(header: impl Into<String>) -> Self {
        Self { align: Align::Decimal, ..Self::text(header) }
    }

    /// A column at the right edge: quantities that bring their own units, such as `64KiB`.
    pub fn right(header: impl Into<String>) -> Self {
        Self { align: Align::Right, ..Self::text(header) }
    }

    /// The same column with a unit for all cells.
    #[must_use]
    pub fn unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = Some(unit.into());
        self
    }

    /// Header and unit on one line.
    fn full_header(&self) -> String {
        match &self.unit {
            Some(unit) => format!("{} ({unit})", self.header),
            None => self.header.clone(),
        }
    }
}

impl Table {
    /// A table without rows.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self { caption: None, columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// The same table with a caption: a line above the text, a `<caption>` in HTML.
    #[must_use]
    pub fn caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = Some(caption.into());
        self
    }

    /// Adds a row.
    ///
    /// # Panics
    ///
    /// If there is not one cell for each column: a bug of the caller that would otherwise shift numbers below
    /// the wrong header.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) -> &mut Self {
        let cells: Vec<String> = cells.into_iter().map(Into::into).collect();
        assert_eq!(cells.len(), self.columns.len(), "a row needs one cell for each column");
        self.rows.push(cells);
        self
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The rows, in order.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// Comma-separated values with a header line, quoted as RFC 4180 asks. Lines end with a line feed alone,
    /// which every reader takes and line-based tools prefer. The caption is left out.
    pub fn to_csv(&self) -> String {
        csv::render(self)
    }

    /// A table for GitHub-flavoured Markdown.
    pub fn to_markdown(&self) -> String {
        markdown::render(self)
    }

    /// A `<table>` with a caption, and header cells that say what they are headers of.
    pub fn to_html(&self) -> String {
        html::render(self)
    }

    pub(crate) fn caption_text(&self) -> Option<&str> {
        self.caption.as_deref()
    }

    fn column_cells(&self, column: usize) -> impl Iterator<Item = &str> {
        self.rows.iter().map(move |row| row[column].as_str())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::render(self))
    }
}
