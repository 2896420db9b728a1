//! Overlap of communication and computation: pairwise exchange and DAXPY (C10).

use std::hint::black_box;

use panto_results::variant::{BLOCKING, OVERLAPPED};
use panto_results::{Metric, Point, Record, kernel, param};
use panto_transport::{Selector, SendMode, Transport, Work, scope};

use super::echo::Role;
use super::exchange::ExchangeBuffers;
use super::pair::{TESTER, one_pair, partner};
use super::tag;
use crate::error::Result;
use crate::kernel::Pattern;
use crate::measure::{Checked, Lab, Operation, Timing};
use crate::settings::Settings;

/// Default message sizes in bytes. 2536 and 85000 are the thesis's; the others lie between and
/// beyond them.
const SIZES: [u64; 6] = [0, 256, 2_536, 16 << 10, 85_000, 1 << 20];
/// Default vector lengths in doubles; the thesis went up to 200 000.
const LENGTHS: [u64; 5] = [0, 1_000, 10_000, 50_000, 200_000];

/// Time of an exchange and a DAXPY, one after the other and overlapped, by message size and vector
/// length.
#[derive(Debug, Clone, Copy)]
pub struct Overlap;

impl Pattern for Overlap {
    fn name(&self) -> &'static str {
        kernel::comet::OVERLAP
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        let sizes = settings.sizes.clone().unwrap_or_else(|| SIZES.to_vec());
        let lengths = settings.lengths.clone().unwrap_or_else(|| LENGTHS.to_vec());
        let mut points = Vec::with_capacity(2 * sizes.len() * lengths.len());
        for pair in one_pair(settings)? {
            for &bytes in &sizes {
                for &length in &lengths {
                    let point = pair.clone().with(param::BYTES, bytes).with(param::LENGTH, length);
                    let variant = |name| point.clone().with_text(param::VARIANT, name);
                    points.extend([variant(BLOCKING), variant(OVERLAPPED)]);
                }
            }
        }
        Ok(points)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let role = Role::of(lab.transport.rank(), TESTER, partner(lab, point)?);
        let mut operation = OverlapOperation {
            transport: lab.transport,
            overlapped: point.text(param::VARIANT) == OVERLAPPED,
            traffic: ExchangeBuffers::new(role, point.get(param::BYTES)),
            vectors: Vectors::new(if role == Role::Idle { 0 } else { point.get(param::LENGTH) }),
        };
        let samples = lab.measure(Timing::batched(Metric::on(TESTER)), &mut operation)?;
        Ok(samples.map(|samples| Record::new(self.name(), point, samples)))
    }
}

struct OverlapOperation<'a, T> {
    transport: &'a T,
    overlapped: bool,
    traffic: ExchangeBuffers,
    vectors: Vectors,
}

impl<T: Transport> OverlapOperation<'_, T> {
    fn one_after_the_other(&mut self, with: usize) -> panto_transport::Result<()> {
        self.traffic.exchange(self.transport, with)?;
        self.transport.charge(self.vectors.daxpy());
        Ok(())
    }

    fn at_once(&mut self, with: usize) -> panto_transport::Result<()> {
        let Self { transport, traffic: ExchangeBuffers { sent, received, .. }, vectors, .. } = self;
        scope(*transport, |scope| {
            let receive = scope.receive(received, Selector::new(with, tag::DATA))?;
            let send = scope.send(SendMode::Standard, sent, with, tag::DATA)?;
            transport.charge(vectors.daxpy());
            scope.wait(send)?;
            scope.wait(receive).map(drop)
        })?;
        self.traffic.forward_received();
        Ok(())
    }
}

impl<T: Transport> Operation for OverlapOperation<'_, T> {
    fn prepare(&mut self, round: u64) {
        self.traffic.prepare(self.transport.rank(), round);
        self.vectors.reset();
    }

    fn run(&mut self) -> panto_transport::Result<()> {
        match self.traffic.with {
            None => Ok(()),
            Some(with) if self.overlapped => self.at_once(with),
            Some(with) => self.one_after_the_other(with),
        }
    }

    fn verify(&mut self) -> Checked {
        self.traffic.verify()?;
        self.traffic.with.map_or(Ok(()), |_| self.vectors.verify())
    }
}

/// Factor of the DAXPY: small, so that y stays far from overflow over millions of repetitions; a
/// power of two, so that sums are exact and can be compared.
const A: f64 = 0.25;

/// Operands of y += a x.
pub(super) struct Vectors {
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Vectors {
    pub(super) fn new(length: usize) -> Self {
        let x = (0..length).map(|place| (place % 1000) as f64).collect();
        Self { x, y: vec![0.0; length] }
    }

    pub(super) fn reset(&mut self) {
        self.y.fill(1.0);
    }

    /// Runs one DAXPY and returns its work, for the caller to charge.
    #[must_use = "a simulated machine takes no time for work that is not charged"]
    pub(super) fn daxpy(&mut self) -> Work {
        panto_daxpy::daxpy(A, black_box(&self.x), &mut self.y);
        black_box(&mut self.y);
        Work::Daxpy(self.y.len())
    }

    /// Checks the first, the last and a middle element after one DAXPY on fresh vectors.
    pub(super) fn verify(&self) -> Checked {
        let last = self.y.len().saturating_sub(1);
        for place in [0, last / 2, last] {
            let Some(&y) = self.y.get(place) else { return Ok(()) };
            let right = 1.0 + A * self.x[place];
            if (y - right).abs() > 0.0 {
                return Err(format!("y[{place}] is {y} after DAXPY, not {right}"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn daxpy_is_checked() {
        let mut vectors = Vectors::new(5);
        vectors.reset();
        assert!(vectors.verify().is_err());
        assert_eq!(vectors.daxpy(), Work::Daxpy(5));
        assert_eq!(vectors.verify(), Ok(()));
        let _ = vectors.daxpy();
        assert!(vectors.verify().unwrap_err().contains("y[2]"));
    }
}
