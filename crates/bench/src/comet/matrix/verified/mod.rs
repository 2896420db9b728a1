//! The fixed set-up, and the check of every element after every run (C16).
//!
//! This is the only way to measure a [`MatrixKernel`]: it owns the block and all message buffers,
//! so no kernel can skip the set-up or the check, or find data of an earlier run.

use panto_results::{KernelInfo, Metric, Point, Record, Samples};
use panto_transport::Transport;

use super::block::{Block, Double};
use super::layout::Layout;
use super::rect::Rect;
use super::user::{self, Task, UserKernel};
use crate::error::Result;
use crate::measure::{Checked, Lab, Operation, Timing};

/// Value of the guard before a run: no element of the matrix is negative.
const GUARD: f64 = -1.0;
/// Value of buffers before a run: all bits set is NaN, which equals nothing.
const UNSET: Double = [0xFF; size_of::<f64>()];

/// Operation of one rank on the matrix. It defines the operation and its correct result, and has no
/// memory of its own.
pub(in crate::comet) trait MatrixKernel {
    /// Returns the lengths of the buffers that [`run`](Self::run) gets, in doubles.
    fn buffers(&self) -> Vec<usize>;

    /// Runs the operation. This is what is timed.
    fn run<T: Transport>(
        &self,
        transport: &T,
        block: &mut Block,
        buffers: &mut [Vec<Double>],
    ) -> panto_transport::Result<()>;

    /// Returns the doubles that this rank sends in one run.
    fn sends(&self) -> usize;

    /// Returns what the operation is to do here, for implementations of the user's.
    fn task(&self) -> Task;

    /// Returns the elements that a rank holds afterwards, if it held its `own` before.
    fn holds(&self, own: &Rect) -> Rect {
        own.clone()
    }

    /// Returns which element was copied to this global row and column.
    fn origin(&self, row: usize, col: usize) -> (usize, usize) {
        (row, col)
    }

    /// Returns whether the guard is filled. Then each of its sides must hold the elements beyond
    /// it, with wrap-around; otherwise it must be unchanged.
    fn fills_guard(&self) -> bool {
        false
    }
}

/// Measures a kernel by the time on the rank `tester`. `build` makes the kernel of a given rank.
pub(in crate::comet) fn measure<T: Transport, K: MatrixKernel>(
    lab: &mut Lab<'_, T>,
    info: &KernelInfo,
    point: &Point,
    (layout, tester): (&Layout, usize),
    build: impl Fn(usize) -> K,
) -> Result<Option<Record>> {
    let (transport, own) = (lab.transport, build(lab.transport.rank()));
    let samples = match user::of_point(lab.settings, point)? {
        Some(user) => sample(lab, (layout, tester), UserKernel::new(transport, user, layout, own)?),
        None => sample(lab, (layout, tester), own),
    }?;
    let moved = || (build(tester).sends() * size_of::<f64>()) as u64;
    Ok(samples.map(|samples| Record { moved: Some(moved()), ..Record::new(info.name, point, samples) }))
}

/// Takes samples of the kernel of this rank.
fn sample<T: Transport, K: MatrixKernel>(
    lab: &mut Lab<'_, T>,
    (layout, tester): (&Layout, usize),
    kernel: K,
) -> Result<Option<Samples>> {
    let setup = Setup { dim: layout.dim, own: layout.rect(lab.transport.rank()) };
    let mut operation = Verified::new(lab.transport, setup, kernel);
    Ok(lab.measure(Timing::checked(Metric::on(tester)), &mut operation)?)
}

/// The fixed set-up of one rank.
struct Setup {
    dim: usize,
    own: Rect,
}

impl Setup {
    /// Returns the value of an element: all differ, and a double holds them exactly.
    fn value(&self, (row, col): (usize, usize)) -> f64 {
        (row * self.dim + col) as f64
    }

    fn block(&self) -> Block {
        let mut block = Block::new(self.own.clone(), GUARD);
        for (place_row, row) in self.own.rows.clone().enumerate() {
            for (place_col, col) in self.own.cols.clone().enumerate() {
                block.set(place_row + 1, place_col + 1, self.value((row, col)));
            }
        }
        block
    }

    fn check<K: MatrixKernel>(&self, kernel: &K, block: &Block) -> Checked {
        let holds = kernel.holds(&self.own);
        if *block.holds() != holds {
            return Err(format!("the block holds {:?}, not {holds:?}", block.holds()));
        }
        let places =
            (0..holds.height() + 2).flat_map(|row| (0..holds.width() + 2).map(move |col| (row, col)));
        for (row, col) in places {
            let (found, expected) = (block.get(row, col), self.expected(kernel, &holds, row, col));
            if found.to_bits() != expected.to_bits() {
                return Err(self.mismatch(&holds, (row, col), found, expected));
            }
        }
        Ok(())
    }

    fn expected<K: MatrixKernel>(&self, kernel: &K, holds: &Rect, row: usize, col: usize) -> f64 {
        let (global_row, global_col) = self.global(holds, row, col);
        match guards(holds, row, col) {
            0 => self.value(kernel.origin(global_row, global_col)),
            1 if kernel.fills_guard() => self.value((global_row, global_col)),
            _ => GUARD,
        }
    }

    /// Returns the global row and column of a place in the local array; those of a guard wrap
    /// around.
    fn global(&self, holds: &Rect, row: usize, col: usize) -> (usize, usize) {
        let around = |start, place| (start + self.dim + place - 1) % self.dim;
        (around(holds.rows.start, row), around(holds.cols.start, col))
    }

    fn mismatch(&self, holds: &Rect, (row, col): (usize, usize), found: f64, expected: f64) -> String {
        let (global_row, global_col) = self.global(holds, row, col);
        let whose = if guards(holds, row, col) == 0 { "the element" } else { "the guard" };
        format!("{whose} for row {global_row}, column {global_col} of the matrix is {found}, not {expected}")
    }
}

/// Returns in how many directions a place is in the guard: 0 for an element, 2 for a corner.
fn guards(holds: &Rect, row: usize, col: usize) -> usize {
    let outside = |place, last| usize::from(place == 0 || place > last);
    outside(row, holds.height()) + outside(col, holds.width())
}

/// A kernel between its set-up and its check.
struct Verified<'a, T, K> {
    transport: &'a T,
    setup: Setup,
    kernel: K,
    block: Block,
    buffers: Vec<Vec<Double>>,
}

impl<'a, T: Transport, K: MatrixKernel> Verified<'a, T, K> {
    fn new(transport: &'a T, setup: Setup, kernel: K) -> Self {
        let buffers = kernel.buffers().into_iter().map(|len| vec![UNSET; len]).collect();
        Self { transport, block: setup.block(), setup, kernel, buffers }
    }
}

impl<T: Transport, K: MatrixKernel> Operation for Verified<'_, T, K> {
    fn prepare(&mut self, _round: u64) {
        self.block = self.setup.block();
        // A kernel may have exchanged a buffer for the block's array, so lengths are restored too.
        for (buffer, len) in self.buffers.iter_mut().zip(self.kernel.buffers()) {
            buffer.clear();
            buffer.resize(len, UNSET);
        }
    }

    fn run(&mut self) -> panto_transport::Result<()> {
        self.kernel.run(self.transport, &mut self.block, &mut self.buffers)
    }

    fn verify(&mut self) -> Checked {
        self.setup.check(&self.kernel, &self.block)
    }
}

#[cfg(test)]
mod tests;
