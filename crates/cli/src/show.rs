//! What commands print, in the format that was asked for.

use std::path::Path;

use clap::ValueEnum;
use panto_bench::results::{End, Manifest, Record};
use panto_bench::{Kernel, findings};
use panto_report::present;
use panto_report::table::{Column, Table};

use crate::failure::Failure;

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Tables for people, and what follows from them
    Table,
    /// One JSON object
    Json,
    /// One row a point
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
    print!("{table}");
}

/// The tables of these records.
pub fn tables(records: &[Record]) {
    for (heading, table) in present::table(records) {
        println!("{heading}\n{table}");
    }
}

/// How it was measured.
pub fn manifests(manifests: &[Manifest]) {
    for manifest in manifests {
        println!("{}", present::describe(manifest));
    }
}

/// Everything but the tables: those are printed as the kernels end.
pub fn results(format: Format, manifest: &Manifest, records: &[Record], end: Option<&End>) {
    let found = findings(records);
    match format {
        Format::Table => {
            print!("{}", present::findings(&found));
            let concerns = present::concerns(records);
            for concern in present::crowding(records, manifest).into_iter().chain(concerns) {
                println!("note: {concern}");
            }
        }
        Format::Json => println!("{}", present::json(manifest, records, end, serde_json::json!(found))),
        Format::Csv => print!("{}", present::csv(records)),
        Format::Osu => print!("{}", present::osu(records)),
        Format::Imb => print!("{}", present::imb(records)),
    }
}

/// One SVG a kernel.
pub fn plots(directory: &Path, manifest: &Manifest, records: &[Record]) -> Result<(), Failure> {
    for (kernel, records) in present::by_kernel(records) {
        let path = directory.join(format!("{}.svg", kernel.replace('/', "-")));
        let svg = present::figure(&kernel, &records, Some(manifest)).to_svg();
        std::fs::write(&path, svg).map_err(|error| Failure::write(&path, &error))?;
        eprintln!("wrote {}", path.display());
    }
    Ok(())
}
