//! DAXPY alone: how fast a node computes (thesis figure 5.8).

use panto_results::{Metric, Point, Record, kernel, param};
use panto_transport::Transport;

use super::overlap::Vectors;
use super::pair::TESTER;
use crate::error::Result;
use crate::kernel::Pattern;
use crate::measure::{Checked, Lab, Operation, Timing};
use crate::settings::Settings;

/// Default vector lengths in doubles, up to the thesis's 200 000: several within each cache.
const LENGTHS: [u64; 14] =
    [1, 10, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000];

/// Time of y += a x on one rank while the others are idle, by vector length.
#[derive(Debug, Clone, Copy)]
pub struct Daxpy;

impl Pattern for Daxpy {
    fn name(&self) -> &'static str {
        kernel::comet::DAXPY
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        let lengths = settings.lengths.clone().unwrap_or_else(|| LENGTHS.to_vec());
        let point = Point::new(settings.world());
        // No elements take no time.
        let some = lengths.iter().filter(|&&length| length > 0);
        Ok(some.map(|&length| point.clone().with(param::LENGTH, length)).collect())
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let is_tester = lab.transport.rank() == TESTER;
        let length = if is_tester { point.get(param::LENGTH) } else { 0 };
        let mut operation =
            DaxpyOperation { transport: lab.transport, is_tester, vectors: Vectors::new(length) };
        let samples = lab.measure(Timing::batched(Metric::on(TESTER)), &mut operation)?;
        Ok(samples.map(|samples| Record::new(self.name(), point, samples)))
    }
}

struct DaxpyOperation<'a, T> {
    transport: &'a T,
    is_tester: bool,
    vectors: Vectors,
}

impl<T: Transport> Operation for DaxpyOperation<'_, T> {
    fn prepare(&mut self, _round: u64) {
        self.vectors.reset();
    }

    fn run(&mut self) -> panto_transport::Result<()> {
        if self.is_tester {
            self.transport.charge(self.vectors.daxpy());
        }
        Ok(())
    }

    fn verify(&mut self) -> Checked {
        self.vectors.verify()
    }
}
