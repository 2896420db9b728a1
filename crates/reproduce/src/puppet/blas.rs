//! The scalable BLAS on the SP2: table A.3 of PUPPET's thesis.
//!
//! Section 5.1.3: the level-3 routines follow SUMMA. For each panel of the inner dimension, the
//! owners broadcast their parts of it along the rows and the columns of a mesh of processes, and
//! all processes update their part of the result. Panels lie cyclically, so that triangular
//! matrices are divided evenly.

use panto_sim::program::Program;

use super::machines::Bench;
use super::programs::{Builder, DOUBLE};
use super::published::Published;
use super::{ComparedTable, TableKind, cell};
use crate::error::{Error, Result};

/// The width of a panel, which the thesis does not state. It divides all orders.
const PANEL: usize = 50;
/// The orders of the matrices.
const ORDERS: [usize; 3] = [800, 1600, 2400];
/// The order whose time on one processor gives the speed of a routine.
const TIMED: usize = 1600;
/// The numbers of processors, with the rows and columns of their mesh.
const MESHES: [(&str, usize, usize); 3] = [("1", 1, 1), ("2", 1, 2), ("4", 2, 2)];

/// A routine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Routine {
    /// General matrix multiplication.
    Gemm,
    /// Triangular matrix multiplication.
    Trmm,
    /// Symmetric rank-K update.
    Syrk,
    /// Symmetric rank-2K update.
    Syr2k,
    /// Triangular solve.
    Trsm,
}

impl Routine {
    const ALL: [Self; 5] = [Self::Gemm, Self::Trmm, Self::Syrk, Self::Syr2k, Self::Trsm];

    fn name(self) -> &'static str {
        match self {
            Self::Gemm => "GEMM",
            Self::Trmm => "TRMM",
            Self::Syrk => "SYRK",
            Self::Syr2k => "SYR2K",
            Self::Trsm => "TRSM",
        }
    }

    /// Returns the rows of the first operand's panel that are not zero.
    fn rows(self, order: usize, panel: usize) -> usize {
        match self {
            Self::Trmm | Self::Trsm => order - panel * PANEL,
            Self::Gemm | Self::Syrk | Self::Syr2k => order,
        }
    }

    /// Returns the share of the result's elements that are updated: half of a symmetric matrix.
    fn share(self) -> f64 {
        if matches!(self, Self::Syrk | Self::Syr2k) { 0.5 } else { 1.0 }
    }

    /// Returns the number of products that are added: A B^T and B A^T of a rank-2K update.
    fn products(self) -> usize {
        if self == Self::Syr2k { 2 } else { 1 }
    }

    /// Returns the multiplications of a panel by one of the processes.
    fn multiplications(self, order: usize, panel: usize, (rows, cols): (usize, usize)) -> f64 {
        let elements = self.rows(order, panel) as f64 / rows as f64 * order as f64 / cols as f64;
        self.share() * self.products() as f64 * elements * PANEL as f64
    }
}

/// Returns a routine on matrices of an order, on a mesh of processes; a multiplication takes
/// `seconds`.
fn summa(routine: Routine, order: usize, (rows, cols): (usize, usize), seconds: f64) -> Program {
    let mut builder = Builder::new(rows * cols);
    let channels = builder.all_channels();
    for panel in 0..order / PANEL {
        let down = routine.rows(order, panel).div_ceil(rows) * PANEL;
        let across = order.div_ceil(cols) * PANEL;
        for _ in 0..routine.products() {
            for row in 0..rows {
                let team: Vec<usize> = (0..cols).map(|col| row * cols + col).collect();
                broadcast(&mut builder, &channels, &team, panel % cols, DOUBLE * down as u64);
            }
            for col in 0..cols {
                let team: Vec<usize> = (0..rows).map(|row| row * cols + col).collect();
                broadcast(&mut builder, &channels, &team, panel % rows, DOUBLE * across as u64);
            }
        }
        for process in 0..rows * cols {
            builder.compute(process, seconds * routine.multiplications(order, panel, (rows, cols)));
        }
    }
    builder.finish()
}

/// Returns the general product of matrices of an order on four processes.
pub(super) fn general(order: usize, seconds: f64) -> Program {
    summa(Routine::Gemm, order, (2, 2), seconds)
}

/// Adds a broadcast in a team of at most two processes.
fn broadcast(builder: &mut Builder, channels: &[Vec<u32>], team: &[usize], root: usize, bytes: u64) {
    let from = team[root];
    for &to in team.iter().filter(|&&to| to != from) {
        builder.send(from, channels[from][to], bytes);
        builder.receive(to, channels[from][to]);
    }
}

/// Returns the routines on one, two and four nodes of the SP2, beside what PUPPET predicted and
/// what was measured.
pub(super) fn tables(published: &Published, sp2: &Bench) -> Result<Vec<ComparedTable>> {
    let times = simulate(published, sp2)?;
    let table = |name: &str, about: &str| {
        let known = times.iter().filter(|(row, column, _)| published.figure(name, row, column).is_ok());
        Ok::<_, Error>(ComparedTable {
            kind: TableKind::Times,
            table: name.into(),
            about: about.into(),
            rows: "routine",
            cells: known.map(|time| cell(published, name, time)).collect::<Result<_>>()?,
        })
    };
    Ok(vec![
        table("A.3", "seconds of the scalable BLAS on the SP2, as predicted by PUPPET")?,
        table("A.3 measured", "seconds of the scalable BLAS on the SP2, as measured")?,
    ])
}

/// Returns the rows, columns and seconds of all routines.
fn simulate(published: &Published, sp2: &Bench) -> Result<Vec<(String, &'static str, f64)>> {
    let mut times = Vec::new();
    for routine in Routine::ALL {
        let row = |order: usize| format!("{} {order}", routine.name());
        let whole: f64 = (0..TIMED / PANEL).map(|panel| routine.multiplications(TIMED, panel, (1, 1))).sum();
        let seconds = published.value("A.3 measured", &row(TIMED), "1")? / whole;
        for order in ORDERS {
            for (column, rows, cols) in MESHES {
                let program = summa(routine, order, (rows, cols), seconds);
                times.push((row(order), column, sp2.on_complete(&program, rows * cols)?.time));
            }
        }
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A product needs n^3 multiplications, and half of them if an operand or the result is
    /// triangular, apart from the diagonal.
    #[test]
    fn routines_have_their_work() {
        let whole = |routine: Routine| -> f64 {
            (0..32).map(|panel| routine.multiplications(1600, panel, (1, 1))).sum()
        };
        let cube = 1600_f64.powi(3);
        for (routine, share) in Routine::ALL.into_iter().zip([1.0, 0.5, 0.5, 1.0, 0.5]) {
            assert!((whole(routine) / cube / share - 1.0).abs() < 0.04, "{routine:?}");
            let quarter: f64 = (0..32).map(|panel| routine.multiplications(1600, panel, (2, 2))).sum();
            assert!((4.0 * quarter / whole(routine) - 1.0).abs() < 1e-9, "{routine:?}");
        }
    }

    /// Every process of a mesh of 2 by 2 takes part in a broadcast in its row and one in its column
    /// for each panel.
    #[test]
    fn panels_are_broadcast_in_rows_and_columns() {
        let program = summa(Routine::Gemm, 200, (2, 2), 0.0);
        assert_eq!(program.channels.len(), 12);
        let calls = |process: usize| program.codes[process].ops.len();
        // Four panels of two calls with an operation each, the rest of the computation, the end.
        assert!((0..4).all(|process| calls(process) == 4 * 2 * 2 + 2));
    }
}
