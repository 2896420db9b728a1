//! Reports as one HTML file without external resources.
//!
//! The page follows the reader's choice of light or dark, prints in light, fits narrow screens, and
//! has ordered headings, a table of contents, captions and scopes. A small script (`page.js`) adds
//! values under the pointer and the arrow keys, series that can be hidden, and the raw samples of a
//! point. Without it everything is there that does not depend on these.

mod raw;
mod render;

pub use raw::RawSamples;

use crate::chart;
use crate::table::Table;

/// A page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Heading of the page and title of its window.
    pub title: String,
    /// Introductory paragraph: what was found. May be empty.
    pub lead: String,
    /// Sections, in order. Two or more get a table of contents.
    pub sections: Vec<Section>,
    /// Raw samples that points of figures refer to by index.
    pub raw: Vec<RawSamples>,
}

/// A section of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// Anchor of the section. Invalid characters are replaced; a second section of the same id gets
    /// a number.
    pub id: String,
    /// Heading.
    pub heading: String,
    /// What the section is part of, such as a file: a line of the table of contents above it. May
    /// be empty; sections of one group follow each other.
    pub group: String,
    /// Content, in order.
    pub blocks: Vec<Block>,
}

/// An element of a section.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// Text.
    Paragraph(String),
    /// Cards with large numbers.
    KeyFigures(Vec<KeyFigure>),
    /// Charts.
    Figure(chart::Figure),
    /// A grid of the best candidates.
    Grid(chart::Grid),
    /// A table.
    Table(Table),
    /// A coloured frame with a verdict.
    Banner {
        /// How good the news is.
        tone: Tone,
        /// The lines, of which the first is emphasised.
        lines: Vec<String>,
    },
    /// Collapsed content with a summary.
    Details {
        /// The line that is always visible.
        summary: String,
        /// The collapsed content.
        blocks: Vec<Block>,
    },
    /// Text with significant whitespace.
    Preformatted(String),
    /// Markup generated elsewhere for a page, with all that it needs, such as the viewer of a
    /// timeline. It is inserted verbatim.
    Embedded(panto_view::Fragment),
}

/// How good the news of a banner is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Tone {
    /// Nothing to worry about.
    Good,
    /// To be read with care.
    Fair,
    /// Not to be relied on.
    Poor,
}

/// A number on a card of its own.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct KeyFigure {
    /// Caption: what the number is.
    pub label: String,
    /// The number, with its unit.
    pub value: String,
    /// A note below: the interval, the parameters. May be empty.
    pub note: String,
}

impl Page {
    /// Creates a page without sections.
    pub fn new(title: impl Into<String>, lead: impl Into<String>) -> Self {
        Self { title: title.into(), lead: lead.into(), ..Self::default() }
    }

    /// Adds a section.
    #[must_use]
    pub fn section(mut self, section: Section) -> Self {
        self.sections.push(section);
        self
    }

    /// Returns the page as a file.
    pub fn to_html(&self) -> String {
        render::page(self)
    }
}

impl Section {
    /// Creates a section without content.
    pub fn new(id: impl Into<String>, heading: impl Into<String>) -> Self {
        Self { id: id.into(), heading: heading.into(), ..Self::default() }
    }

    /// Puts the section under a line of the table of contents.
    #[must_use]
    pub fn in_group(mut self, group: &str) -> Self {
        group.clone_into(&mut self.group);
        self
    }

    /// Adds a block.
    #[must_use]
    pub fn block(mut self, block: impl Into<Block>) -> Self {
        self.blocks.push(block.into());
        self
    }
}

impl Block {
    /// Creates a block of text.
    pub fn paragraph(text: impl Into<String>) -> Self {
        Self::Paragraph(text.into())
    }
}

impl KeyFigure {
    /// Creates a card.
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
