//! Rings: every rank sends to its neighbours at once (IMB's Sendrecv and Exchange).

use panto_results::{KernelInfo, Metric, Point, Record, kernel, param};
use panto_transport::{Selector, SendMode, Tag, Transport, scope};

use super::pairs::{MinSize, by_size, sizes};
use super::tag;
use crate::error::Result;
use crate::kernel::Pattern;
use crate::measure::{Checked, Lab, Operation, Timing};
use crate::pattern;
use crate::settings::Settings;

/// Time in which every rank sends to the right and receives from the left, by size: `IMB Sendrecv`.
#[derive(Debug, Clone, Copy)]
pub struct SendrecvRing;

/// Time in which every rank exchanges with both neighbours, by size: `IMB Exchange`.
#[derive(Debug, Clone, Copy)]
pub struct ExchangeRing;

impl Pattern for SendrecvRing {
    fn name(&self) -> &'static str {
        kernel::classic::SENDRECV
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        Ok(rings(settings))
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        measure(lab, self.info(), point, 1)
    }
}

impl Pattern for ExchangeRing {
    fn name(&self) -> &'static str {
        kernel::classic::EXCHANGE
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        Ok(rings(settings))
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        measure(lab, self.info(), point, 2)
    }
}

/// Returns the worlds with at least two ranks.
fn rings(settings: &Settings) -> Vec<Point> {
    let worlds: Vec<Point> =
        settings.ranks.iter().filter(|&&ranks| ranks > 1).map(|&ranks| Point::new(ranks)).collect();
    by_size(&worlds, &sizes(settings, MinSize::Zero, u64::MAX))
}

/// Measures a ring with one or two directions: the first goes to the right, the second to the left.
fn measure<T: Transport>(
    lab: &mut Lab<'_, T>,
    info: &KernelInfo,
    point: &Point,
    directions: usize,
) -> Result<Option<Record>> {
    let bytes = point.get(param::BYTES);
    let mut operation = Ring::new(lab.transport, bytes, directions);
    let samples = lab.measure(Timing::batched(Metric::longest()), &mut operation)?;
    Ok(samples.map(|samples| Record {
        // Bytes that leave and enter a rank, as IMB counts.
        moved: Some((2 * directions * bytes) as u64),
        ..Record::new(info.name, point, samples)
    }))
}

/// A ring from one rank's side: its messages in each direction.
struct Ring<'a, T> {
    transport: &'a T,
    directions: Vec<Direction>,
    sent: Vec<Vec<u8>>,
    received: Vec<Vec<u8>>,
    round: u64,
}

/// Messages of one direction.
#[derive(Debug, Clone, Copy)]
struct Direction {
    to: usize,
    from: usize,
    tag: Tag,
}

impl Direction {
    /// Returns a round that tells directions apart: in a ring of two, both neighbours are the same
    /// rank.
    fn round(self, round: u64) -> u64 {
        2 * round + u64::from(self.tag - tag::RING)
    }
}

impl<'a, T: Transport> Ring<'a, T> {
    fn new(transport: &'a T, bytes: usize, directions: usize) -> Self {
        let (rank, size) = (transport.rank(), transport.size());
        let (left, right) = ((rank + size - 1) % size, (rank + 1) % size);
        let to_the_right = Direction { to: right, from: left, tag: tag::RING };
        let to_the_left = Direction { to: left, from: right, tag: tag::RING + 1 };
        let directions: Vec<Direction> = [to_the_right, to_the_left].into_iter().take(directions).collect();
        let buffers = vec![vec![0; bytes]; directions.len()];
        Self { transport, directions, sent: buffers.clone(), received: buffers, round: 0 }
    }
}

impl<T: Transport> Operation for Ring<'_, T> {
    fn prepare(&mut self, round: u64) {
        self.round = round;
        let rank = self.transport.rank();
        for ((direction, sent), received) in
            self.directions.iter().zip(&mut self.sent).zip(&mut self.received)
        {
            pattern::fill(sent, rank, direction.round(round));
            received.fill(0);
        }
    }

    fn run(&mut self) -> panto_transport::Result<()> {
        let Self { transport, directions, sent, received, .. } = self;
        scope(*transport, |s| {
            for (direction, buffer) in directions.iter().zip(received.iter_mut()) {
                let _ = s.receive(buffer, Selector::new(direction.from, direction.tag))?;
            }
            for (direction, data) in directions.iter().zip(sent.iter()) {
                let _ = s.send(SendMode::Standard, data, direction.to, direction.tag)?;
            }
            Ok::<_, panto_transport::Error>(())
        })?;
        // What was received is sent next, as in an echo: bytes that were not written would still be
        // in the receiver's cache.
        std::mem::swap(sent, received);
        Ok(())
    }

    fn verify(&mut self) -> Checked {
        let mut directions = self.directions.iter().zip(&self.sent);
        directions.try_for_each(|(direction, came)| {
            pattern::check(came, direction.from, direction.round(self.round))
        })
    }
}
