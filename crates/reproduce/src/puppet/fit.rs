//! The computation speed of the programs of the thesis, fitted to four of its figures.

use super::machines::Bench;
use super::programs::{self, INTEGER};
use super::published::Published;
use crate::error::Result;

/// Computation times in seconds, one set for all tables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    /// The time of bubble sort, divided by the square of the number of elements.
    pub sort: f64,
    /// The time of merging, per element of the result.
    pub merge: f64,
    /// The time to update one element of a matrix on a workstation of the Ethernet.
    pub update: f64,
    /// The time to update one element of a matrix on a node of the SP2.
    pub update_sp2: f64,
}

/// Iterations of scaling the speed of fan-in; few suffice because computation dominates.
const ROUNDS: usize = 6;

/// The quantities of a merge sort that the closed form of its time needs.
struct Sort {
    integers: f64,
    processes: f64,
    /// Time of its messages to process 0, in seconds.
    messages: f64,
}

impl Sort {
    fn new(integers: u32, processes: u32, link: impl Fn(f64) -> f64) -> Self {
        let (n, p) = (f64::from(integers), f64::from(processes));
        let rounds = (0..processes.ilog2()).map(|round| n / p * f64::from(1_u32 << round));
        Self { integers: n, processes: p, messages: rounds.map(|piece| link(piece * INTEGER as f64)).sum() }
    }

    /// Returns the square of the number of elements that one process sorts.
    fn squares(&self) -> f64 {
        (self.integers / self.processes).powi(2)
    }

    /// Returns the number of elements that process 0 merges: all in the last round, half of them in
    /// the round before, and so on.
    fn merged(&self) -> f64 {
        2.0 * self.integers * (1.0 - 1.0 / self.processes)
    }

    /// Returns the number of elements that all processes merge: all elements in each round.
    fn merged_by_all(&self) -> f64 {
        self.integers * self.processes.log2()
    }
}

impl Parameters {
    /// Fits the parameters to four figures: table A.1's times of 20,000 integers and of fan-in of
    /// order 1,000, both on two processors, table A.2's measured time of fan-in of order 2,000 on
    /// two processors, and the scaled speed-up of 80,000 integers on 32. The merge sort's time is
    /// that of process 0, which hardly waits: with even pieces all processes take equally long. So
    /// both of its figures are linear in the two times.
    pub(super) fn fit(published: &Published, bench: &Bench, sp2: &Bench) -> Result<Self> {
        let startup = published.value("5.2.1", "link", "startup")?;
        let byte = published.value("5.2.1", "link", "byte")?;
        let link = |bytes: f64| startup + byte * bytes;
        let time = published.value("A.1", "merge-sort 20000", "2")?;
        let speedup = published.value("A.4", "80000", "32 scaled")?;
        let (small, large) = (Sort::new(20_000, 2, link), Sort::new(80_000, 32, link));
        let first = [small.squares(), small.merged(), time - small.messages];
        let second = [
            (large.processes - speedup) * large.squares(),
            large.merged_by_all() - speedup * large.merged(),
            speedup * large.messages,
        ];
        let [sort, merge] = solve(first, second);
        let update = update(bench, 1000, 2, published.value("A.1", "fan-in 1000", "2")?)?;
        let on_sp2 = published.value("A.2 measured", "fan-in 2000", "2")?;
        Ok(Self { sort, merge, update, update_sp2: self::update(sp2, 2000, 2, on_sp2)? })
    }
}

/// Solves two linear equations with two unknowns. Each equation is given as its two coefficients
/// and its right-hand side.
fn solve(first: [f64; 3], second: [f64; 3]) -> [f64; 2] {
    let minor = |one: usize, other: usize| first[one] * second[other] - first[other] * second[one];
    [minor(2, 1) / minor(0, 1), minor(0, 2) / minor(0, 1)]
}

/// Returns the time to update one element with which fan-in of this order takes `time` seconds on
/// `processes` processes. Computation dominates, so repeated scaling converges quickly.
fn update(bench: &Bench, order: usize, processes: usize, time: f64) -> Result<f64> {
    let mut update = 1e-6;
    for _ in 0..ROUNDS {
        let program = programs::fan_in(order, processes, update);
        let simulated = bench.on_complete(&program, processes)?.time;
        update *= time / simulated;
    }
    Ok(update)
}
