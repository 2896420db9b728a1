//! A heat equation on a square plate, solved by Jacobi's method: the program of `panto quickstart`.
//!
//! The plate is divided into blocks, one per rank. In each step a rank exchanges the edges of its
//! block with its neighbours and computes; every tenth step all ranks reduce the residual. The
//! computation of a step is timed on this machine, and the trace is written as the tracer would
//! record it, for any power-of-two number of ranks.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use panto_trace::{Builder, CallForm, Collective, Data, Metadata, TraceWriter, key};

/// Points on each side of the plate.
pub const SIDE: usize = 1024;
/// Steps of the iteration.
pub const STEPS: usize = 40;
/// Steps between two reductions of the residual.
const REDUCTION_INTERVAL: usize = 10;
/// Ratio to the median above which a timed step was interrupted and is discarded.
const INTERRUPTED: f64 = 1.5;
/// Bytes of a point of the plate.
const POINT: u64 = 8;

/// Samples of the time of a step on this machine, in nanoseconds per point.
pub struct StepTimes(Vec<f64>);

impl StepTimes {
    /// Times some steps of a smaller plate on one core.
    pub fn measure() -> Self {
        const SMALL: usize = 256;
        const SAMPLES: usize = 101;
        let (mut old, mut new) = (vec![0.5_f64; SMALL * SMALL], vec![0.0_f64; SMALL * SMALL]);
        old[..SMALL].fill(1.0);
        let mut samples = Vec::new();
        for _ in 0..SAMPLES {
            let start = Instant::now();
            step(&old, &mut new, SMALL);
            let points = (SMALL - 2) * (SMALL - 2);
            samples.push(start.elapsed().as_secs_f64() * 1e9 / points as f64);
            std::mem::swap(&mut old, &mut new);
        }
        black_box(&old);
        // The first steps warm up the caches; interrupted steps are outliers.
        let kept = samples.split_off(SAMPLES / 5);
        let usual = panto_stats::median(&kept).unwrap_or(1.0);
        Self(kept.into_iter().filter(|sample| *sample < INTERRUPTED * usual).collect())
    }

    /// Returns the time of a step of a rank with this many points, in nanoseconds; ranks and steps
    /// vary as the samples do.
    fn step(&self, rank: u32, step: usize, points: u64) -> u64 {
        let sample = self.0[(rank as usize * 31 + step * 17) % self.0.len()];
        (sample * points as f64) as u64
    }
}

/// Replaces each inner point by the mean of its four neighbours.
fn step(old: &[f64], new: &mut [f64], side: usize) {
    for row in 1..side - 1 {
        for at in row * side + 1..(row + 1) * side - 1 {
            new[at] = 0.25 * (old[at - side] + old[at + side] + old[at - 1] + old[at + 1]);
        }
    }
}

/// Describes the program in a sentence.
pub fn description() -> String {
    format!(
        "The program solves the heat equation on a plate of {SIDE} x {SIDE} points in {STEPS} steps: each rank has a block, \
         exchanges its edges with its neighbours and computes; every tenth step all ranks reduce the residual."
    )
}

/// Writes the trace of the program on `ranks` ranks, a power of two.
pub fn write(path: &Path, ranks: u32, times: &StepTimes) -> Result<(), panto_trace::Error> {
    let mut facts = Metadata::default();
    let program = format!("heat equation on {SIDE} x {SIDE} points, {STEPS} steps (panto quickstart)");
    facts.set(key::PROGRAM, &program);
    facts.set(key::VERSION, env!("CARGO_PKG_VERSION"));
    let mut writer = TraceWriter::create(path, ranks, &facts)?;
    for rank in 0..ranks {
        writer.add(&stream(&Block::of(rank, ranks), times))?;
    }
    writer.finish()
}

/// The block of the plate that belongs to a rank.
struct Block {
    rank: u32,
    ranks: u32,
    /// Rows of blocks.
    down: u32,
    /// Columns of blocks.
    across: u32,
}

impl Block {
    /// Divides the plate into blocks that are as square as possible.
    fn of(rank: u32, ranks: u32) -> Self {
        let down = 1 << (ranks.ilog2() / 2);
        Self { rank, ranks, down, across: ranks / down }
    }

    fn height(&self) -> u64 {
        SIDE as u64 / u64::from(self.down)
    }

    fn width(&self) -> u64 {
        SIDE as u64 / u64::from(self.across)
    }

    /// Returns for each neighbour the distance of its rank, the bytes of the common edge, and the
    /// tag of its messages.
    fn neighbours(&self) -> Vec<(i32, u64, u32)> {
        let (row, column) = (self.rank / self.across, self.rank % self.across);
        let (far, wide, high) = (self.across as i32, self.width() * POINT, self.height() * POINT);
        let all = [
            (row > 0, (-far, wide, 0)),
            (row + 1 < self.down, (far, wide, 1)),
            (column > 0, (-1, high, 2)),
            (column + 1 < self.across, (1, high, 3)),
        ];
        all.into_iter().filter(|(is_there, _)| *is_there).map(|(_, neighbour)| neighbour).collect()
    }
}

fn stream(block: &Block, times: &StepTimes) -> Vec<u8> {
    let rank = block.rank;
    let mut calls = Builder::new(rank, block.ranks, POINT);
    let (neighbours, points) = (block.neighbours(), block.width() * block.height());
    let residual = Data::Same(POINT);
    for step in 0..STEPS {
        exchange(&mut calls, &neighbours, times.step(rank, step, points));
        if step % REDUCTION_INTERVAL == REDUCTION_INTERVAL - 1 {
            calls.collective("MPI_Allreduce", Collective::Allreduce, None, POINT, &residual, &residual);
        }
    }
    calls.finish(&Metadata::default())
}

/// Exchanges the edges with the neighbours; the computation comes before the wait.
fn exchange(calls: &mut Builder, neighbours: &[(i32, u64, u32)], computation: u64) {
    let rank = calls.rank();
    let mut requests = Vec::new();
    for (far, bytes, tag) in neighbours {
        let from = rank.wrapping_add_signed(*far);
        requests.extend(calls.receive(CallForm::Immediate, Some(from), Some(*tag), *bytes));
    }
    for (far, bytes, tag) in neighbours {
        let to = rank.wrapping_add_signed(*far);
        // The tags of opposite sides differ in the last bit.
        requests.extend(calls.send(CallForm::Immediate, to, tag ^ 1, *bytes));
    }
    calls.compute(computation);
    calls.wait(&requests);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_the_plate_and_neighbours_are_mutual() {
        for ranks in [1, 2, 4, 16, 64] {
            let all: Vec<Block> = (0..ranks).map(|rank| Block::of(rank, ranks)).collect();
            let points: u64 = all.iter().map(|block| block.width() * block.height()).sum();
            assert_eq!(points, (SIDE * SIDE) as u64);
            for block in &all {
                for (far, bytes, tag) in block.neighbours() {
                    let other = &all[(block.rank as i32 + far) as usize];
                    assert!(other.neighbours().contains(&(-far, bytes, tag ^ 1)), "{ranks} {}", block.rank);
                }
            }
        }
    }

    #[test]
    fn a_step_averages_neighbours() {
        let mut old = vec![0.0; 16];
        old[..4].fill(4.0);
        let mut new = old.clone();
        step(&old, &mut new, 4);
        assert_eq!(new[4..8], [0.0, 1.0, 1.0, 0.0]);
    }
}
