//! A grid of named cells: the best candidate by two parameters.
//!
//! Each cell shows its name, so the figure reads without colour; colour only helps to see regions.

use super::palette::{Appearance, Appearances, PAPER, Role, style_sheet};
use super::palette::{GRID, INK, MUTED};
use super::text;
use crate::markup::{Markup, Tag, number};

const MARGIN: f64 = 16.0;
const ROW: f64 = 26.0;
const TITLE: f64 = 15.0;
const TEXT: f64 = 12.0;
const LEADING: f64 = 1.35;
/// Minimum width of a column, in pixels.
const COLUMN: f64 = 56.0;
/// Padding beside the text of a column, in pixels.
const AIR: f64 = 14.0;
const FONTS: &str = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

/// A figure of the best candidate by two parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// Title.
    pub title: String,
    /// A second line. May be empty.
    pub subtitle: String,
    /// Labels of the rows and of the columns.
    pub axes: [String; 2],
    /// Column headings.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<GridRow>,
    /// Notes below the grid.
    pub notes: Vec<String>,
}

/// A row of a [`Grid`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GridRow {
    /// Row heading.
    pub head: String,
    /// One cell per column; `None` where nothing was measured.
    pub cells: Vec<Option<Cell>>,
}

/// A cell of a [`Grid`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// The best candidates: the first determines the colour; several are tied.
    pub names: Vec<String>,
    /// Text of the tooltip.
    pub tooltip: String,
}

impl Cell {
    /// Returns the names in one line.
    pub fn text(&self) -> String {
        self.names.join(" ~ ")
    }
}

/// Positions and sizes, in pixels.
struct Layout {
    head: f64,
    column: f64,
    top: f64,
    height: f64,
    width: f64,
}

impl Grid {
    /// Returns the figure as a stand-alone SVG.
    pub fn to_svg(&self) -> String {
        self.svg(true)
    }

    /// Returns the figure for a page that includes the style sheet.
    pub(crate) fn inline_svg(&self) -> String {
        self.svg(false)
    }

    fn svg(&self, alone: bool) -> String {
        let layout = self.layout();
        let view = format!("0 0 {} {}", number(layout.width), number(layout.height));
        let mut m = Markup::default();
        let root =
            Tag::new("svg").attr("class", "panto-figure").attr("role", "img").attr("aria-label", &self.title);
        let root = root.attr("viewBox", &view).num("width", layout.width).num("height", layout.height);
        let root = root.attr("font-family", FONTS).attr("fill", "currentColor");
        m.open(&if alone { root.attr("xmlns", "http://www.w3.org/2000/svg") } else { root });
        m.text(&Tag::new("title"), &self.title);
        if alone {
            m.wrapped(&Tag::new("style"), &style_sheet());
        }
        let paper = PAPER.on(Tag::new("rect")).attr("width", "100%").attr("height", "100%");
        m.empty(&paper.attr("fill", "currentColor"));
        self.words(&mut m, &layout);
        self.heads(&mut m, &layout);
        self.cells(&mut m, &layout);
        m.finish()
    }

    fn layout(&self) -> Layout {
        let widest = |texts: &mut dyn Iterator<Item = String>| {
            texts.map(|cell| text::width(&cell, TEXT)).fold(0.0_f64, f64::max)
        };
        let heads = self.rows.iter().map(|row| row.head.clone()).chain([self.axes[0].clone()]);
        let cells = self.rows.iter().flat_map(|row| row.cells.iter().flatten()).map(Cell::text);
        let head = widest(&mut { heads }) + AIR;
        let column = (widest(&mut cells.chain(self.columns.iter().cloned())) + AIR).max(COLUMN);
        let top = MARGIN + (TITLE + TEXT) * LEADING + 2.0 * TEXT * LEADING;
        let notes = self.notes.len() as f64 * TEXT * LEADING;
        let lines = [&self.title, &self.subtitle].map(|line| text::width(line, TITLE));
        let lines = lines.into_iter().chain(self.notes.iter().map(|note| text::width(note, TEXT)));
        let across = head + column * self.columns.len() as f64;
        Layout {
            head,
            column,
            top,
            height: top + ROW * self.rows.len() as f64 + notes + 2.0 * MARGIN,
            width: 2.0 * MARGIN + lines.fold(across, f64::max),
        }
    }

