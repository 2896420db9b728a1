//! Compares the tables of PUPPET's thesis with simulated ones (P23).
//!
//! The programs of the thesis are modelled by the computations and messages of each process. Four
//! figures of the thesis determine the computation speed ([`Parameters`]); everything else follows
//! from them and from the links' start-up times and bandwidths. No other cell is fitted, and where
//! the thesis contradicts itself both figures are shown.

mod balancing;
mod blas;
mod contradictions;
mod fit;
mod machines;
pub mod present;
mod programs;
mod published;
mod speed;
mod speedups;
mod times;

#[cfg(test)]
mod tests;

use panto_sim::Sharing;

pub use balancing::Convergence;
pub use contradictions::Contradiction;
pub use fit::Parameters;
pub use speed::SpeedRow;

use crate::error::Result;
use crate::{Status, Tally, Verdict};
use machines::Bench;
use published::Published;

/// The name of PUPPET's thesis among the reproductions.
pub const NAME: &str = "puppet";

/// Tolerance of a cell in per cent. The thesis's own simulations differ from its measurements by up
/// to 6% on the Ethernet (table A.1).
const WITHIN: f64 = 10.0;

/// A published figure, and the simulated one.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Its row.
    pub row: String,
    /// Its column.
    pub column: String,
    /// The figure in the thesis.
    pub printed: f64,
    /// The simulated figure.
    pub simulated: f64,
    /// Whether it was used for the fit or is predicted, or the thesis contradicts it.
    pub status: Status,
    /// What contradicts it in the thesis.
    pub contradiction: Option<Contradiction>,
}

/// The content of a table of the thesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableKind {
    /// Times on the Ethernet and the SP2 (A.1 to A.3).
    Times,
    /// Speed-ups of the merge sort (A.4).
    Speedups,
    /// Attempts at load balancing (A.5).
    Convergence,
    /// Utilisation of processors (A.6).
    Utilisation,
    /// Speed-ups on two topologies (A.7).
    Topologies,
}

/// A table of the thesis: printed and simulated figures.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedTable {
    /// The kind of table.
    pub kind: TableKind,
    /// Its name in the thesis.
    pub table: String,
    /// Its caption.
    pub about: String,
    /// The heading of its rows.
    pub rows: &'static str,
    /// Its figures, row by row.
    pub cells: Vec<Cell>,
}

/// The tables of the thesis, printed and simulated.
#[derive(Debug, Clone, PartialEq)]
pub struct ThesisReproduction {
    /// The fitted computation times.
    pub parameters: Parameters,
    /// The tables.
    pub tables: Vec<ComparedTable>,
    /// The attempts at load balancing, step by step.
    pub convergence: Vec<Convergence>,
    /// How long simulations took, on this computer.
    pub speed: Vec<SpeedRow>,
    /// Contradictions within the thesis, and their texts.
    pub contradictions: Vec<(Contradiction, String)>,
    /// Assumptions about what the thesis does not state.
    pub assumed: Vec<String>,
}

/// Assumptions about what the thesis does not state.
const ASSUMED: [&str; 9] = [
    "integers have 4 bytes, and the pieces to sort lie on their processors at the beginning",
    "the time of bubble sort is proportional to the square of the number of elements, that of merging to their number",
    "the serial time behind the typical speed-up is bubble sort alone, at the same speed",
    "columns of fan-in are distributed cyclically; contributions are received in the order of processes, and adding one takes as long \
     per element as an update",
    "columns of fan-out are received in their order, and each updates the next column first; updating takes as long as in fan-in",
    "the scalable BLAS broadcasts panels of 50 columns, on meshes of 1 by 2 and 2 by 2; the speed of a routine is that of order \
     1,600 on one processor",
    "the ring and the hypercube use store-and-forward switching and links of the Ethernet's speed; processes are numbered along the \
     ring",
    "load balancing moves the first process of the best-utilised processor; its random mappings are not those of the thesis, so \
     only the convergence can be compared",
    "its problem sizes are the round ones whose computation is nearest to that of tables A.5 and A.6 together: fan-in of order 600, \
     and 80,000 integers to sort",
];

impl Cell {
    /// Returns the excess of the simulated figure, in per cent.
    pub fn difference(&self) -> f64 {
        (self.simulated / self.printed - 1.0) * 100.0
    }

    /// Returns whether the simulated figure agrees with the printed one.
    pub fn verdict(&self) -> Verdict {
        match self.status {
            Status::Contradicted => Verdict::Contradicted,
            _ if self.difference().abs() <= WITHIN => Verdict::Met,
            _ => Verdict::Differs,
        }
    }
}

impl ThesisReproduction {
    /// Counts the verdicts.
    pub fn tally(&self) -> Tally {
        let cells = self.tables.iter().flat_map(|table| &table.cells);
        cells.map(|cell| (cell.status, cell.verdict())).collect()
    }
}

impl ComparedTable {
    /// Returns the cell of a row and column.
    pub fn cell(&self, row: &str, column: &str) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.row == row && cell.column == column)
    }
}

/// Returns a simulated time in seconds beside the printed one, by its row and its number of
/// processors.
fn cell(published: &Published, table: &str, (row, column, simulated): &(String, &str, f64)) -> Result<Cell> {
    let figure = published.figure(table, row, column)?;
    Ok(Cell {
        row: row.clone(),
        column: format!("on {column}"),
        printed: figure.value,
        simulated: *simulated,
        status: figure.status,
        contradiction: figure.contradiction,
    })
}

/// Runs the programs of the thesis on its machines. PUPPET models no contention, as
/// `Sharing::None` does; `Sharing::Links` adds it.
pub fn reproduce(network: Sharing) -> Result<ThesisReproduction> {
    let published = Published::builtin()?;
    let bench = Bench::new(&published, "5.2.1", network)?;
    let sp2 = Bench::new(&published, "5.2.2", network)?;
    let parameters = Parameters::fit(&published, &bench, &sp2)?;
    let mut tables = times::tables(&published, &bench, &sp2, &parameters)?;
    tables.extend(blas::tables(&published, &sp2)?);
    tables.extend(speedups::tables(&published, &bench, &parameters)?);
    let (balanced, convergence) = balancing::tables(&published, &bench, &parameters)?;
    tables.extend(balanced);
    let contradictions = contradictions::all(&published, &tables)?;
    let assumed = ASSUMED.map(str::to_owned).to_vec();
    let speed = speed::rows(&bench, &sp2, &parameters)?;
    Ok(ThesisReproduction { parameters, tables, convergence, speed, contradictions, assumed })
}
