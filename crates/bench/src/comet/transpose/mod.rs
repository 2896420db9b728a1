//! Transpose, in two ways (C13).

mod exchange;
mod recursive;

use panto_transport::Transport;

use self::exchange::BlockExchange;
use self::recursive::Recursive;
use super::SUITE;
use super::matrix::{Layout, measure, points};
use crate::error::Result;
use crate::kernel::{About, Pattern};
use crate::measure::Lab;
use crate::point::{Point, param};
use crate::results::Record;
use crate::settings::Settings;

const EXCHANGE: &str = "exchange";
const RECURSIVE: &str = "recursive";

/// Time to transpose the matrix by exchange of blocks or by divide and conquer, by matrix dimension.
#[derive(Debug, Clone, Copy)]
pub struct Transpose;

impl Pattern for Transpose {
    fn about(&self) -> About {
        About {
            suite: SUITE,
            name: "transpose",
            line: "transposition of a matrix by exchange of blocks or divide and conquer, by matrix dimension",
            axis: param::DIM,
            least_ranks: 1,
            needs: None,
        }
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        points(settings, &[EXCHANGE, RECURSIVE])
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let layout = Layout::of(lab, point)?;
        let whole = (&layout, tester(&layout));
        if point.text(param::VARIANT) == EXCHANGE {
            return measure(lab, &self.about(), point, whole, |rank| BlockExchange::new(&layout, rank));
        }
        measure(lab, &self.about(), point, whole, |rank| Recursive::new(&layout, rank))
    }
}

/// The rank whose clock counts: in the last column of the first row. The first one is no good, for blocks on
/// the diagonal stay where they are.
fn tester(layout: &Layout) -> usize {
    layout.mesh.rank_at(0, layout.mesh.cols() - 1)
}
