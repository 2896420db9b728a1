//! Operations of the collective kernels, with data known in advance.

use panto_transport::{Buffers, NO_REDUCTION, PreparedCollective, SUM_F64, Transport};

use super::{DOUBLE, ROOT};
use crate::measure::{Checked, Operation};
use crate::pattern;

fn synchronise<T: Transport>(transport: &T, barrier: &mut PreparedCollective) -> panto_transport::Result<()> {
    barrier.run(transport, Buffers { input: &[], output: &mut [], element: 1, combine: NO_REDUCTION })
}

/// A broadcast, and the barrier that closes it.
pub(super) struct BroadcastOperation<'a, T> {
    pub(super) transport: &'a T,
    pub(super) broadcast: PreparedCollective,
    pub(super) closing: Option<PreparedCollective>,
    pub(super) data: Vec<u8>,
    pub(super) round: u64,
}

impl<T: Transport> Operation for BroadcastOperation<'_, T> {
    fn prepare(&mut self, round: u64) {
        self.round = round;
        self.data.fill(0);
        if self.transport.rank() == ROOT {
            pattern::fill(&mut self.data, ROOT, round);
        }
    }

    fn end(&mut self) -> panto_transport::Result<()> {
        if self.transport.rank() == ROOT {
            pattern::write_anew(&mut self.data);
        }
        Ok(())
    }

    fn run(&mut self) -> panto_transport::Result<()> {
        let buffers = Buffers { input: &[], output: &mut self.data, element: 1, combine: NO_REDUCTION };
        self.broadcast.run(self.transport, buffers)?;
        self.closing.as_mut().map_or(Ok(()), |barrier| synchronise(self.transport, barrier))
    }

    fn verify(&mut self) -> Checked {
        pattern::check(&self.data, ROOT, self.round)
    }
}

/// A global sum.
pub(super) struct ReductionOperation<'a, T> {
    pub(super) transport: &'a T,
    pub(super) reduction: PreparedCollective,
    pub(super) input: Vec<u8>,
    pub(super) output: Vec<u8>,
    pub(super) round: u64,
}

/// Returns a small integer, so that the sum is exact in any order.
fn addend(place: usize, rank: usize, round: u64) -> f64 {
    (same_for_all(place, round) + 7 * rank) as f64
}

fn same_for_all(place: usize, round: u64) -> usize {
    place % 1009 + (round % 5) as usize
}

/// Returns the sum of the addends of all ranks.
fn sum_of_addends(place: usize, ranks: usize, round: u64) -> f64 {
    (ranks * same_for_all(place, round) + 7 * (ranks * (ranks - 1) / 2)) as f64
}

impl<T: Transport> Operation for ReductionOperation<'_, T> {
    fn prepare(&mut self, round: u64) {
        self.round = round;
        self.output.fill(0);
        let rank = self.transport.rank();
        for (place, bytes) in self.input.as_chunks_mut::<DOUBLE>().0.iter_mut().enumerate() {
            *bytes = addend(place, rank, round).to_ne_bytes();
        }
    }

    fn run(&mut self) -> panto_transport::Result<()> {
        let (input, output) = (&self.input, &mut self.output);
        self.reduction.run(self.transport, Buffers { input, output, element: DOUBLE, combine: SUM_F64 })
    }

    fn verify(&mut self) -> Checked {
        let ranks = self.transport.size();
        for (place, bytes) in self.output.as_chunks::<DOUBLE>().0.iter().enumerate() {
            let sum = f64::from_ne_bytes(*bytes);
            let right = sum_of_addends(place, ranks, self.round);
            if (sum - right).abs() > 0.0 {
                return Err(format!("element {place} of the global sum is {sum}, not {right}"));
            }
        }
        Ok(())
    }
}

/// A barrier.
pub(super) struct BarrierOperation<'a, T> {
    pub(super) transport: &'a T,
    pub(super) barrier: PreparedCollective,
}

impl<T: Transport> Operation for BarrierOperation<'_, T> {
    fn run(&mut self) -> panto_transport::Result<()> {
        synchronise(self.transport, &mut self.barrier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_that_of_the_addends() {
        for (place, ranks, round) in [(0, 1, 0), (5_000, 16, 3), (1_008, 100_000, 9)] {
            let added: f64 = (0..ranks).map(|rank| addend(place, rank, round)).sum();
            assert_eq!(added.to_bits(), sum_of_addends(place, ranks, round).to_bits());
        }
    }
}
