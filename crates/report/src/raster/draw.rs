//! Draws SVG elements on a canvas.

use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Mask, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, StrokeDash,
    Transform,
};

use super::font::Fonts;
use super::outline;
use super::parse::{Element, Tag};

/// Inherited properties of elements.
#[derive(Clone)]
struct Style {
    color: Color,
    size: f32,
    is_bold: bool,
    /// Share of a text that is left of its position.
    anchor: f32,
    clip: Option<Mask>,
    /// Inside elements that are not drawn: titles, descriptions, style sheets.
    is_hidden: bool,
}

/// Position of a line of text.
struct Line {
    x: f32,
    y: f32,
}

pub(super) struct Canvas<'f> {
    map: Pixmap,
    scale: Transform,
    size: (f32, f32),
    fonts: &'f Fonts,
    styles: Vec<Style>,
    line: Option<Line>,
}

impl<'f> Canvas<'f> {
    pub fn new(map: Pixmap, scale: Transform, size: (f32, f32), fonts: &'f Fonts) -> Self {
        let color = Color::BLACK;
        let plain = Style { color, size: 12.0, is_bold: false, anchor: 0.0, clip: None, is_hidden: false };
        Self { map, scale, size, fonts, styles: vec![plain], line: None }
    }

    pub fn finish(self) -> Pixmap {
        self.map
    }

    pub fn element(&mut self, element: &Element<'_>) {
        match element {
            Element::Open(tag) => self.open(tag),
            Element::Empty(tag) => {
                self.open(tag);
                self.shape(tag);
                self.close();
            }
            Element::Text(text) => self.text(text),
            Element::Close => self.close(),
        }
    }

    fn style(&self) -> Style {
        self.styles[self.styles.len() - 1].clone()
    }

    fn open(&mut self, tag: &Tag<'_>) {
        let mut style = self.style();
        style.color = tag.text("color").and_then(color).unwrap_or(style.color);
        style.size = tag.number("font-size").unwrap_or(style.size);
        style.is_bold |= tag.text("font-weight").is_some();
        style.is_hidden |= matches!(tag.name, "title" | "desc" | "style");
        // The root has no position; nested SVG elements clip.
        if let (true, Some(area)) = (tag.name == "svg", tag.number("x").and_then(|_| self.area(tag))) {
            style.clip = self.mask(area);
        }
        style.anchor = match tag.text("text-anchor") {
            Some("middle") => 0.5,
            Some("end") => 1.0,
            Some(_) => 0.0,
            None => style.anchor,
        };
        if tag.name == "text" {
            let place = |name| tag.number(name).unwrap_or(0.0);
            self.line = Some(Line { x: place("x"), y: place("y") });
        }
        self.styles.push(style);
    }

    fn close(&mut self) {
        self.line = None;
        if self.styles.len() > 1 {
            self.styles.pop();
        }
    }

    fn area(&self, tag: &Tag<'_>) -> Option<Rect> {
        let place = |name| tag.number(name).unwrap_or(0.0);
        let (width, height) = (tag.length("width", self.size.0)?, tag.length("height", self.size.1)?);
        Rect::from_xywh(place("x"), place("y"), width, height)
    }

    fn mask(&self, area: Rect) -> Option<Mask> {
        let mut mask = Mask::new(self.map.width(), self.map.height())?;
        mask.fill_path(&PathBuilder::from_rect(area), FillRule::Winding, true, self.scale);
        Some(mask)
    }

    fn shape(&mut self, tag: &Tag<'_>) {
        let path = match tag.name {
            "path" => tag.text("d").and_then(outline::path),
            "rect" => self.area(tag).map(PathBuilder::from_rect),
            _ => None,
        };
        let (Some(path), style) = (path, self.style()) else { return };
        match tag.text("fill") {
            Some("none") => {}
            Some(fill) => self.fill(&path, &style, &paint(&style, fill, tag.number("fill-opacity"))),
            None => self.fill(&path, &style, &paint(&style, "currentColor", None)),
        }
        if let Some(color) = tag.text("stroke") {
            let paint = paint(&style, color, tag.number("stroke-opacity"));
            self.map.stroke_path(&path, &paint, &stroke(tag), self.scale, style.clip.as_ref());
        }
    }

    fn fill(&mut self, path: &Path, style: &Style, paint: &Paint<'_>) {
        self.map.fill_path(path, paint, FillRule::Winding, self.scale, style.clip.as_ref());
    }

    fn text(&mut self, text: &str) {
        let style = self.style();
        let Some(line) = self.line.take().filter(|_| !style.is_hidden) else { return };
        let (path, width) = self.fonts.line(text, style.size, style.is_bold);
        let moved = Transform::from_translate(line.x - style.anchor * width, line.y);
        if let Some(path) = path.and_then(|path| path.transform(moved)) {
            self.fill(&path, &style, &paint(&style, "currentColor", None));
        }
    }
}

fn stroke(tag: &Tag<'_>) -> Stroke {
    let dashes = tag
        .text("stroke-dasharray")
        .map(|text| text.split(' ').filter_map(|word| word.parse().ok()).collect());
    let round = |name, value| tag.text(name) == Some(value);
    Stroke {
        width: tag.number("stroke-width").unwrap_or(1.0),
        line_cap: if round("stroke-linecap", "round") { LineCap::Round } else { LineCap::Butt },
        line_join: if round("stroke-linejoin", "round") { LineJoin::Round } else { LineJoin::Miter },
        dash: dashes.and_then(|dashes| StrokeDash::new(dashes, 0.0)),
        ..Stroke::default()
    }
}

fn paint(style: &Style, text: &str, opacity: Option<f32>) -> Paint<'static> {
    let mut color = color(text).unwrap_or(style.color);
    color.apply_opacity(opacity.unwrap_or(1.0));
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color(color);
    paint
}

/// Parses a colour such as `#1c2127`.
fn color(text: &str) -> Option<Color> {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
    let number = u32::from_str_radix(digits, 16).ok()?;
    let [_, red, green, blue] = number.to_be_bytes();
    Some(Color::from_rgba8(red, green, blue, 255))
}
