//! The check detects wrong results.

use std::sync::atomic::AtomicBool;

use panto_implementation::matrix::Operation;
use panto_results::{KernelInfo, param};
use panto_transport::World;
use panto_transport::threads::Threads;

use super::*;
use crate::settings::Settings;

const DIM: usize = 9;

/// A kernel that does nothing but claims a result.
struct Idle {
    transposes: bool,
    fills_guard: bool,
}

impl MatrixKernel for Idle {
    fn buffers(&self) -> Vec<usize> {
        Vec::new()
    }

    fn run<T: Transport>(&self, _: &T, _: &mut Block, _: &mut [Vec<Double>]) -> panto_transport::Result<()> {
        Ok(())
    }

    fn sends(&self) -> usize {
        0
    }

    fn task(&self) -> Task {
        Task::of(Operation::Guard)
    }

    fn origin(&self, row: usize, col: usize) -> (usize, usize) {
        if self.transposes { (col, row) } else { (row, col) }
    }

    fn fills_guard(&self) -> bool {
        self.fills_guard
    }
}

const HONEST: Idle = Idle { transposes: false, fills_guard: false };

fn setup() -> Setup {
    Setup { dim: DIM, own: Rect { rows: 3..6, cols: 0..4 } }
}

#[test]
fn the_set_up_itself_is_right() {
    assert_eq!(setup().check(&HONEST, &setup().block()), Ok(()));
}

#[test]
fn every_single_wrong_element_is_named() {
    let setup = setup();
    for (place_row, row) in setup.own.rows.clone().enumerate() {
        for (place_col, col) in setup.own.cols.clone().enumerate() {
            let mut block = setup.block();
            block.set(place_row + 1, place_col + 1, 0.5);
            let expected = row * DIM + col;
            let text =
                format!("the element for row {row}, column {col} of the matrix is 0.5, not {expected}");
            assert_eq!(setup.check(&HONEST, &block), Err(text));
        }
    }
}

#[test]
fn a_guard_that_was_touched_is_noticed() {
    let mut block = setup().block();
    block.set(0, 2, 7.0);
    let text = "the guard for row 2, column 1 of the matrix is 7, not -1";
    assert_eq!(setup().check(&HONEST, &block), Err(text.into()));
}

#[test]
fn a_guard_must_hold_what_is_beyond_it_around_the_ends() {
    let (setup, fills) = (setup(), Idle { fills_guard: true, ..HONEST });
    let mut block = setup.block();
    let text = setup.check(&fills, &block).unwrap_err();
    assert!(text.contains("row 2, column 0 of the matrix is -1, not 18"), "{text}");
    for col in 0..4 {
        block.set(0, col + 1, setup.value((2, col)));
        block.set(4, col + 1, setup.value((6, col)));
    }
    for row in 3..6 {
        block.set(row - 2, 0, setup.value((row, 8)));
        block.set(row - 2, 5, setup.value((row, 4)));
    }
    assert_eq!(setup.check(&fills, &block), Ok(()));
}

#[test]
fn a_block_of_others_is_noticed() {
    let other = Setup { own: Rect { rows: 6..9, cols: 0..4 }, ..setup() };
    assert!(setup().check(&HONEST, &other.block()).unwrap_err().contains("3..6"));
}

#[test]
fn a_kernel_that_does_nothing_is_stopped_by_the_measuring_loop() {
    let lazy = |_| Idle { transposes: true, fills_guard: false };
    let info = KernelInfo { name: "test/lazy", summary: "", axis: param::DIM, min_ranks: 1, needs: None };
    let (settings, interrupt) = (Settings { ranks: vec![4], ..Settings::default() }, AtomicBool::new(false));
    let error = Threads::default()
        .run(4, |transport| {
            let mut lab = Lab::new(transport, &settings, &interrupt)?;
            let point = Point::new(4).with(param::DIM, DIM as u64);
            let layout = Layout::of(&lab, &point)?;
            measure(&mut lab, &info, &point, (&layout, 0), lazy)
        })
        .unwrap_err()
        .to_string();
    assert!(error.contains("wrong data: the element for row"), "{error}");
}
