//! Colours and markers, from which the drawings and the style sheets are generated.
//!
//! The series colours are those of M. Okabe and K. Ito, "Color Universal Design" (2008),
//! popularized by B. Wong, "Points of view: Color blindness", Nature Methods 8, 441 (2011), without
//! the yellow, which is invisible on white. The markers differ as well, so that a chart reads in
//! grey.
//!
//! Elements have a class and, for programs without CSS variables (librsvg, older Inkscape), the
//! light colour as an attribute. A page redefines the variables for its dark theme.

use std::fmt::Write as _;

use super::Figure;
use crate::markup::Tag;

/// A colour with a purpose. Everything is drawn in the `currentColor` of its role.
pub(super) struct Role {
    class: &'static str,
    light: &'static str,
    dark: &'static str,
}

pub(super) const PAPER: Role = Role { class: "paper", light: "#ffffff", dark: "#171a1f" };
pub(super) const INK: Role = Role { class: "ink", light: "#1c2127", dark: "#e7eaee" };
pub(super) const MUTED: Role = Role { class: "muted", light: "#59636e", dark: "#9aa4af" };
pub(super) const AXIS: Role = Role { class: "axis", light: "#7d8791", dark: "#6b7580" };
pub(super) const GRID: Role = Role { class: "grid", light: "#e2e5e9", dark: "#2d333b" };
pub(super) const FAINT: Role = Role { class: "faint", light: "#f1f3f5", dark: "#20252b" };

const SERIES: [Role; 7] = [
    Role { class: "s0", light: "#0072b2", dark: "#4da6e0" },
    Role { class: "s1", light: "#d55e00", dark: "#f08a3c" },
    Role { class: "s2", light: "#009e73", dark: "#2cc79b" },
    Role { class: "s3", light: "#cc79a7", dark: "#e3a0c6" },
    Role { class: "s4", light: "#e69f00", dark: "#f0b73a" },
    Role { class: "s5", light: "#56b4e9", dark: "#93d2f6" },
    Role { class: "s6", light: "#2b2f36", dark: "#dfe3e8" },
];

/// Number of markers. Coprime to the number of colours, so that pairs of colour and marker repeat
/// as late as possible.
pub(super) const MARKERS: usize = 8;

const DASHES: [&str; 4] = ["6 4", "2 3", "9 3 2 3", "12 4"];

/// Appearance of a series: an index into colours, markers and dashes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Appearance(usize);

/// Appearances of all series of a figure, by name in the order of appearance.
pub(super) struct Appearances<'a> {
    appearances: Vec<&'a str>,
    /// Names of all series; one that looks like another still has its own.
    names: Vec<&'a str>,
}

impl Role {
    /// Applies the colour to a tag and its content.
    pub fn on(&self, tag: Tag) -> Tag {
        tag.attr("class", self.class).attr("color", self.light)
    }
}

impl Appearance {
    pub fn role(self) -> &'static Role {
        &SERIES[self.0 % SERIES.len()]
    }

    pub fn marker(self) -> usize {
        self.0 % MARKERS
    }

    pub fn dashes(self) -> &'static str {
        DASHES[self.0 % DASHES.len()]
    }
}

impl<'a> Appearances<'a> {
    pub fn of(figure: &'a Figure) -> Self {
        let all = || figure.charts.iter().flat_map(|chart| &chart.series);
        let appearances = distinct(all().map(|series| series.like.as_deref().unwrap_or(&series.name)));
        Self { appearances, names: distinct(all().map(|series| series.name.as_str())) }
    }

    /// Returns the appearances of the given names.
    pub fn of_names(all: impl Iterator<Item = &'a str>) -> Self {
        Self { appearances: distinct(all.filter(|name| !name.is_empty())), names: Vec::new() }
    }

    pub fn named(&self, name: &str) -> Appearance {
        Appearance(place(&self.appearances, name))
    }

    pub fn get(&self, series: &super::Series) -> Appearance {
        self.named(series.like.as_deref().unwrap_or(&series.name))
    }

    /// Tags an element as part of a series: all elements of one name in a figure are shown and
    /// hidden together.
    pub fn part(&self, tag: Tag, series: &super::Series) -> Tag {
        tag.attr("data-series", &place(&self.names, &series.name).to_string())
    }
}

fn place(names: &[&str], name: &str) -> usize {
    names.iter().position(|known| *known == name).unwrap_or(0)
}

fn distinct<'a>(all: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names = Vec::new();
    for name in all {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Returns the CSS rules every figure needs. Outside a page the light colours apply.
pub(crate) fn style_sheet() -> String {
    let mut css = String::from(".panto-figure{font-variant-numeric:tabular-nums}\n");
    for Role { class, light, .. } in roles() {
        let _ = writeln!(css, ".panto-figure .{class}{{color:var(--panto-{class},{light})}}");
    }
    css.push_str(".panto-figure .hollow{fill:var(--panto-paper,#ffffff)}\n");
    css.push_str(".panto-figure .hits{pointer-events:all}\n.panto-figure .hits circle{r:6px}\n");
    css.push_str(".panto-figure .hits :hover{stroke:currentColor}\n");
    css
}

/// Removes the colour attributes from a drawing for a page that includes the style sheet.
pub(super) fn without_colors(svg: &str) -> String {
    roles().fold(svg.to_owned(), |svg, role| svg.replace(&format!(" color=\"{}\"", role.light), ""))
}

/// Returns the declarations for the dark theme of a page.
pub(crate) fn dark_variables() -> String {
    roles().fold(String::new(), |css, Role { class, dark, .. }| css + &format!("--panto-{class}:{dark};"))
}

fn roles() -> impl Iterator<Item = &'static Role> {
    const COMMON: [&Role; 6] = [&PAPER, &INK, &MUTED, &AXIS, &GRID, &FAINT];
    COMMON.into_iter().chain(&SERIES)
}
