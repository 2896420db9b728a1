//! Parser of this crate's SVG, element by element.

use std::collections::HashMap;

/// An event while a drawing is parsed.
pub(super) enum Element<'a> {
    /// An element begins.
    Open(Tag<'a>),
    /// An element without content.
    Empty(Tag<'a>),
    /// Text.
    Text(String),
    /// An element ends.
    Close,
}

/// A name and its attributes.
pub(super) struct Tag<'a> {
    pub name: &'a str,
    attributes: HashMap<&'a str, &'a str>,
}

impl<'a> Tag<'a> {
    fn new(text: &'a str) -> Self {
        let (name, mut rest) = text.split_once(' ').unwrap_or((text, ""));
        let mut attributes = HashMap::new();
        while let Some((key, after)) = rest.split_once("=\"") {
            let Some((value, after)) = after.split_once('"') else { break };
            attributes.insert(key.trim(), value);
            rest = after;
        }
        Self { name, attributes }
    }

    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.attributes.get(name).copied()
    }

    pub fn number(&self, name: &str) -> Option<f32> {
        self.text(name)?.parse().ok()
    }

    /// Returns a length, which may be a percentage of the whole.
    pub fn length(&self, name: &str, whole: f32) -> Option<f32> {
        match self.text(name)?.strip_suffix('%') {
            Some(percent) => percent.parse::<f32>().ok().map(|percent| percent / 100.0 * whole),
            None => self.number(name),
        }
    }
}

/// Returns the size of the drawing.
pub(super) fn size(svg: &str) -> Option<(f32, f32)> {
    let tag = Tag::new(svg.strip_prefix("<svg")?.split('>').next()?);
    Some((tag.number("width")?, tag.number("height")?))
}

/// Visits all elements of a drawing.
pub(super) fn elements<'a>(svg: &'a str, mut each: impl FnMut(Element<'a>)) {
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        let text = &rest[..start];
        if !text.trim().is_empty() {
            each(Element::Text(unescaped(text)));
        }
        let Some(end) = rest[start..].find('>') else { return };
        let tag = &rest[start + 1..start + end];
        match (tag.strip_prefix('/'), tag.strip_suffix('/')) {
            (Some(_), _) => each(Element::Close),
            (None, Some(tag)) => each(Element::Empty(Tag::new(tag))),
            (None, None) => each(Element::Open(Tag::new(tag))),
        }
        rest = &rest[start + end + 1..];
    }
}

fn unescaped(text: &str) -> String {
    let known = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    known.iter().fold(text.to_owned(), |text, (reference, character)| text.replace(reference, character))
}
