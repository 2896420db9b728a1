//! What commands print, in the format that was asked for.

use std::path::Path;

use clap::ValueEnum;
use panto_bench::contest::{Choices, choices};
use panto_bench::results::{End, Manifest, Record};
use panto_bench::{Finding, Kernel, findings};
use panto_report::present;
use panto_report::table::{Column, Table};
use panto_schedule::rules::mpich;

use crate::failure::Failure;
use crate::out;
use crate::plot::{Picture, Target};

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
    /// As CRESTA's collectives microbenchmark suite prints
    Mbs,
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
        Format::Mbs => out::text(present::mbs(records)),
    }
}

/// The fastest algorithms as a file of rules, for the `collectives.rules` of a model.
pub fn rules(path: &Path, records: &[Record]) -> Result<(), Failure> {
    let Choices { table, measured, notes } = choices(records, mpich())?;
    let names: Vec<String> = measured.iter().map(ToString::to_string).collect();
    let about = format!(
        "# {}: the fastest that was measured; other collectives as MPICH does them.\n",
        names.join(", ")
    );
    std::fs::write(path, format!("{about}{table}")).map_err(|error| Failure::write(path, &error))?;
    for note in &notes {
        out::note(format_args!("panto: {note}"));
    }
    out::note(format_args!("wrote {}; use it: --set collectives.rules={}", path.display(), path.display()));
    Ok(())
}

/// The pictures of these records, where the user wants them and in the form that the name says.
pub fn plots(target: &Path, manifest: &Manifest, records: &[Record]) -> Result<(), Failure> {
    Target::new(target).write(&pictures(manifest, records))
}

/// The figures of each kernel, and who is best where; each has a name.
pub fn pictures(manifest: &Manifest, records: &[Record]) -> Vec<(String, Picture)> {
    let mut pictures = Vec::new();
    for (kernel, records) in present::by_kernel(records) {
        let figures = present::figures(&kernel, &records, Some(manifest));
        pictures.extend(figures.into_iter().map(|(name, figure)| (name, Picture::Figure(figure))));
    }
    let grids = present::decision_pictures(records).into_iter();
    pictures.extend(grids.map(|(name, grid)| (name, Picture::Grid(grid))));
    pictures
}
