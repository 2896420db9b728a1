//! How long a simulation takes, against the entries of its log: figures 5.12 and 5.13 of PUPPET's
//! thesis, for this simulator on this computer.

use std::time::Instant;

use panto_sim::program::{Op, PackedOp, Program};
use panto_stats::theil_sen;

use super::blas;
use super::fit::Parameters;
use super::machines::Bench;
use super::programs::{fan_in, fan_out};
use crate::error::Result;

/// Orders of the Cholesky factorisations.
const ORDERS: [usize; 4] = [250, 500, 1_000, 2_000];
const PROCESSORS: usize = 4;
/// Order of the matrices of the scalable BLAS.
const BLAS_ORDER: usize = 2_400;
/// Simulations of each program; the median counts.
const RUNS: usize = 5;
/// More than this number of entries are needed before PUPPET takes five seconds (5.3).
const ENTRIES_WITHIN: usize = 10_000;
const SECONDS_WITHIN: f64 = 5.0;
/// What all programs of the scalable BLAS took less than (5.3).
const BLAS_WITHIN: f64 = 1.0 / 3.0;

/// How long the simulation of a program took.
#[derive(Debug, Clone, PartialEq)]
pub struct SpeedRow {
    /// The program.
    pub program: String,
    /// Calls of all processes, which PUPPET's log has an entry for each of.
    pub entries: usize,
    /// The seconds of each simulation, ascending.
    pub seconds: Vec<f64>,
    /// Seconds that PUPPET took at most, if the thesis states it.
    pub published: Option<f64>,
}

impl SpeedRow {
    /// Returns the median.
    pub fn median(&self) -> f64 {
        self.seconds[self.seconds.len() / 2]
    }

    /// Returns whether the simulation takes no longer than PUPPET did at most.
    pub fn holds(&self) -> bool {
        self.published.is_none_or(|most| self.median() <= most)
    }
}

/// Returns the exponent of the growth of time with entries over the Cholesky factorisations; the
/// thesis calls it linear.
pub fn exponent(rows: &[SpeedRow]) -> Option<f64> {
    let cholesky = rows.iter().filter(|row| row.program.starts_with("fan-"));
    let points: Vec<(f64, f64)> =
        cholesky.map(|row| ((row.entries as f64).ln(), row.median().ln())).collect();
    theil_sen(&points).ok().map(|line| line.slope)
}

/// Simulates programs of growing size on the Ethernet, and one of the scalable BLAS on the SP2.
pub(super) fn rows(bench: &Bench, sp2: &Bench, parameters: &Parameters) -> Result<Vec<SpeedRow>> {
    let mut rows = Vec::new();
    for order in ORDERS {
        for (name, program) in [("fan-in", fan_in as fn(_, _, _) -> _), ("fan-out", fan_out)] {
            let program = program(order, PROCESSORS, parameters.update);
            let bound = (entries(&program) <= ENTRIES_WITHIN).then_some(SECONDS_WITHIN);
            rows.push(row(format!("{name} {order}"), bench, &program, bound)?);
        }
    }
    let program = blas::general(BLAS_ORDER, parameters.update_sp2);
    rows.push(row(format!("gemm {BLAS_ORDER}"), sp2, &program, Some(BLAS_WITHIN))?);
    Ok(rows)
}

fn row(name: String, bench: &Bench, program: &Program, published: Option<f64>) -> Result<SpeedRow> {
    let time = || {
        let start = Instant::now();
        bench.on_complete(program, PROCESSORS)?;
        Ok(start.elapsed().as_secs_f64())
    };
    let mut seconds = (0..RUNS).map(|_| time()).collect::<Result<Vec<f64>>>()?;
    seconds.sort_by(f64::total_cmp);
    Ok(SpeedRow { program: name, entries: entries(program), seconds, published })
}

fn entries(program: &Program) -> usize {
    let is_call = |op: &&PackedOp| matches!(op.unpack(), Op::Call { .. });
    program.codes.iter().map(|code| code.ops.iter().filter(is_call).count()).sum()
}
