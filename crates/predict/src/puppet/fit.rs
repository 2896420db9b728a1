//! How fast the processes of the thesis compute.

use super::machines::Bench;
use super::programs::{self, INTEGER};
use super::published::Published;
use crate::error::Error;

/// How fast processes compute, in seconds: one set for all tables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    /// Bubble sort, for the square of the number of elements.
    pub sort: f64,
    /// Merging, for an element of the result.
    pub merge: f64,
    /// An update of one element of a matrix.
    pub update: f64,
}

/// So often is the speed of fan-in scaled.
const ROUNDS: usize = 6;

/// A merge sort, as far as a closed form needs it.
struct Sort {
    integers: f64,
    processes: f64,
    /// What its messages take on the way to process 0.
    messages: f64,
}

impl Sort {
    fn new(integers: u32, processes: u32, link: impl Fn(f64) -> f64) -> Self {
        let (n, p) = (f64::from(integers), f64::from(processes));
        let rounds = (0..processes.ilog2()).map(|round| n / p * f64::from(1_u32 << round));
        Self { integers: n, processes: p, messages: rounds.map(|piece| link(piece * INTEGER as f64)).sum() }
    }

    /// What one process sorts: the square of its piece.
    fn squares(&self) -> f64 {
        (self.integers / self.processes).powi(2)
    }

    /// What process 0 merges: in the last round all, in the one before half of it, and so on.
    fn merged(&self) -> f64 {
        2.0 * self.integers * (1.0 - 1.0 / self.processes)
    }

    /// What all processes merge: everything in each round.
    fn merged_by_all(&self) -> f64 {
        self.integers * self.processes.log2()
    }
}

impl Parameters {
    /// From three figures: table A.1's times of 20,000 integers and of fan-in of order 1,000, both on two processors, and the scaled
    /// speed-up of 80,000 integers on 32. The merge sort's time is that of process 0, which never waits long for anybody: with even pieces
    /// all are as fast. So both of its figures are linear in the two times.
    pub(super) fn fit(published: &Published, bench: &Bench) -> Result<Self, Error> {
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
        Ok(Self { sort, merge, update })
    }
}

/// The two unknowns of two equations; each is the factors of both, and the sum.
fn solve(first: [f64; 3], second: [f64; 3]) -> [f64; 2] {
    let minor = |one: usize, other: usize| first[one] * second[other] - first[other] * second[one];
    [minor(2, 1) / minor(0, 1), minor(0, 2) / minor(0, 1)]
}

/// An update of one element, so that fan-in of this order takes so long on so many processes. Computation is nearly all of it, and so
/// scaling ends soon.
fn update(bench: &Bench, order: usize, processes: usize, time: f64) -> Result<f64, Error> {
    let mut parameters = Parameters { sort: 0.0, merge: 0.0, update: 1e-6 };
    for _ in 0..ROUNDS {
        let program = programs::fan_in(order, processes, &parameters);
        let simulated = bench.on_complete(&program, processes)?.time;
        parameters.update *= time / simulated;
    }
    Ok(parameters.update)
}
