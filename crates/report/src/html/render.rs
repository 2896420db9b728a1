//! Renders the model of a page as HTML.

use panto_view::Policy;

use super::{Block, KeyFigure, Page, Section, Tone, raw};
use crate::chart::{self, dark_variables, inline_svg, style_sheet};
use crate::markup::{Markup, Tag};
use crate::table::{self, Table};

const PAGE_CSS: &str = include_str!("page.css");
const PAGE_JS: &str = include_str!("page.js");

/// The script as it stands in the page.
fn script() -> String {
    format!("\n{PAGE_JS}")
}

/// Returns the policy of a page: it may load nothing, neither from the network nor from disk, and
/// runs its own script and those of embedded parts.
fn policy(page: &Page, style: &str) -> Policy {
    let own = Policy::default().script(&script()).style(style);
    let blocks = page.sections.iter().flat_map(|section| &section.blocks);
    blocks.fold(own, |policy, block| policy.and(&needed(block)))
}

fn needed(block: &Block) -> Policy {
    match block {
        Block::Embedded(part) => part.policy.clone(),
        Block::Details { blocks, .. } => {
            blocks.iter().fold(Policy::default(), |policy, block| policy.and(&needed(block)))
        }
        _ => Policy::default(),
    }
}

pub(super) fn page(page: &Page) -> String {
    let ids = anchors(&page.sections);
    let mut m = Markup::default();
    m.raw("<!DOCTYPE html>\n");
    m.open(&Tag::new("html").attr("lang", "en"));
    head(&mut m, page);
    m.open(&Tag::new("body"));
    let with_contents = page.sections.len() > 1;
    m.open(&Tag::new("div").attr("class", if with_contents { "page with-contents" } else { "page" }));
    header(&mut m, page);
    if with_contents {
        contents(&mut m, &page.sections, &ids);
    }
    m.open(&Tag::new("main").attr("id", "main"));
    let mut writer = Writer { m, figures: 0 };
    page.sections.iter().zip(&ids).for_each(|(section, id)| writer.section(section, id));
    let mut m = writer.m;
    m.close();
    m.close();
    if !page.raw.is_empty() {
        m.wrapped(
            &Tag::new("script").attr("type", "application/json").attr("id", "raw"),
            &raw::json(&page.raw),
        );
    }
    m.wrapped(&Tag::new("script"), &script());
    m.finish()
}

fn head(m: &mut Markup, page: &Page) {
    let style = style();
    let policy = policy(page, &style).to_string();
    m.open(&Tag::new("head"));
    m.empty(&Tag::new("meta").attr("charset", "utf-8"));
    m.empty(&meta("viewport", "width=device-width, initial-scale=1"));
    m.empty(&meta("color-scheme", "light dark"));
    m.empty(&Tag::new("meta").attr("http-equiv", "Content-Security-Policy").attr("content", &policy));
    // Without this, browsers request /favicon.ico.
    m.empty(&Tag::new("link").attr("rel", "icon").attr("href", "data:,"));
    m.text(&Tag::new("title"), &page.title);
    m.wrapped(&Tag::new("style"), &style);
    m.close();
}

fn meta(name: &str, content: &str) -> Tag {
    Tag::new("meta").attr("name", name).attr("content", content)
}

fn style() -> String {
    // Paper is white, whatever the theme of the screen.
    let dark = format!("@media screen and (prefers-color-scheme: dark){{:root{{{}}}}}\n", dark_variables());
    format!("\n{PAGE_CSS}{}{}{dark}", table::style_sheet(), style_sheet())
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
    let all: Vec<(&Section, &String)> = sections.iter().zip(ids).collect();
    for group in all.chunk_by(|one, other| one.0.group == other.0.group) {
        let name = &group[0].0.group;
        if !name.is_empty() {
            m.open(&Tag::new("li").attr("class", "group"));
            m.text(&Tag::new("span"), name);
            m.open(&Tag::new("ol"));
        }
        for (section, id) in group {
            entry(m, section, id);
        }
        if !name.is_empty() {
            m.close();
            m.close();
        }
    }
    m.close();
    m.close();
}

fn entry(m: &mut Markup, section: &Section, id: &str) {
    m.open(&Tag::new("li"));
    m.text(&Tag::new("a").attr("href", &format!("#{id}")), &section.heading);
    m.close();
}

