//! What commands print, in the format that was asked for.

use std::path::Path;

use clap::ValueEnum;
use panto_bench::results::{End, Manifest, Record};
use panto_bench::{Finding, Kernel, findings};
use panto_report::chart::Figure;
use panto_report::present;
use panto_report::table::{Column, Table};

use crate::failure::Failure;
use crate::out;

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Tables for people, and what follows from them
    Table,
    /// One JSON object
    Json,
    /// One row per point
    Csv,
    /// As the OSU benchmarks print
    Osu,
    /// As the Intel MPI benchmarks print
    Imb,
}

/// One line for each kernel.
pub fn list() {
    let mut table = Table::new([Column::text("kernel"), Column::right("ranks"), Column::text("measures")]);
    for about in Kernel::ALL.iter().map(|kernel| kernel.about()) {
        table.row([about.full_name(), format!("{}+", about.least_ranks), about.line.to_owned()]);
    }
    out::text(table);
}

/// The tables of these records.
pub fn tables(records: &[Record]) {
    for (heading, table) in present::table(records) {
        out::text(format_args!("{heading}\n{table}\n"));
    }
}

/// How it was measured.
pub fn manifests(manifests: &[Manifest]) {
    for manifest in manifests {
        out::line(present::describe(manifest));
    }
}

/// Everything but the tables: those are printed as the kernels end.
pub fn results(format: Format, manifest: &Manifest, records: &[Record], end: Option<&End>) {
    let found = findings(records);
    match format {
        Format::Table => {
            for (heading, table) in present::decisions(records) {
                out::text(format_args!("{heading}\n{table}\n"));
            }
            // Those of the suite `swap` are thousands, and stand in its summary.
            let few: Vec<Finding> =
                found.into_iter().filter(|finding| !present::is_swap(&finding.kernel)).collect();
            out::text(present::findings(&few));
            out::text(present::swap_summary(records));
            present::departures(records).iter().for_each(out::line);
            let concerns = present::concerns(records);
            for concern in present::crowding(records, manifest).into_iter().chain(concerns) {
                out::line(format_args!("note: {concern}"));
            }
        }
        Format::Json => out::line(present::json(manifest, records, end, serde_json::json!(found))),
        Format::Csv => out::text(present::csv(records)),
        Format::Osu => out::text(present::osu(records)),
        Format::Imb => out::text(present::imb(records)),
    }
}

/// One SVG a kernel; in the suite `swap` one an experiment.
pub fn plots(directory: &Path, manifest: &Manifest, records: &[Record]) -> Result<(), Failure> {
    for (kernel, records) in present::by_kernel(records) {
        if present::is_swap(&kernel) {
            for (name, figure) in present::swap_figures(&records, Some(manifest)) {
                plot(directory, &name, &figure)?;
            }
            continue;
        }
        plot(directory, &kernel.replace('/', "-"), &present::figure(&kernel, &records, Some(manifest)))?;
    }
    for (name, grid) in present::decision_pictures(records) {
        write(directory, &name, &grid.to_svg())?;
    }
    Ok(())
}

fn plot(directory: &Path, name: &str, figure: &Figure) -> Result<(), Failure> {
    write(directory, name, &figure.to_svg())
}

fn write(directory: &Path, name: &str, svg: &str) -> Result<(), Failure> {
    let path = directory.join(format!("{name}.svg"));
    std::fs::write(&path, svg).map_err(|error| Failure::write(&path, &error))?;
    out::note(format_args!("wrote {}", path.display()));
    Ok(())
}