    /// Draws title and notes.
    fn words(&self, m: &mut Markup, layout: &Layout) {
        let below = layout.top + ROW * self.rows.len() as f64 + MARGIN;
        write(m, &INK, (MARGIN, MARGIN + TITLE), (TITLE, "start"), &self.title);
        write(m, &MUTED, (MARGIN, MARGIN + TITLE + TEXT * LEADING), (TEXT, "start"), &self.subtitle);
        for (line, note) in self.notes.iter().enumerate() {
            let y = below + TEXT * LEADING * (line as f64 + 0.5);
            write(m, &MUTED, (MARGIN, y), (TEXT, "start"), note);
        }
    }

    fn heads(&self, m: &mut Markup, layout: &Layout) {
        let right = MARGIN + layout.head - AIR / 2.0;
        write(m, &MUTED, (right, layout.top - TEXT / 2.0), (TEXT, "end"), &self.axes[0]);
        let start = MARGIN + layout.head;
        write(m, &MUTED, (start, layout.top - TEXT * (LEADING + 0.5)), (TEXT, "start"), &self.axes[1]);
        for (place, head) in self.columns.iter().enumerate() {
            let x = start + layout.column * (place as f64 + 0.5);
            write(m, &MUTED, (x, layout.top - TEXT / 2.0), (TEXT, "middle"), head);
        }
        for (place, row) in self.rows.iter().enumerate() {
            let y = layout.top + ROW * (place as f64 + 0.5) + TEXT * 0.35;
            write(m, &MUTED, (right, y), (TEXT, "end"), &row.head);
        }
    }

    fn cells(&self, m: &mut Markup, layout: &Layout) {
        let all = self.rows.iter().flat_map(|row| row.cells.iter().flatten());
        let appearances =
            Appearances::of_names(all.filter_map(|cell| cell.names.first()).map(String::as_str));
        for (row, line) in self.rows.iter().enumerate() {
            for (column, cell) in line.cells.iter().enumerate() {
                let Some(cell) = cell else { continue };
                let corner =
                    (MARGIN + layout.head + layout.column * column as f64, layout.top + ROW * row as f64);
                let appearance = cell.names.first().map(|name| appearances.named(name));
                draw(m, corner, layout.column, cell, appearance);
            }
        }
    }
}

/// Draws a cell: filled if the best is certain, framed with dashes if it is tied.
fn draw(m: &mut Markup, (x, y): (f64, f64), width: f64, cell: &Cell, appearance: Option<Appearance>) {
    let role = appearance.map_or(&GRID, Appearance::role);
    let rect = Tag::new("rect").num("x", x + 1.0).num("y", y + 1.0).num("width", width - 2.0);
    let rect = rect.num("height", ROW - 2.0).attr("stroke", "currentColor");
    let rect = if cell.names.len() > 1 {
        rect.attr("fill", "none").attr("stroke-dasharray", "3 3")
    } else {
        rect.attr("fill", "currentColor").attr("fill-opacity", "0.25")
    };
    m.open(&Tag::new("g"));
    m.text(&Tag::new("title"), &cell.tooltip);
    m.empty(&role.on(rect));
    write(m, &INK, (x + width / 2.0, y + ROW / 2.0 + TEXT * 0.35), (TEXT, "middle"), &cell.text());
    m.close();
}

fn write(m: &mut Markup, role: &Role, (x, y): (f64, f64), (size, anchor): (f64, &str), text: &str) {
    if !text.is_empty() {
        let tag = role.on(Tag::new("text")).num("x", x).num("y", y).num("font-size", size);
        m.text(&tag.attr("text-anchor", anchor), text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_names_the_best_and_ties_are_not_filled() {
        let cell = |names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            Some(Cell { names, tooltip: "5us & more".into() })
        };
        let row = |head: &str, cells| GridRow { head: head.into(), cells };
        let grid = Grid {
            title: "Best".into(),
            axes: ["size".into(), "ranks".into()],
            columns: vec!["2".into(), "4".into()],
            rows: vec![
                row("0B", vec![cell(&["rex"]), None]),
                row("1KiB", vec![cell(&["pex"]), cell(&["rex", "pex"])]),
            ],
            ..Grid::default()
        };
        let svg = grid.to_svg();
        for text in [">rex<", ">pex<", ">rex ~ pex<", ">1KiB<", ">ranks<", "5us &amp; more"] {
            assert!(svg.contains(text), "no {text} in {svg}");
        }
        assert_eq!(svg.matches("stroke-dasharray").count(), 1);
        assert_eq!(svg.matches("fill-opacity").count(), 2);
        assert_eq!(svg, grid.to_svg());
    }
}
