//! A report to send to a colleague.

use panto_bench::results::{Manifest, Record};
use panto_bench::{Finding, Kernel};

use super::{
    by_kernel, concerns, crowding, describe, figure, findings_table, in_words, key_figures, placement, table,
    words,
};
use crate::html::{Block, Page, Section};

const MEASURED: &str =
    "How this machine passes messages, measured by Panto. Each time is a median with its 95% interval.";
const SIMULATED: &str = "How this machine would pass messages, simulated by Panto: times come from a model of it, and \
                         nothing was measured. Each time is a median with its 95% interval.";

/// One page with everything: in words, a section a kernel, and how it was measured.
pub fn report(manifest: &Manifest, records: &[Record], findings: &[Finding]) -> Page {
    let (title, lead) = match &manifest.machine {
        Some(machine) => (format!("Message passing on the simulated {}", machine.name), SIMULATED),
        None if placement::hosts(manifest) > 1 => {
            (format!("Message passing on {} hosts", placement::hosts(manifest)), MEASURED)
        }
        None => (format!("Message passing on {}", manifest.host), MEASURED),
    };
    let mut page = Page::new(title, lead);
    page = page.section(summary(manifest, records, findings));
    for (kernel, records) in by_kernel(records) {
        page = page.section(section(manifest, &kernel, &records, findings));
    }
    page.section(method(manifest))
}

fn summary(manifest: &Manifest, records: &[Record], findings: &[Finding]) -> Section {
    let figures = key_figures(records, findings);
    let mut section = Section::new("summary", "In words").block(Block::Figures(figures));
    for line in in_words(manifest, records, findings) {
        section = section.block(Block::paragraph(line));
    }
    let cautions = crowding(records, manifest).into_iter().chain(concerns(records));
    let blocks: Vec<Block> =
        cautions.map(|text| Block::paragraph(format!("{}.", words::capitalised(&text)))).collect();
    if blocks.is_empty() {
        return section;
    }
    section.block(Block::Details { summary: "What a careful reader should know".into(), blocks })
}

fn section(manifest: &Manifest, kernel: &str, records: &[Record], findings: &[Finding]) -> Section {
    let mut section = Section::new(kernel, kernel);
    if let Ok(known) = kernel.parse::<Kernel>() {
        section = section.block(Block::paragraph(format!("{}.", words::capitalised(known.about().line))));
    }
    section = section.block(figure(kernel, records, Some(manifest)));
    let of_kernel: Vec<Finding> = findings.iter().filter(|found| found.kernel == kernel).cloned().collect();
    if !of_kernel.is_empty() {
        section = section.block(findings_table(&of_kernel));
    }
    let tables = table(records)
        .into_iter()
        .flat_map(|(heading, table)| [Block::paragraph(heading), Block::from(table)]);
    section.block(Block::Details { summary: "All points".into(), blocks: tables.collect() })
}

const VIRTUAL: &str = "The kernels that measure real machines ran on a model, with a virtual clock that turns as the \
                       modelled machine needs time.";

fn method(manifest: &Manifest) -> Section {
    let text = "Samples are batches of repetitions, less an empty loop; ranks start together at a moment named in \
                advance where each has a core; points come in random order; sampling stops when the interval of the \
                median is narrow enough or the time is over; all data is verified outside the timed region.";
    let (title, text) = match manifest.machine {
        Some(_) => ("How it was simulated", format!("{VIRTUAL} {text}")),
        None => ("How it was measured", text.to_owned()),
    };
    Section::new("method", title).block(Block::paragraph(text)).block(describe(manifest))
}
