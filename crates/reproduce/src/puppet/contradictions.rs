//! Contradictions within PUPPET's thesis.

use super::ComparedTable;
use super::balancing::{BEST, FIRST, SHOWN};
use super::published::Published;
use crate::error::{Error, Result};

/// Returns the contradictions, one paragraph each.
pub(super) fn all(published: &Published, tables: &[ComparedTable]) -> Result<Vec<String>> {
    Ok(vec![hypercube(published, tables)?, program().into(), computation(published)?])
}

/// Returns the contradiction of tables A.4 and A.7: the merge sort uses only links that a hypercube
/// has, so its speed-up there cannot exceed that on a complete network.
fn hypercube(published: &Published, tables: &[ComparedTable]) -> Result<String> {
    let complete = published.value("A.4", "10000", "16 scaled")?;
    let hypercube = published.value("A.7", "hypercube", "16")?;
    let larger = published.value("A.4", "20000", "8 scaled")?;
    let as_larger = published.value("A.7", "hypercube", "8")?;
    let ours = |table: &str, column: &str| {
        let table = tables.iter().find(|compared| compared.table == table);
        table.and_then(|table| table.cell("16", column)).map_or(f64::NAN, |cell| cell.simulated)
    };
    Ok(format!(
        "10,000 integers on 16 processors have a scaled speed-up of {complete:.2} on the complete network of table A.4(a), and of \
         {hypercube:.2} on the hypercube of table A.7, though the program uses only links that both have. Here it is {:.2} on both \
         ({:.2} on the hypercube). Table A.7's figures are near those of 20,000 integers up to 8 processors ({as_larger:.2} and \
         {larger:.2}).",
        ours("A.4(a)", "scaled"),
        ours("A.7", "hypercube"),
    ))
}

fn program() -> &'static str {
    "Section 5.5 balances fan-in; the caption of table A.6 says merge-sort. Neither states the problem size. Both programs are shown."
}

/// Returns the contradiction of tables A.5 and A.6: the time and the utilisation of a mapping give
/// the computation of the program, which does not depend on the mapping, and yet differs.
fn computation(published: &Published) -> Result<String> {
    let of = |iteration: &str| {
        let time = published.value("A.5", &SHOWN.to_string(), iteration)?;
        let utilisation: f64 = published.row("A.6", iteration).iter().sum();
        Ok::<f64, Error>(time * utilisation / 100.0)
    };
    let (first, best) = (of(FIRST)?, of(BEST)?);
    Ok(format!(
        "Attempt {SHOWN} of table A.5 has the same computation in each iteration. With the utilisations of table A.6 it is {first:.1} s in \
         iteration {FIRST} and {best:.1} s in iteration {BEST}."
    ))
}
