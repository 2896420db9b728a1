//! The tables of PUPPET's thesis beside what comes out here (P23).
//!
//! The programs of the thesis are written down as what each process computes and sends. Three figures of the thesis fix how fast they
//! compute ([`Parameters`]); everything else follows from them and from the Ethernet's line. Nothing is fitted to single cells, and
//! where the thesis disagrees with itself both sides are shown.

mod balancing;
mod contradictions;
mod fit;
mod machines;
mod programs;
mod published;
mod speedups;

#[cfg(test)]
mod tests;

use panto_sim::Model;

pub use balancing::Convergence;
pub use fit::Parameters;
pub use published::Status;

use crate::error::Error;
use machines::Bench;
use published::Published;

/// A published figure, and what comes out here.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Its row,
    pub row: String,
    /// and its column.
    pub column: String,
    /// What the thesis says.
    pub printed: f64,
    /// What comes out here.
    pub simulated: f64,
    /// Was it used for the fit, or does it follow?
    pub status: Status,
}

/// A table of the thesis.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// Its name in the thesis.
    pub table: String,
    /// What it is about.
    pub about: String,
    /// What rows are.
    pub rows: &'static str,
    /// Its figures, row by row.
    pub cells: Vec<Cell>,
}

/// All tables.
#[derive(Debug, Clone, PartialEq)]
pub struct Reproduced {
    /// How fast processes compute.
    pub parameters: Parameters,
    /// The tables.
    pub tables: Vec<Compared>,
    /// How load balancing went, step by step.
    pub convergence: Vec<Convergence>,
    /// Where the thesis disagrees with itself, a sentence each.
    pub contradictions: Vec<String>,
    /// What it does not say, and was assumed.
    pub assumed: Vec<String>,
}

/// What the thesis does not say.
const ASSUMED: [&str; 7] = [
    "integers have 4 bytes, and the pieces to sort lie on their processors at the beginning",
    "bubble sort takes a time for each pair of elements, merging one for each element, whatever the size",
    "the serial time behind the typical speed-up is bubble sort alone, at the same speed",
    "columns of fan-in are dealt to processes in turn; contributions are received in the order of processes, and adding one up takes as \
     long an element as an update",
    "the ring and the hypercube store and forward messages over links of the Ethernet's speed; processes are numbered along the ring",
    "load balancing moves the first process of the best-utilised processor; its random mappings are not those of the thesis, so \
     that only the way they go can be compared",
    "its problem sizes are the round ones whose computation is nearest to what tables A.5 and A.6 give together: fan-in of order 600, \
     and 80,000 integers to sort",
];

impl Cell {
    /// How much more comes out here, in per cent.
    pub fn difference(&self) -> f64 {
        (self.simulated / self.printed - 1.0) * 100.0
    }
}

impl Compared {
    /// The cell of a row and column.
    pub fn cell(&self, row: &str, column: &str) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.row == row && cell.column == column)
    }
}

/// Runs the programs of the thesis on its machines. PUPPET's messages do not get in each other's way; `Model::Traffic` lets them.
pub fn reproduce(network: Model) -> Result<Reproduced, Error> {
    let published = Published::known()?;
    let bench = Bench::new(&published, network)?;
    let parameters = Parameters::fit(&published, &bench)?;
    let mut tables = speedups::tables(&published, &bench, &parameters)?;
    let (balanced, convergence) = balancing::tables(&published, &bench, &parameters)?;
    tables.extend(balanced);
    let contradictions = contradictions::all(&published, &tables)?;
    let assumed = ASSUMED.map(str::to_owned).to_vec();
    Ok(Reproduced { parameters, tables, convergence, contradictions, assumed })
}
