//! Transpose, by two algorithms (C13).

mod exchange;
mod recursive;

use panto_implementation::matrix::Operation;
use panto_results::{Point, Record, kernel, param};
use panto_transport::Transport;

use self::exchange::BlockExchange;
use self::recursive::Recursive;
use super::matrix::{Layout, measure, points};
use crate::error::Result;
use crate::kernel::Pattern;
use crate::measure::Lab;
use crate::settings::Settings;

const EXCHANGE: &str = "exchange";
const RECURSIVE: &str = "recursive";

/// Time to transpose the matrix by exchange of blocks or by divide and conquer, by matrix
/// dimension.
#[derive(Debug, Clone, Copy)]
pub struct Transpose;

impl Pattern for Transpose {
    fn name(&self) -> &'static str {
        kernel::comet::TRANSPOSE
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        points(settings, Operation::Transpose, &[EXCHANGE, RECURSIVE])
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let layout = Layout::of(lab, point)?;
        let whole = (&layout, tester(&layout));
        if point.text(param::VARIANT) == RECURSIVE {
            return measure(lab, self.info(), point, whole, |rank| Recursive::new(&layout, rank));
        }
        measure(lab, self.info(), point, whole, |rank| BlockExchange::new(&layout, rank))
    }
}

/// Returns the rank that is timed: in the last column of the first row. Not the first one, since
/// blocks on the diagonal stay in place.
fn tester(layout: &Layout) -> usize {
    layout.mesh.rank_at(0, layout.mesh.cols() - 1)
}
