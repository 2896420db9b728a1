//! Reports as one HTML file: no other files, no requests to the network.
//!
//! The page follows the reader's choice of light or dark, prints in light, fits narrow screens, and has its
//! headings in order, a list of contents, captions and scopes. A small script (`page.js`) adds what only a script can: values
//! under the pointer and the arrow keys, series that come and go, the raw samples of a point. Without it everything is there that
//! is not drawn from those.

mod raw;
mod render;

pub use raw::Raw;

use crate::chart;
use crate::table::Table;

/// A page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// The heading of the page and the title of its window.
    pub title: String,
    /// A paragraph that says what was found. May be empty.
    pub lead: String,
    /// The sections, in order. Two or more have a list of contents.
    pub sections: Vec<Section>,
    /// The raw samples that points of figures refer to by their number.
    pub raw: Vec<Raw>,
}

/// A part of a page with a heading.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// The anchor of the section. Characters that do not belong into an anchor are replaced; a second section
    /// of the same id gets a number.
    pub id: String,
    /// The heading.
    pub heading: String,
    /// The content, in order.
    pub blocks: Vec<Block>,
}

/// A piece of content.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// Running text.
    Paragraph(String),
    /// Cards with large numbers.
    Figures(Vec<KeyFigure>),
    /// Charts.
    Figure(chart::Figure),
    /// Who is best where.
    Grid(chart::Grid),
    /// A table.
    Table(Table),
    /// Content that is folded away below a line of text.
    Details {
        /// The line that is always seen.
        summary: String,
        /// What it unfolds.
        blocks: Vec<Block>,
    },
    /// Text in which spaces and line ends count.
    Preformatted(String),
    /// Markup that somebody else made for a page, with all that it needs, such as the viewer of a timeline. It is taken as it is.
    Embedded(String),
}

/// A number worth a card of its own.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct KeyFigure {
    /// What it is.
    pub label: String,
    /// The number, with its unit.
    pub value: String,
    /// A remark below: the interval, the place. May be empty.
    pub note: String,
}

impl Page {
    /// A page without sections.
    pub fn new(title: impl Into<String>, lead: impl Into<String>) -> Self {
        Self { title: title.into(), lead: lead.into(), ..Self::default() }
    }

    /// The same page with one more section.
    #[must_use]
    pub fn section(mut self, section: Section) -> Self {
        self.sections.push(section);
        self
    }

    /// The page as a file.
    pub fn to_html(&self) -> String {
        render::page(self)
    }
}

impl Section {
    /// A section without content.
    pub fn new(id: impl Into<String>, heading: impl Into<String>) -> Self {
        Self { id: id.into(), heading: heading.into(), blocks: Vec::new() }
    }

    /// The same section with one more block.
    #[must_use]
    pub fn block(mut self, block: impl Into<Block>) -> Self {
        self.blocks.push(block.into());
        self
    }
}

impl Block {
    /// Running text.
    pub fn paragraph(text: impl Into<String>) -> Self {
        Self::Paragraph(text.into())
    }
}

impl KeyFigure {
    /// A card.
    pub fn new(label: impl Into<String>, value: impl Into<String>, note: impl Into<String>) -> Self {
        Self { label: label.into(), value: value.into(), note: note.into() }
    }
}

impl From<Table> for Block {
    fn from(table: Table) -> Self {
        Self::Table(table)
    }
}

impl From<chart::Grid> for Block {
    fn from(grid: chart::Grid) -> Self {
        Self::Grid(grid)
    }
}

impl From<chart::Figure> for Block {
    fn from(figure: chart::Figure) -> Self {
        Self::Figure(figure)
    }
}

impl From<chart::Chart> for Block {
    fn from(chart: chart::Chart) -> Self {
        Self::Figure(chart.into())
    }
}
