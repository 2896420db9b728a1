//! Reports of result files as a page.

use panto_findings::{Finding, findings};
use panto_results::{KernelInfo, Manifest, Record};

use super::group::Group;
use super::{
    best_algorithm_grids, best_algorithm_tables, by_kernel, concerns, describe, figures, findings_table,
    is_scenario, is_swap, key_figures, model_residuals, oversubscription, phrases, placement, samples,
    summary_sentences, swap_tables, table, verdict_banner,
};
use crate::html::{Block, Page, Section};

const MEASURED: &str = "Message-passing performance of this machine, measured by Panto. Each time is a median with its 95% confidence interval.";
const SIMULATED: &str = "Message-passing performance of this machine, simulated by Panto: times come from a model and were not \
                         measured. Each time is a median with its 95% confidence interval.";

/// A result file: records, and how they were measured.
#[derive(Clone, Copy, Debug)]
pub struct ReportedRun<'a> {
    /// Name of the run beside others; `None` if it is alone.
    pub name: Option<&'a str>,
    /// How it was measured; a file of several launches has several manifests.
    pub manifests: &'a [Manifest],
    /// The measured points.
    pub records: &'a [Record],
}

/// Returns one page with everything of these runs: a summary, a section per kernel, and the method.
pub fn report(runs: &[ReportedRun]) -> Page {
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

impl ReportedRun<'_> {
    /// Returns the title of the page.
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

    /// Returns the introductory sentence.
    pub fn lead(&self) -> &'static str {
        let simulated = self.manifests.last().is_some_and(|manifest| manifest.machine.is_some());
        if simulated { SIMULATED } else { MEASURED }
    }

    /// Returns the summary: cards and sentences.
    pub fn summary(&self) -> Section {
        let found = findings(self.records);
        let mut section = self.section("summary", "Summary");
        let Some(manifest) = self.manifests.last().filter(|_| !self.records.is_empty()) else {
            return section.block(Block::paragraph("There are no measured points."));
        };
        section.blocks.extend(verdict_banner(self.records));
        let figures = key_figures(self.records, &found);
        if !figures.is_empty() {
            section = section.block(Block::KeyFigures(figures));
        }
        for line in summary_sentences(manifest, self.records, &found) {
            section = section.block(Block::paragraph(line));
        }
        for model_residual in model_residuals(self.records) {
            section = section
                .block(Block::paragraph(format!("{}.", phrases::capitalised(&model_residual.to_string()))));
        }
        let cautions = oversubscription(self.records, manifest).into_iter().chain(concerns(self.records));
        let blocks: Vec<Block> =
            cautions.map(|text| Block::paragraph(format!("{}.", phrases::capitalised(&text)))).collect();
        if blocks.is_empty() {
            return section;
        }
        section.block(Block::Details { summary: "Reliability of these results".into(), blocks })
    }

    /// Adds a section per kernel. `points` is the number of all points of the page, which limits
    /// the samples embedded per point.
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
        if let Some(info) = KernelInfo::find(kernel) {
            section = section.block(Block::paragraph(format!("{}.", phrases::capitalised(info.summary))));
        }
        for block in figure_blocks(kernel, records, self.manifests.last(), first) {
            section = section.block(block);
        }
        // The findings of the suite `swap` are thousands, and are in its summary.
        let of_kernel: Vec<Finding> =
            found.iter().filter(|found| found.kernel == kernel && !is_swap(kernel)).cloned().collect();
        if !of_kernel.is_empty() {
            section = section.block(findings_table(&of_kernel));
        }
        section.blocks.extend(samples::details(&Group::of(kernel, records)).filter(|_| !is_swap(kernel)));
        section.block(Block::Details { summary: "All points".into(), blocks: headed(table(records)) })
    }

    /// Returns the method of measurement in full.
    pub fn method(&self) -> Section {
        let text = "Samples are batches of repetitions, minus an empty loop; ranks start together at a prearranged time where \
                    each has a core; points are measured in several passes, each in random order; samples during which a rank lost its core, \
                    passes on a busy host and samples beyond the undisturbed mode are left out; sampling stops when the confidence interval of \
                    the median is narrow enough or the time budget is spent; all data is verified outside the timed region.";
        let (title, text) = match self.manifests.last().and_then(|manifest| manifest.machine.as_ref()) {
            Some(_) => ("How it was simulated", format!("{VIRTUAL} {text}")),
            None => ("How it was measured", text.to_owned()),
        };
        let section =
            self.section("method", title).block(Block::paragraph(text)).block(Block::paragraph(KEPT));
        self.manifests.iter().fold(section, |section, manifest| section.block(describe(manifest)))
    }

    fn section(&self, id: &str, heading: &str) -> Section {
        let name = self.name.map(|name| format!(": {}", phrases::one_line(name))).unwrap_or_default();
        Section::new(id, format!("{heading}{name}"))
    }
}

/// Returns whether a page embeds the samples of a kernel's points. Figures of a subset of the
/// records index those alone.
pub(super) fn has_raw(kernel: &str) -> bool {
    !is_swap(kernel) && !is_scenario(kernel)
}

const VIRTUAL: &str = "The benchmark kernels ran on a model, with a virtual clock that advances as the modelled machine \
                       needs time.";
const KEPT: &str = "This page embeds a subset of the samples of each point, evenly spaced from the first to the last and always \
                    including the smallest and the largest, quantized to 4096 steps between these two; all statistics \
                    are computed from all samples, which are in the result file.";

/// Returns the figures of a kernel, and the best algorithm where several are in contest.
fn figure_blocks(
    kernel: &str,
    records: &[Record],
    manifest: Option<&Manifest>,
    first: Option<u32>,
) -> Vec<Block> {
    let drawn = figures(kernel, records, manifest).into_iter();
    let mut blocks: Vec<Block> = drawn.map(|(_, figure)| Block::Figure(figure.raw_from(first))).collect();
    if is_swap(kernel) {
        blocks.extend(headed(swap_tables(records)));
        return blocks;
    }
    blocks.extend(best_algorithm_grids(records).into_iter().map(|(_, grid)| Block::Grid(grid)));
    blocks.extend(headed(best_algorithm_tables(records)));
    blocks
}

/// Returns tables with their headings above them.
fn headed(tables: Vec<(String, crate::table::Table)>) -> Vec<Block> {
    tables.into_iter().flat_map(|(heading, table)| [Block::paragraph(heading), Block::from(table)]).collect()
}
