//! A report to send to a colleague.

use panto_bench::results::{Manifest, Record};
use panto_bench::{Finding, Kernel, findings};

use super::group::Group;
use super::{
    by_kernel, concerns, crowding, decision_pictures, decisions, departures, describe, figures,
    findings_table, in_words, is_scenario, is_swap, key_figures, placement, samples, swap_tables, table,
    words,
};
use crate::html::{Block, Page, Section};

const MEASURED: &str =
    "How this machine passes messages, measured by Panto. Each time is a median with its 95% interval.";
const SIMULATED: &str = "How this machine would pass messages, simulated by Panto: times come from a model of it, and \
                         nothing was measured. Each time is a median with its 95% interval.";

/// What was measured, and how: a result file.
#[derive(Clone, Copy, Debug)]
pub struct Reported<'a> {
    /// What the run is called beside others; alone it needs no name.
    pub name: Option<&'a str>,
    /// How it was measured; a file of several launches has several.
    pub manifests: &'a [Manifest],
    /// The points.
    pub records: &'a [Record],
}

/// One page with everything of these runs: in words, a section a kernel, and how it was measured.
pub fn report(runs: &[Reported]) -> Page {
    let mut page = match runs {
        [only] => Page::new(only.title(), only.lead()),
        _ => Page::new("Message passing in several runs", MEASURED),
    };
    for run in runs {
        page = page.section(run.summary());
    }
    let points = runs.iter().map(|run| run.records.len()).sum();
    page = runs.iter().fold(page, |page, run| run.kernels(page, points));
    runs.iter().fold(page, |page, run| page.section(run.method()))
}

impl Reported<'_> {
    /// What the page is called.
    pub fn title(&self) -> String {
        let Some(manifest) = self.manifests.last() else { return "Message passing".into() };
        match &manifest.machine {
            Some(machine) => format!("Message passing on the simulated {}", machine.name),
            None if placement::hosts(manifest) > 1 => {
                format!("Message passing on {} hosts", placement::hosts(manifest))
            }
            None => format!("Message passing on {}", manifest.host),
        }
    }

    /// What it is about, in a sentence.
    pub fn lead(&self) -> &'static str {
        let simulated = self.manifests.last().is_some_and(|manifest| manifest.machine.is_some());
        if simulated { SIMULATED } else { MEASURED }
    }

    /// What was found, in words.
    pub fn summary(&self) -> Section {
        let found = findings(self.records);
        let mut section = self.section("summary", "In words");
        let Some(manifest) = self.manifests.last().filter(|_| !self.records.is_empty()) else {
            return section.block(Block::paragraph("Nothing was measured: there are no points."));
        };
        let figures = key_figures(self.records, &found);
        if !figures.is_empty() {
            section = section.block(Block::Figures(figures));
        }
        for line in in_words(manifest, self.records, &found) {
            section = section.block(Block::paragraph(line));
        }
        for departure in departures(self.records) {
            section =
                section.block(Block::paragraph(format!("{}.", words::capitalised(&departure.to_string()))));
        }
        let cautions = crowding(self.records, manifest).into_iter().chain(concerns(self.records));
        let blocks: Vec<Block> =
            cautions.map(|text| Block::paragraph(format!("{}.", words::capitalised(&text)))).collect();
        if blocks.is_empty() {
            return section;
        }
        section.block(Block::Details { summary: "What a careful reader should know".into(), blocks })
    }

    /// The page with a section for each kernel. Of all points of the page, which are so many, it holds the samples that there is room
    /// for.
    pub fn kernels(&self, mut page: Page, points: usize) -> Page {
        let found = findings(self.records);
        for (kernel, records) in by_kernel(self.records) {
            let first = has_raw(&kernel).then_some(page.raw.len() as u32);
            if first.is_some() {
                page.raw.extend(samples::raw(&records, points));
            }
            page = page.section(self.kernel(&kernel, &records, &found, first));
        }
        page
    }

    fn kernel(&self, kernel: &str, records: &[Record], found: &[Finding], first: Option<u32>) -> Section {
        let mut section = self.section(kernel, kernel);
        if let Ok(known) = kernel.parse::<Kernel>() {
            section = section.block(Block::paragraph(format!("{}.", words::capitalised(known.about().line))));
        }
        for block in pictures(kernel, records, self.manifests.last(), first) {
            section = section.block(block);
        }
        // Those of the suite `swap` are thousands, and stand in its summary.
        let of_kernel: Vec<Finding> =
            found.iter().filter(|found| found.kernel == kernel && !is_swap(kernel)).cloned().collect();
        if !of_kernel.is_empty() {
            section = section.block(findings_table(&of_kernel));
        }
        section.blocks.extend(samples::details(&Group::of(kernel, records)).filter(|_| !is_swap(kernel)));
        section.block(Block::Details { summary: "All points".into(), blocks: headed(table(records)) })
    }

    /// How it was measured, in full.
    pub fn method(&self) -> Section {
        let text = "Samples are batches of repetitions, less an empty loop; ranks start together at a moment named in \
                    advance where each has a core; points come in random order; sampling stops when the interval of the \
                    median is narrow enough or the time is over; all data is verified outside the timed region.";
        let (title, text) = match self.manifests.last().and_then(|manifest| manifest.machine.as_ref()) {
            Some(_) => ("How it was simulated", format!("{VIRTUAL} {text}")),
            None => ("How it was measured", text.to_owned()),
        };
        let section =
            self.section("method", title).block(Block::paragraph(text)).block(Block::paragraph(KEPT));
        self.manifests.iter().fold(section, |section, manifest| section.block(describe(manifest)))
    }

    fn section(&self, id: &str, heading: &str) -> Section {
        let name = self.name.map(|name| format!(": {}", words::printable(name))).unwrap_or_default();
        Section::new(id, format!("{heading}{name}"))
    }
}

/// Does a page hold the samples of the points of a kernel? Figures of a part of the records number those alone.
pub(super) fn has_raw(kernel: &str) -> bool {
    !is_swap(kernel) && !is_scenario(kernel)
}

const VIRTUAL: &str = "The kernels that measure real machines ran on a model, with a virtual clock that turns as the \
                       modelled machine needs time.";
const KEPT: &str = "This page holds a part of the samples of each point, evenly taken from the first to the last, the least and \
                    the greatest always among them, each as one of 4096 steps between these two; all figures and intervals come from all samples, which are in the result file.";

/// The figures of a kernel, and who is best where several ways are in contest.
fn pictures(kernel: &str, records: &[Record], manifest: Option<&Manifest>, first: Option<u32>) -> Vec<Block> {
    let drawn = figures(kernel, records, manifest).into_iter();
    let mut blocks: Vec<Block> = drawn.map(|(_, figure)| Block::Figure(figure.raw_from(first))).collect();
    if is_swap(kernel) {
        blocks.extend(headed(swap_tables(records)));
        return blocks;
    }
    blocks.extend(decision_pictures(records).into_iter().map(|(_, grid)| Block::Grid(grid)));
    blocks.extend(headed(decisions(records)));
    blocks
}

/// Tables with their headings above them.
fn headed(tables: Vec<(String, crate::table::Table)>) -> Vec<Block> {
    tables.into_iter().flat_map(|(heading, table)| [Block::paragraph(heading), Block::from(table)]).collect()
}
