//! Contradictions within PUPPET's thesis.

use super::ComparedTable;
use super::balancing::{BEST, FIRST, SHOWN};
use super::published::Published;
use crate::error::{Error, Result};

/// A contradiction within the thesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contradiction {
    /// Speed-ups above the largest that section 5.4 allows.
    Perfect,
    /// Simulated times on the SP2 from computation times that section 5.2.2 calls inaccurate.
    CpuTimes,
    /// A hypercube that is faster than a complete network.
    Hypercube,
    /// The program that is balanced.
    Program,
    /// The computation of the balanced program. It concerns figures that already have a
    /// contradiction.
    Computation,
}

impl Contradiction {
    /// All contradictions.
    pub const ALL: [Self; 5] =
        [Self::CpuTimes, Self::Perfect, Self::Hypercube, Self::Program, Self::Computation];

    /// Returns the name in the table of published figures.
    pub fn name(self) -> &'static str {
        match self {
            Self::CpuTimes => "cpu-times",
            Self::Perfect => "perfect",
            Self::Hypercube => "hypercube",
            Self::Program => "program",
            Self::Computation => "computation",
        }
    }

    /// Parses the name in the table of published figures.
    pub(super) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|contradiction| contradiction.name() == name)
    }
}

/// Returns the contradictions, one paragraph each.
pub(super) fn all(published: &Published, tables: &[ComparedTable]) -> Result<Vec<(Contradiction, String)>> {
    let text = |contradiction: Contradiction| match contradiction {
        Contradiction::CpuTimes => cpu_times(published),
        Contradiction::Perfect => perfect(published),
        Contradiction::Hypercube => hypercube(published, tables),
        Contradiction::Program => Ok(program().into()),
        Contradiction::Computation => computation(published),
    };
    Contradiction::ALL.into_iter().map(|one| text(one).map(|text| (one, text))).collect()
}

/// Returns the contradiction of table A.2 and section 5.2.2: simulated times whose computation was
/// measured wrongly.
fn cpu_times(published: &Published) -> Result<String> {
    let (simulated, actual) =
        (published.value("A.2", "fan-in 1000", "4")?, published.value("A.2 measured", "fan-in 1000", "4")?);
    Ok(format!(
        "Section 5.2.2: \"CPU times are very inaccurate and the results (Figure 5.8) are poor.\" Table A.2 has {simulated:.2} s where \
         {actual:.2} s were measured, fan-in of order 1,000 on 4 processors. Here computation is fitted to a measured time."
    ))
}

/// Returns the contradiction of table A.4 and section 5.4: speed-ups above those of a perfect
/// parallelization.
fn perfect(published: &Published) -> Result<String> {
    let worst = published.value("A.4", "20000", "4 typical")?;
    Ok(format!(
        "Section 5.4: \"Assuming a perfect parallelization of bubble sort, one would expect speedups of 4, 16, 64, ... for 2, 4, 8, ... \
         processors.\" Table A.4 has larger ones, such as {worst:.1} for 20,000 integers on 4 processors."
    ))
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
    "Section 5.5: \"we examine a simple load-balancing method, as applied to the fan-in algorithm\". The caption of table A.6: \"the nine \
     processors used to solve a 32-process merge-sort problem\". Neither states the problem size. Both programs are shown."
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
