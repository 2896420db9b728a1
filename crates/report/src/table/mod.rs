//! Tables of text: aligned for terminals, and as CSV, Markdown and HTML.

use std::fmt;

mod csv;
mod decimal;
mod html;
mod markdown;
mod text;

pub(crate) use html::style_sheet;

/// Alignment of a column.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Align {
    /// Left: names.
    Left,
    /// Right.
    Right,
    /// At the decimal point: numbers.
    Decimal,
}

/// Heading of a column.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Column {
    /// Name of the column.
    pub header: String,
    /// Unit of all its cells, on a line of its own below the name.
    pub unit: Option<String>,
    /// Alignment of its cells.
    pub align: Align,
}

/// Columns and rows of cells. Every row has one cell per column.
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
    /// Creates a left-aligned column of names.
    pub fn text(header: impl Into<String>) -> Self {
        Self { header: header.into(), unit: None, align: Align::Left }
    }

    /// Creates a column of numbers aligned at the decimal point.
    pub fn number(header: impl Into<String>) -> Self {
        Self { align: Align::Decimal, ..Self::text(header) }
    }

    /// Creates a right-aligned column: quantities with their own units, such as `64KiB`.
    pub fn right(header: impl Into<String>) -> Self {
        Self { align: Align::Right, ..Self::text(header) }
    }

    /// Sets the unit of all cells.
    #[must_use]
    pub fn unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = Some(unit.into());
        self
    }

    /// Returns name and unit on one line.
    fn full_header(&self) -> String {
        match &self.unit {
            Some(unit) => format!("{} ({unit})", self.header),
            None => self.header.clone(),
        }
    }
}

impl Table {
    /// Creates a table without rows.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self { caption: None, columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Sets the caption: a line above the text, a `<caption>` in HTML.
    #[must_use]
    pub fn caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = Some(caption.into());
        self
    }

    /// Adds a row.
    ///
    /// # Panics
    ///
    /// If the number of cells differs from the number of columns: a bug of the caller that would
    /// otherwise shift numbers below the wrong heading.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) -> &mut Self {
        let cells: Vec<String> = cells.into_iter().map(Into::into).collect();
        assert_eq!(cells.len(), self.columns.len(), "a row needs one cell for each column");
        self.rows.push(cells);
        self
    }

    /// Returns the columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Returns the rows, in order.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// Returns comma-separated values with a header line, quoted as RFC 4180 requires. Lines end
    /// with a line feed alone, which every reader accepts and line-based tools prefer. The caption
    /// is omitted.
    pub fn to_csv(&self) -> String {
        csv::render(self)
    }

    /// Returns a table for GitHub-flavoured Markdown.
    pub fn to_markdown(&self) -> String {
        markdown::render(self)
    }

    /// Returns a `<table>` with a caption and scoped header cells.
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