/// Writes content, and numbers the figures that need ids.
struct Writer {
    m: Markup,
    figures: usize,
}

impl Writer {
    fn section(&mut self, section: &Section, id: &str) {
        self.m.open(&Tag::new("section").attr("id", id).attr("aria-label", &section.heading));
        self.m.text(&Tag::new("h2"), &section.heading);
        self.blocks(&section.blocks);
        self.m.close();
    }

    fn blocks(&mut self, blocks: &[Block]) {
        for content in blocks {
            self.block(content);
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Paragraph(text) => self.m.text(&Tag::new("p"), text),
            Block::KeyFigures(figures) => cards(&mut self.m, figures),
            Block::Figure(figure) => self.figure(figure),
            Block::Grid(grid) => self.grid(grid),
            Block::Table(table) => self::table(&mut self.m, table),
            Block::Banner { tone, lines } => banner(&mut self.m, *tone, lines),
            Block::Details { summary, blocks } => self.details(summary, blocks),
            Block::Preformatted(text) => self.m.text(&scrolling("pre", "Preformatted text"), text),
            Block::Embedded(part) => self.m.raw(&part.markup),
        }
    }

    /// Where an axis can be logarithmic or linear, both versions of the figure are in the page and
    /// two radio buttons select one, without a script.
    fn figure(&mut self, figure: &chart::Figure) {
        let names: Vec<&str> = figure.charts.iter().map(|chart| chart.title.as_str()).collect();
        self.m.open(&scrolling("figure", &names.join("; ")));
        let Some(other) = figure.other_scale() else {
            self.m.raw(&inline_svg(figure, None));
            return self.m.close();
        };
        self.figures += 1;
        let is_log = figure.charts.iter().zip(&other.charts).any(|(a, b)| a.y.scale.is_log() && a != b);
        let scales = if is_log { ["logarithmic", "linear"] } else { ["linear", "logarithmic"] };
        self.choice("first", scales[0]);
        self.choice("other", scales[1]);
        for (class, drawn, labelled) in [("first", figure, None), ("other", &other, Some(figure))] {
            self.m.open(&Tag::new("div").attr("class", class));
            self.m.raw(&inline_svg(drawn, labelled));
            self.m.close();
        }
        self.m.close();
    }

    fn choice(&mut self, class: &str, label: &str) {
        let (name, id) = (format!("scale-{}", self.figures), format!("scale-{}-{class}", self.figures));
        let tag =
            Tag::new("input").attr("type", "radio").attr("class", class).attr("name", &name).attr("id", &id);
        let tag = tag.attr("aria-label", &format!("{label} vertical axis"));
        self.m.empty(&if class == "first" { tag.attr("checked", "checked") } else { tag });
        self.m.text(&Tag::new("label").attr("for", &id), label);
    }

    fn grid(&mut self, grid: &chart::Grid) {
        self.m.open(&scrolling("figure", &grid.title).attr("class", "grid"));
        self.m.raw(&grid.inline_svg());
        self.m.close();
    }

    fn details(&mut self, summary: &str, blocks: &[Block]) {
        self.m.open(&Tag::new("details"));
        self.m.text(&Tag::new("summary"), summary);
        self.blocks(blocks);
        self.m.close();
    }
}

fn banner(m: &mut Markup, tone: Tone, lines: &[String]) {
    let class = match tone {
        Tone::Good => "banner good",
        Tone::Fair => "banner fair",
        Tone::Poor => "banner poor",
    };
    m.open(&Tag::new("div").attr("class", class).attr("role", "note"));
    for line in lines {
        m.text(&Tag::new("p"), line);
    }
    m.close();
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

/// Upper limit of columns of a table whose cells may wrap.
const MAX_WRAPPED: usize = 6;

fn table(m: &mut Markup, table: &Table) {
    // Tables with many columns scroll instead of wrapping words.
    let class = if table.columns().len() > MAX_WRAPPED { "table wide" } else { "table" };
    m.open(&scrolling("div", table.caption_text().unwrap_or("Table")).attr("class", class));
    m.raw(&table.to_html());
    m.close();
}

/// Returns a container that scrolls, with the keyboard as well, if its content is wider than the
/// screen.
fn scrolling(tag: &'static str, label: &str) -> Tag {
    Tag::new(tag).attr("role", "group").attr("tabindex", "0").attr("aria-label", label)
}

/// Returns a unique anchor for each section.
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
