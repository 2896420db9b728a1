//! Prints and plots benchmark results.

use std::path::Path;

use panto_findings::contest::{Choices, choices};
use panto_findings::{Finding, findings};
use panto_report::present;
use panto_report::table::{Column, Table};
use panto_results::quality::run_quality;
use panto_results::{KernelInfo, Manifest, Record, RunEnd};
use panto_schedule::rules::mpich;

use crate::failure::Failure;
use crate::files;
use crate::format::Format;
use crate::plot::{Picture, Target};
use crate::print;

/// Prints one line per kernel.
pub fn list() {
    let mut table = Table::new([Column::text("kernel"), Column::right("ranks"), Column::text("measures")]);
    for info in KernelInfo::all() {
        table.row([info.name.to_owned(), format!("{}+", info.min_ranks), info.summary.to_owned()]);
    }
    print::text(table);
}

/// Prints the tables of records.
pub fn tables(records: &[Record]) {
    for (heading, table) in present::table(records) {
        print::text(format_args!("{heading}\n{table}\n"));
    }
}

/// Prints how the records were measured.
pub fn manifests(manifests: &[Manifest]) {
    for manifest in manifests {
        print::line(present::describe(manifest));
    }
}

/// Prints everything but the tables, which are printed as kernels complete.
pub fn results(format: Format, manifest: &Manifest, records: &[Record], end: Option<&RunEnd>) {
    let found = findings(records);
    match format {
        Format::Table => {
            for (heading, table) in present::best_algorithm_tables(records) {
                print::text(format_args!("{heading}\n{table}\n"));
            }
            // The suite `swap` has thousands of findings; its summary covers them.
            let few: Vec<Finding> =
                found.into_iter().filter(|finding| !present::is_swap(&finding.kernel)).collect();
            print::text(present::findings(&few));
            print::text(present::swap_summary(records));
            present::model_residuals(records).iter().for_each(print::line);
            let concerns = present::concerns(records);
            for concern in present::layout(manifest)
                .into_iter()
                .chain(present::oversubscription(records, manifest))
                .chain(concerns)
            {
                print::line(format_args!("note: {concern}"));
            }
        }
        Format::Json => print::line(present::json(manifest, records, end, serde_json::json!(found))),
        Format::Csv => print::text(present::csv([(Some(manifest), records)])),
        Format::Osu => print::text(present::osu(records)),
        Format::Imb => print::text(present::imb(records)),
        Format::Mbs => print::text(present::mbs(records)),
    }
}

/// Prints how far the figures can be believed, in colour on a terminal.
pub fn verdict(records: &[Record]) {
    let Some(quality) = run_quality(records) else { return };
    let lines = present::verdict_lines(&quality);
    for (place, line) in lines.iter().enumerate() {
        if place == 0 { print::toned(quality.grade.into(), line) } else { print::line(line) }
    }
}

/// Writes the fastest algorithms as a rules file, for `collectives.rules` of a model.
pub fn rules(path: &Path, records: &[Record]) -> Result<(), Failure> {
    let Choices { table, measured, notes } = choices(records, mpich())?;
    let names: Vec<String> = measured.iter().map(ToString::to_string).collect();
    let about =
        format!("# {}: the fastest measured algorithms; other collectives as in MPICH.\n", names.join(", "));
    files::replace(path, format!("{about}{table}"))?;
    for note in &notes {
        print::note(format_args!("panto: {note}"));
    }
    print::note(format_args!(
        "wrote {}; use it with --set collectives.rules={}",
        path.display(),
        path.display()
    ));
    Ok(())
}

/// Writes the pictures of records to a file or directory.
pub fn plots(target: &Path, manifest: &Manifest, records: &[Record]) -> Result<(), Failure> {
    Target::new(target).write(&pictures(manifest, records))
}

/// Returns the figures of each kernel and the maps of the fastest algorithms, with their names.
pub fn pictures(manifest: &Manifest, records: &[Record]) -> Vec<(String, Picture)> {
    let mut pictures = Vec::new();
    for (kernel, records) in present::by_kernel(records) {
        let figures = present::figures(&kernel, &records, Some(manifest));
        pictures.extend(figures.into_iter().map(|(name, figure)| (name, Picture::Figure(figure))));
    }
    let grids = present::best_algorithm_grids(records).into_iter();
    pictures.extend(grids.map(|(name, grid)| (name, Picture::Grid(grid))));
    pictures
}
