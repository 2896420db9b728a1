//! Writer of XML that is also valid HTML: escaping, numbers of fixed precision and balanced tags.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Start tag of an element: name and attributes.
pub(crate) struct Tag {
    name: &'static str,
    attributes: String,
}

/// A document under construction. Elements close in the reverse order of opening.
#[derive(Default)]
pub(crate) struct Markup {
    out: String,
    open: Vec<&'static str>,
}

impl Tag {
    pub fn new(name: &'static str) -> Self {
        Self { name, attributes: String::new() }
    }

    pub fn attr(mut self, name: &str, value: &str) -> Self {
        // Writing to a String cannot fail.
        let _ = write!(self.attributes, " {name}=\"{}\"", escape(value));
        self
    }

    pub fn num(self, name: &str, value: f64) -> Self {
        self.attr(name, &number(value))
    }
}

impl Markup {
    pub fn open(&mut self, tag: &Tag) {
        let _ = writeln!(self.out, "<{}{}>", tag.name, tag.attributes);
        self.open.push(tag.name);
    }

    /// Closes the element opened last.
    pub fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            let _ = writeln!(self.out, "</{name}>");
        }
    }

    pub fn empty(&mut self, tag: &Tag) {
        let _ = writeln!(self.out, "<{}{}/>", tag.name, tag.attributes);
    }

    pub fn text(&mut self, tag: &Tag, text: &str) {
        self.wrapped(tag, &escape(text));
    }

    /// Writes an element around content that is markup already.
    pub fn wrapped(&mut self, tag: &Tag, markup: &str) {
        let _ = writeln!(self.out, "<{0}{1}>{markup}</{0}>", tag.name, tag.attributes);
    }

    /// Writes an element that contains only a title, which browsers show as a tooltip.
    pub fn titled(&mut self, tag: &Tag, title: &str) {
        self.wrapped(tag, &format!("<title>{}</title>", escape(title)));
    }

    /// Writes markup verbatim.
    pub fn raw(&mut self, markup: &str) {
        self.out.push_str(markup);
    }

    /// Returns the document; open elements are closed.
    pub fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.out
    }
}

/// Escapes everything that XML reserves or forbids.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    if text.chars().any(|c| replacement(c).is_some()) {
        text.chars().fold(String::with_capacity(text.len() + 16), push_escaped).into()
    } else {
        text.into()
    }
}

/// Formats a coordinate with one decimal: a tenth of a pixel is invisible, also in print. Each
/// value has a single representation.
pub(crate) fn number(value: f64) -> String {
    panto_units::trim_zeros(&format!("{value:.1}")).to_string()
}

fn push_escaped(mut out: String, c: char) -> String {
    match replacement(c) {
        Some(text) => out.push_str(text),
        None => out.push(c),
    }
    out
}

fn replacement(c: char) -> Option<&'static str> {
    match c {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        '\'' => Some("&#39;"),
        '\t' | '\n' | '\r' => None,
        // XML 1.0 cannot represent these, not even as references.
        '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => Some("\u{fffd}"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_what_xml_reserves_or_forbids() {
        assert_eq!(escape("a<b>&\"'\u{1}"), "a&lt;b&gt;&amp;&quot;&#39;\u{fffd}");
        assert!(matches!(escape("plain"), Cow::Borrowed(_)));
    }

    #[test]
    fn each_coordinate_has_one_spelling() {
        let spelled: Vec<_> = [0.0, -0.01, 1.0, 1.5, 1.256, 100.0].map(number).into();
        assert_eq!(spelled, ["0", "0", "1", "1.5", "1.3", "100"]);
    }

    #[test]
    fn finish_closes_what_is_open() {
        let mut m = Markup::default();
        m.open(&Tag::new("g").num("x", 1.0));
        m.text(&Tag::new("text").attr("class", "a\"b"), "<");
        assert_eq!(m.finish(), "<g x=\"1\">\n<text class=\"a&quot;b\">&lt;</text>\n</g>\n");
    }
}
