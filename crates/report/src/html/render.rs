//! From the model of a page to HTML.

use super::{Block, KeyFigure, Page, Section};
use crate::chart::{self, dark_variables, inline_svg, style_sheet};
use crate::markup::{Markup, Tag};
use crate::table::Table;

const PAGE_CSS: &str = include_str!("page.css");

/// The page may load nothing: not from the network, not from disk.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

pub(super) fn page(page: &Page) -> String {
    let ids = anchors(&page.sections);
    let mut m = Markup::default();
    m.raw("<!DOCTYPE html>\n");
    m.open(&Tag::new("html").attr("lang", "en"));
    head(&mut m, &page.title);
    m.open(&Tag::new("body"));
    let with_contents = page.sections.len() > 1;
    m.open(&Tag::new("div").attr("class", if with_contents { "page with-contents" } else { "page" }));
    header(&mut m, page);
    if with_contents {
        contents(&mut m, &page.sections, &ids);
    }
    m.open(&Tag::new("main").attr("id", "main"));
    page.sections.iter().zip(&ids).for_each(|(section, id)| self::section(&mut m, section, id));
    m.finish()
}

fn head(m: &mut Markup, title: &str) {
    m.open(&Tag::new("head"));
    m.empty(&Tag::new("meta").attr("charset", "utf-8"));
    m.empty(&meta("viewport", "width=device-width, initial-scale=1"));
    m.empty(&meta("color-scheme", "light dark"));
    m.empty(&Tag::new("meta").attr("http-equiv", "Content-Security-Policy").attr("content", POLICY));
    // Without this, browsers ask the server for /favicon.ico.
    m.empty(&Tag::new("link").attr("rel", "icon").attr("href", "data:,"));
    m.text(&Tag::new("title"), title);
    m.wrapped(&Tag::new("style"), &style());
    m.close();
}

fn meta(name: &str, content: &str) -> Tag {
    Tag::new("meta").attr("name", name).attr("content", content)
}

fn style() -> String {
    // Paper is white, whatever the screen is.
    let dark = format!("@media screen and (prefers-color-scheme: dark){{:root{{{}}}}}\n", dark_variables());
    format!("\n{PAGE_CSS}{}{dark}", style_sheet())
}

fn header(m: &mut Markup, page: &Page) {
    m.text(&Tag::new("a").attr("class", "skip").attr("href", "#main"), "Skip to content");
    m.open(&Tag::new("header"));
    m.text(&Tag::new("h1"), &page.title);
    if !page.lead.is_empty() {
        m.text(&Tag::new("p").attr("class", "lead"), &page.lead);
    }
    m.close();
}

fn contents(m: &mut Markup, sections: &[Section], ids: &[String]) {
    m.open(&Tag::new("nav").attr("aria-label", "Contents"));
    m.open(&Tag::new("ol"));
    for (section, id) in sections.iter().zip(ids) {
        m.open(&Tag::new("li"));
        m.text(&Tag::new("a").attr("href", &format!("#{id}")), &section.heading);
        m.close();
    }
    m.close();
    m.close();
}

fn section(m: &mut Markup, section: &Section, id: &str) {
    m.open(&Tag::new("section").attr("id", id).attr("aria-label", &section.heading));
    m.text(&Tag::new("h2"), &section.heading);
    blocks(m, &section.blocks);
    m.close();
}

fn blocks(m: &mut Markup, blocks: &[Block]) {
    for content in blocks {
        block(m, content);
    }
}

fn block(m: &mut Markup, block: &Block) {
    match block {
        Block::Paragraph(text) => m.text(&Tag::new("p"), text),
        Block::Figures(figures) => cards(m, figures),
        Block::Figure(figure) => self::figure(m, figure),
        Block::Table(table) => self::table(m, table),
        Block::Details { summary, blocks } => details(m, summary, blocks),
        Block::Preformatted(text) => m.text(&scrolling("pre", "Preformatted text"), text),
    }
}

fn cards(m: &mut Markup, figures: &[KeyFigure]) {
    m.open(&Tag::new("dl").attr("class", "cards"));
    for figure in figures {
        m.open(&Tag::new("div"));
        m.text(&Tag::new("dt"), &figure.label);
        m.text(&Tag::new("dd").attr("class", "value"), &figure.value);
        if !figure.note.is_empty() {
            m.text(&Tag::new("dd").attr("class", "note"), &figure.note);
        }
        m.close();
    }
    m.close();
}

fn figure(m: &mut Markup, figure: &chart::Figure) {
    let names: Vec<&str> = figure.charts.iter().map(|chart| chart.title.as_str()).collect();
    m.open(&scrolling("figure", &names.join("; ")));
    m.raw(&inline_svg(figure));
    m.close();
}

fn table(m: &mut Markup, table: &Table) {
    m.open(&scrolling("div", table.caption_text().unwrap_or("Table")).attr("class", "table"));
    m.raw(&table.to_html());
    m.close();
}

fn details(m: &mut Markup, summary: &str, blocks: &[Block]) {
    m.open(&Tag::new("details"));
    m.text(&Tag::new("summary"), summary);
    self::blocks(m, blocks);
    m.close();
}

/// What may be wider than the screen scrolls by itself, with the keyboard as well.
fn scrolling(tag: &'static str, label: &str) -> Tag {
    Tag::new(tag).attr("role", "group").attr("tabindex", "0").attr("aria-label", label)
}

/// An anchor for each section, all different.
fn anchors(sections: &[Section]) -> Vec<String> {
    let mut taken = vec!["main".to_string()];
    for section in sections {
        let plain = anchor(&section.id);
        let numbered = (2..).map(|number| format!("{plain}-{number}"));
        let free = std::iter::once(plain.clone()).chain(numbered).find(|id| !taken.contains(id));
        taken.push(free.unwrap_or(plain));
    }
    taken.split_off(1)
}

fn anchor(id: &str) -> String {
    let plain: String =
        id.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
    if plain.is_empty() { "section".into() } else { plain }
}
