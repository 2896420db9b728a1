//! Horizontal bars with intervals, for things that are not numbers.
//!
//! A bar begins at zero, so that lengths compare as times do. If the longest is more than a hundred
//! times the shortest, the scale is logarithmic, dots replace the bars, and a note says so. Each
//! row has its number in words, so the chart reads without its scale, and the kind of a bar is
//! written beside it, so it reads without colour.

use super::palette::{Appearances, GRID, INK, MUTED, PAPER, style_sheet};
use super::text;
use crate::markup::{Markup, Tag, number};

const WIDTH: f64 = 760.0;
const MARGIN: f64 = 16.0;
const ROW: f64 = 22.0;
const BAR: f64 = 12.0;
const TITLE: f64 = 15.0;
const TEXT: f64 = 12.0;
const SMALL: f64 = 11.0;
const LEADING: f64 = 1.35;
/// Width of the longest name that is shown in full.
const NAME_ROOM: f64 = 190.0;
/// Distance between name, bar and label.
const AIR: f64 = 10.0;
/// Ratio of the longest to the shortest bar above which the scale is logarithmic.
const WIDE: f64 = 100.0;
const FONTS: &str = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

/// A chart of bars, drawn in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// Title.
    pub title: String,
    /// A second line. May be empty.
    pub subtitle: String,
    /// What the kinds of bars mean, as in "limited by".
    pub kinds: String,
    /// The bars.
    pub bars: Vec<Bar>,
    /// Notes below the bars.
    pub notes: Vec<String>,
}

/// A bar of [`Bars`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bar {
    /// Name.
    pub name: String,
    /// Length, not negative.
    pub value: f64,
    /// The ends of the whisker.
    pub interval: Option<(f64, f64)>,
    /// Determines the colour, and is written beside the bar. May be empty.
    pub kind: String,
    /// The value in words.
    pub label: String,
}

/// Positions along the bars.
struct Scale {
    left: f64,
    right: f64,
    low: f64,
    high: f64,
    is_log: bool,
}

impl Scale {
    fn of(bars: &[Bar], left: f64, right: f64) -> Self {
        let ends = || bars.iter().map(|bar| bar.interval.unwrap_or((bar.value, bar.value)));
        let high = ends().map(|(_, high)| high).fold(0.0, f64::max);
        let least = ends().map(|(low, _)| low).filter(|low| *low > 0.0).fold(f64::INFINITY, f64::min);
        let is_log = least.is_finite() && high > WIDE * least;
        Self { left, right, low: if is_log { least / 1.5 } else { 0.0 }, high, is_log }
    }

    fn at(&self, value: f64) -> f64 {
        let share = if self.is_log {
            (value.max(self.low) / self.low).ln() / (self.high / self.low).ln()
        } else {
            value / self.high
        };
        self.left + (self.right - self.left) * if share.is_finite() { share } else { 0.0 }
    }
}

impl Bars {
    /// Returns the chart as an SVG file.
    pub fn to_svg(&self) -> String {
        let mut m = Markup::default();
        let notes = self.lines();
        let top =
            MARGIN + TITLE * LEADING + if self.subtitle.is_empty() { 0.0 } else { TEXT * LEADING } + AIR;
        let bottom = top + self.bars.len() as f64 * ROW;
        let height = bottom + AIR + notes.len() as f64 * SMALL * LEADING + MARGIN;
        m.open(
            &Tag::new("svg")
                .attr("class", "panto-figure")
                .attr("role", "img")
                .attr("aria-label", &self.title)
                .attr("viewBox", &format!("0 0 {} {}", number(WIDTH), number(height)))
                .num("width", WIDTH)
                .num("height", height)
                .attr("fill", "currentColor")
                .attr("font-family", FONTS)
                .attr("xmlns", "http://www.w3.org/2000/svg"),
        );
        m.text(&Tag::new("title"), &self.title);
        m.text(&Tag::new("desc"), &self.description());
        m.wrapped(&Tag::new("style"), &style_sheet());
        let paper =
            Tag::new("rect").attr("width", "100%").attr("height", "100%").attr("fill", "currentColor");
        m.empty(&PAPER.on(paper));
        let title = INK.on(Tag::new("text")).attr("font-weight", "600").num("font-size", TITLE);
        m.text(&title.num("x", MARGIN).num("y", MARGIN + TITLE), &self.title);
        if !self.subtitle.is_empty() {
            let y = MARGIN + TITLE * LEADING + TEXT;
            let line = MUTED.on(Tag::new("text")).num("font-size", TEXT).num("x", MARGIN).num("y", y);
            m.text(&line, &text::shorten(&self.subtitle, TEXT, WIDTH - 2.0 * MARGIN));
        }
        self.rows(&mut m, top);
        for (nth, line) in notes.iter().enumerate() {
            let y = bottom + AIR + (nth as f64 + 0.8) * SMALL * LEADING;
            m.text(&MUTED.on(Tag::new("text")).num("font-size", SMALL).num("x", MARGIN).num("y", y), line);
        }
        m.finish()
    }

    /// Returns the lines below the bars.
    fn lines(&self) -> Vec<String> {
        let log = Scale::of(&self.bars, 0.0, 1.0).is_log;
        let scale = log.then(|| "The scale is logarithmic: lengths do not compare.".to_owned());
        let all = scale.iter().chain(&self.notes);
        all.flat_map(|note| text::wrap(note, SMALL, WIDTH - 2.0 * MARGIN)).collect()
    }

