//! The simple send, byte by byte (M2).

use panto_results::cm5::MessageSet;
use panto_results::{KernelInfo, Metric, Point, Record, kernel, param};
use panto_transport::Transport;

use super::trip::RoundTrips;
use crate::error::Result;
use crate::kernel::Pattern;
use crate::measure::{Lab, Timing};
use crate::settings::Settings;

/// The rank that is timed, and the one that replies.
const PAIR: (usize, usize) = (0, 1);

/// Largest size in bytes of the byte-by-byte part.
const SMALL: u64 = 100;
/// Step of the sizes beyond it, in bytes: multiples of 16, and every second one of 32, every fourth
/// of 64, every eighth of 128.
const STEP: u64 = 496;
const STEPS: u64 = 20;
/// Bytes below each step that are measured too: an odd size, and multiples of exactly 8, 2 and 4.
const BESIDE: [u64; 4] = [9, 8, 6, 4];

/// One-way time between ranks 0 and 1, by size; dense enough to show the effect of a size's
/// residue.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SimpleSend;

impl Pattern for SimpleSend {
    fn name(&self) -> &'static str {
        kernel::cm5::SIMPLE_SEND
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        let sizes = settings.sizes.clone().unwrap_or_else(sizes);
        let point = Point::new(settings.world());
        Ok(sizes.into_iter().map(|bytes| point.clone().with(param::BYTES, bytes)).collect())
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        send(lab, self.info(), point, PAIR)
    }
}

/// Measures a message from one rank to another as the paper does: half of a round trip.
pub(super) fn send<T: Transport>(
    lab: &mut Lab<'_, T>,
    info: &KernelInfo,
    point: &Point,
    (source, destination): (usize, usize),
) -> Result<Option<Record>> {
    let bytes = point.get(param::BYTES);
    let mut operation = RoundTrips::new(lab.transport, &MessageSet::one(source, destination), bytes);
    let samples = lab.measure(Timing::batched(Metric::one_way(source)), &mut operation)?;
    Ok(samples.map(|samples| Record { moved: Some(bytes as u64), ..Record::new(info.name, point, samples) }))
}

/// Returns every size to 100, then both edges of the envelope.
pub(crate) fn sizes() -> Vec<u64> {
    let beyond = (1..=STEPS).map(|step| step * STEP);
    let edges = |full: u64| BESIDE.into_iter().map(move |less| full - less).chain([full]);
    let mut sizes: Vec<u64> = (0..=SMALL).chain(beyond.flat_map(edges)).collect();
    sizes.sort_unstable();
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_power_of_two_has_sizes_that_are_its_multiples_and_no_more() {
        let sizes = sizes();
        assert!(sizes.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!((sizes[0], sizes.last()), (0, Some(&9_920)));
        for modulus in [1, 2, 4, 8, 16, 32, 64, 128_u64] {
            let just = |size: &&u64| size.is_multiple_of(modulus) && !size.is_multiple_of(2 * modulus);
            assert!(sizes.iter().filter(just).any(|size| *size > SMALL), "{modulus}");
        }
    }
}
