//! Times on the Ethernet and on the SP2: tables A.1 and A.2 of PUPPET's thesis.

use super::fit::Parameters;
use super::machines::Bench;
use super::programs::{fan_in, fan_out, merge_sort};
use super::published::Published;
use super::{ComparedTable, TableKind, cell};
use crate::error::{Error, Result};

/// The programs and problem sizes of table A.1; table A.2 has those of the Cholesky factorisation.
const ROWS: [(&str, usize); 7] = [
    ("merge-sort", 10_000),
    ("merge-sort", 20_000),
    ("merge-sort", 30_000),
    ("fan-in", 1_000),
    ("fan-in", 2_000),
    ("fan-out", 1_000),
    ("fan-out", 2_000),
];
/// The first row of [`ROWS`] that table A.2 has.
const CHOLESKY: usize = 3;

pub(super) fn tables(
    published: &Published,
    bench: &Bench,
    sp2: &Bench,
    parameters: &Parameters,
) -> Result<Vec<ComparedTable>> {
    let ethernet = simulate(bench, parameters.update, parameters, &ROWS)?;
    let cholesky = simulate(sp2, parameters.update_sp2, parameters, &ROWS[CHOLESKY..])?;
    let table = |name: &str, about: &str, times: &[(String, &str, f64)]| {
        Ok::<_, Error>(ComparedTable {
            kind: TableKind::Times,
            table: name.into(),
            about: about.into(),
            rows: "program",
            cells: times.iter().map(|time| cell(published, name, time)).collect::<Result<_>>()?,
        })
    };
    Ok(vec![
        table("A.1", "seconds on the Ethernet, as predicted by PUPPET", &ethernet)?,
        table("A.1 measured", "seconds on the Ethernet, as measured", &ethernet)?,
        table("A.2", "seconds on the SP2, as predicted by PUPPET", &cholesky)?,
        table("A.2 measured", "seconds on the SP2, as measured", &cholesky)?,
    ])
}

/// Returns the rows, columns and seconds of the programs on 2 and 4 processors.
fn simulate(
    bench: &Bench,
    update: f64,
    parameters: &Parameters,
    rows: &[(&str, usize)],
) -> Result<Vec<(String, &'static str, f64)>> {
    let mut times = Vec::new();
    for &(name, size) in rows {
        for (column, processors) in [("2", 2), ("4", 4)] {
            let program = match name {
                "fan-in" => fan_in(size, processors, update),
                "fan-out" => fan_out(size, processors, update),
                _ => merge_sort(size, processors, parameters),
            };
            times.push((format!("{name} {size}"), column, bench.on_complete(&program, processors)?.time));
        }
    }
    Ok(times)
}