    fn description(&self) -> String {
        let bar = |bar: &Bar| format!("{}: {}", bar.name, bar.label);
        self.bars.iter().map(bar).collect::<Vec<_>>().join("; ")
    }

    /// Returns what is written beside a bar.
    fn beside(&self, bar: &Bar) -> String {
        if bar.kind.is_empty() {
            return bar.label.clone();
        }
        format!("{}, {} {}", bar.label, self.kinds, bar.kind)
    }

    fn rows(&self, m: &mut Markup, top: f64) {
        let widest = |widths: &mut dyn Iterator<Item = f64>| widths.fold(0.0, f64::max);
        let names = widest(&mut self.bars.iter().map(|bar| text::width(&bar.name, TEXT))).min(NAME_ROOM);
        let labels = widest(&mut self.bars.iter().map(|bar| text::width(&self.beside(bar), SMALL)));
        let left = MARGIN + names + AIR;
        let right = (WIDTH - MARGIN - labels - AIR).max(left + 80.0);
        let scale = Scale::of(&self.bars, left, right);
        let appearances = Appearances::of_names(self.bars.iter().map(|bar| bar.kind.as_str()));
        let bottom = top + self.bars.len() as f64 * ROW;
        m.empty(&line(GRID.on(Tag::new("line")), (left, top), (left, bottom)));
        for (nth, bar) in self.bars.iter().enumerate() {
            let y = top + (nth as f64 + 0.5) * ROW;
            let name = INK.on(Tag::new("text")).num("font-size", TEXT).attr("text-anchor", "end");
            let shown = text::shorten(&bar.name, TEXT, NAME_ROOM);
            m.text(&name.num("x", left - AIR).num("y", y + TEXT * 0.35), &shown);
            m.open(&appearances.named(&bar.kind).role().on(Tag::new("g")));
            self.draw(m, bar, &scale, y);
            m.close();
            if let Some((low, high)) = bar.interval {
                whisker(m, scale.at(low), scale.at(high), y);
            }
            let end = scale.at(bar.interval.map_or(bar.value, |(_, high)| high.max(bar.value)));
            let label = MUTED.on(Tag::new("text")).num("font-size", SMALL);
            m.text(&label.num("x", end + AIR).num("y", y + SMALL * 0.35), &self.beside(bar));
        }
    }

    fn draw(&self, m: &mut Markup, bar: &Bar, scale: &Scale, y: f64) {
        let tooltip = format!("{}: {}", bar.name, self.beside(bar));
        let end = scale.at(bar.value);
        if scale.is_log {
            m.titled(&Tag::new("circle").num("cx", end).num("cy", y).num("r", 4.5), &tooltip);
            return;
        }
        let length = (end - scale.left).max(1.0);
        let rect = Tag::new("rect").num("x", scale.left).num("y", y - BAR / 2.0);
        m.titled(&rect.num("width", length).num("height", BAR), &tooltip);
    }
}

fn whisker(m: &mut Markup, low: f64, high: f64, y: f64) {
    if high - low < 1.0 {
        return;
    }
    m.open(&INK.on(Tag::new("g")));
    m.empty(&line(Tag::new("line"), (low, y), (high, y)));
    for x in [low, high] {
        m.empty(&line(Tag::new("line"), (x, y - 3.5), (x, y + 3.5)));
    }
    m.close();
}

fn line(tag: Tag, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> Tag {
    let ends = tag.num("x1", x1).num("y1", y1).num("x2", x2).num("y2", y2);
    ends.attr("stroke", "currentColor").attr("stroke-width", "1.2")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(values: &[f64]) -> Bars {
        let bar = |(nth, value): (usize, &f64)| Bar {
            name: format!("machine {nth}"),
            value: *value,
            interval: Some((value / 2.0, value * 2.0)),
            kind: ["latency", "bandwidth"][nth % 2].into(),
            label: format!("{value}s"),
        };
        let bars = values.iter().enumerate().map(bar).collect();
        Bars { title: "Times".into(), kinds: "limited by".into(), bars, ..Bars::default() }
    }

    #[test]
    fn lengths_are_in_proportion() {
        let scale = Scale::of(&bars(&[1.0, 2.0, 4.0]).bars, 100.0, 500.0);
        for (value, at) in [(0.0, 100.0), (1.0, 150.0), (2.0, 200.0), (8.0, 500.0)] {
            assert!((scale.at(value) - at).abs() < 1e-9, "{value} at {}", scale.at(value));
        }
    }

    #[test]
    fn values_far_apart_are_dots_on_a_logarithmic_scale() {
        let chart = bars(&[1e-3, 1.0, 1e3]);
        let svg = chart.to_svg();
        assert!(svg.contains("<circle") && svg.contains("logarithmic"), "{svg}");
        let near = bars(&[1.0, 2.0]).to_svg();
        assert!(!near.contains("<circle") && !near.contains("logarithmic"), "{near}");
    }

    #[test]
    fn names_labels_and_kinds_are_written() {
        let svg = bars(&[1.0, 2.0]).to_svg();
        for part in ["machine 1", "2s, limited by bandwidth", "<title>Times</title>"] {
            assert!(svg.contains(part), "no {part} in {svg}");
        }
        assert!(bars(&[]).to_svg().contains("</svg>"));
    }
}
