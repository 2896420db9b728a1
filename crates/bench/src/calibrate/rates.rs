//! Rates of a processor: copies, sums and DAXPY, to scale computation by (P16).

use std::hint::black_box;

use panto_results::{Metric, Point, Record, kernel, param};
use panto_transport::{Result as Passed, Transport, Work};

use crate::comet::pair::TESTER;
use crate::error::Result;
use crate::kernel::Pattern;
use crate::measure::{Checked, Lab, Operation, Timing};
use crate::settings::Settings;

/// Default sizes in bytes, from the L1 cache to main memory.
const BYTES: [u64; 6] = [64, 512, 4 << 10, 32 << 10, 256 << 10, 2 << 20];
const LENGTHS: [u64; 6] = [8, 64, 512, 4 << 10, 32 << 10, 256 << 10];
/// Doubles between two elements of a column, as in a matrix with this many columns.
const STRIDE: usize = 64;
/// Most elements of a column: more would span a gigabyte.
const MAX_STRIDED: u64 = 1 << 20;
const DOUBLE: usize = size_of::<f64>();

/// Time of local work on one rank, by kind and amount.
#[derive(Debug, Clone, Copy)]
pub struct Rates;

/// Kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Copy,
    Strided,
    Reduce,
    Daxpy,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Copy, Self::Strided, Self::Reduce, Self::Daxpy];

    fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Strided => "strided",
            Self::Reduce => "reduce",
            Self::Daxpy => "daxpy",
        }
    }

    /// Returns the parameter of the amount: copies and sums are counted in bytes, the others in
    /// elements.
    fn param(self) -> &'static str {
        match self {
            Self::Copy | Self::Reduce => param::BYTES,
            Self::Strided | Self::Daxpy => param::LENGTH,
        }
    }

    fn amounts(self, settings: &Settings) -> Vec<u64> {
        let lengths = || settings.lengths.clone().unwrap_or_else(|| LENGTHS.to_vec());
        match self {
            Self::Copy | Self::Reduce => BYTES.to_vec(),
            Self::Strided => lengths().into_iter().filter(|&length| length <= MAX_STRIDED).collect(),
            Self::Daxpy => lengths(),
        }
    }

    fn of(point: &Point) -> Self {
        let name = point.text(param::VARIANT);
        Self::ALL.into_iter().find(|kind| kind.name() == name).unwrap_or(Self::Copy)
    }
}

impl Pattern for Rates {
    fn name(&self) -> &'static str {
        kernel::calibrate::RATES
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        let mut points = Vec::new();
        for kind in Kind::ALL {
            let point = Point::new(settings.world()).with_text(param::VARIANT, kind.name());
            points.extend(
                kind.amounts(settings).iter().map(|&amount| point.clone().with(kind.param(), amount)),
            );
        }
        Ok(points)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let kind = Kind::of(point);
        let amount = if lab.transport.rank() == TESTER { point.get(kind.param()) } else { 0 };
        let mut operation = WorkOperation { transport: lab.transport, bench: Operands::new(kind, amount) };
        let samples = lab.measure(Timing::batched(Metric::on(TESTER)), &mut operation)?;
        Ok(samples.map(|samples| Record::new(self.name(), point, samples)))
    }
}

/// One rank works, and the others wait.
struct WorkOperation<'a, T> {
    transport: &'a T,
    bench: Operands,
}

impl<T: Transport> Operation for WorkOperation<'_, T> {
    fn prepare(&mut self, _round: u64) {
        self.bench.y.fill(0.0);
    }

    fn run(&mut self) -> Passed<()> {
        if self.transport.rank() == TESTER {
            self.transport.charge(self.bench.work());
        }
        Ok(())
    }

    fn verify(&mut self) -> Checked {
        self.bench.verify()
    }
}

/// Factor of the DAXPY: small, so that sums stay far from overflow; a power of two, so that they
/// are exact.
const A: f64 = 0.25;

/// Operands of the work.
struct Operands {
    kind: Kind,
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Operands {
    fn new(kind: Kind, amount: usize) -> Self {
        let elements = match kind {
            Kind::Copy | Kind::Reduce => amount / DOUBLE,
            Kind::Strided | Kind::Daxpy => amount,
        };
        let spread = if kind == Kind::Strided { STRIDE } else { 1 };
        let x = (0..elements * spread).map(|place| (place % 1000) as f64).collect();
        Self { kind, x, y: vec![0.0; elements] }
    }

    /// Does the work once and returns it, for the caller to charge.
    #[must_use = "a simulated machine takes no time for work that is not charged"]
    fn work(&mut self) -> Work {
        let (x, y) = (black_box(&self.x), &mut self.y);
        let elements = y.len();
        let work = match self.kind {
            Kind::Copy => {
                y.copy_from_slice(x);
                Work::Copy(elements * DOUBLE)
            }
            Kind::Strided => {
                y.iter_mut().zip(x.iter().step_by(STRIDE)).for_each(|(y, x)| *y = *x);
                Work::Strided(elements)
            }
            Kind::Reduce => {
                y.iter_mut().zip(x).for_each(|(y, x)| *y += x);
                Work::Reduce(elements * DOUBLE)
            }
            Kind::Daxpy => {
                panto_daxpy::daxpy(A, x, y);
                Work::Daxpy(elements)
            }
        };
        black_box(&mut self.y);
        work
    }

    /// Checks the result of one piece of work on cleared results.
    fn verify(&self) -> Checked {
        let factor = if self.kind == Kind::Daxpy { A } else { 1.0 };
        let spread = if self.kind == Kind::Strided { STRIDE } else { 1 };
        let wrong = |(place, &y): (usize, &f64)| {
            let right = factor * self.x[place * spread];
            ((y - right).abs() > 0.0).then(|| format!("element {place} is {y}, not {right}"))
        };
        self.y.iter().enumerate().find_map(wrong).map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_what_it_says_and_is_checked() {
        for (kind, work) in [
            (Kind::Copy, Work::Copy(40)),
            (Kind::Strided, Work::Strided(5)),
            (Kind::Reduce, Work::Reduce(40)),
            (Kind::Daxpy, Work::Daxpy(5)),
        ] {
            let amount = if kind.param() == param::BYTES { 40 } else { 5 };
            let mut bench = Operands::new(kind, amount);
            assert!(bench.verify().is_err(), "{kind:?}: nothing was done yet");
            assert_eq!(bench.work(), work);
            assert_eq!(bench.verify(), Ok(()));
            bench.y[3] += 1.0;
            assert!(bench.verify().unwrap_err().contains("element 3"));
        }
    }
}
