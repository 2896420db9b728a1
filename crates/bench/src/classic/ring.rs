//! Rings: every rank sends to its neighbours at once (IMB's Sendrecv and Exchange).

use panto_transport::{Mode, Tag, Transport, Want, scope};

use super::pairs::{Least, by_size, sizes};
use super::{SUITE, tag};
use crate::error::Result;
use crate::kernel::{About, Pattern};
use crate::measure::{Checked, Lab, Metric, Operation, Timing};
use crate::pattern;
use crate::point::{Point, param};
use crate::results::Record;
use crate::settings::Settings;

/// Time in which every rank sends to the right and receives from the left, by size: `IMB Sendrecv`.
#[derive(Debug, Clone, Copy)]
pub struct SendrecvRing;

/// Time in which every rank exchanges with both neighbours, by size: `IMB Exchange`.
#[derive(Debug, Clone, Copy)]
pub struct ExchangeRing;

impl Pattern for SendrecvRing {
    fn about(&self) -> About {
        About {
            suite: SUITE,
            name: "sendrecv",
            line: "every rank sends to the right and receives from the left, by message size and ranks (IMB Sendrecv)",
            axis: param::BYTES,
            least_ranks: 2,
            needs: None,
        }
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        Ok(rings(settings))
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        measure(lab, &self.about(), point, 1)
    }
}

impl Pattern for ExchangeRing {
    fn about(&self) -> About {
        About {
            suite: SUITE,
            name: "exchange",
            line: "every rank exchanges with both its neighbours, by message size and ranks (IMB Exchange)",
            axis: param::BYTES,
            least_ranks: 2,
            needs: None,
        }
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        Ok(rings(settings))
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        measure(lab, &self.about(), point, 2)
    }
}

/// One rank alone is no ring.
fn rings(settings: &Settings) -> Vec<Point> {
    let worlds: Vec<Point> =
        settings.ranks.iter().filter(|&&ranks| ranks > 1).map(|&ranks| Point::new(ranks)).collect();
    by_size(&worlds, &sizes(settings, Least::Zero, u64::MAX))
}

/// Measures a ring with so many lanes: the first goes to the right, the second to the left.
fn measure<T: Transport>(
    lab: &mut Lab<'_, T>,
    about: &About,
    point: &Point,
    lanes: usize,
) -> Result<Option<Record>> {
    let bytes = point.get(param::BYTES);
    let mut operation = Ring::new(lab.transport, bytes, lanes);
    let samples = lab.measure(Timing::batched(Metric::longest()), &mut operation)?;
    Ok(samples.map(|samples| Record {
        // What goes out of a rank and what comes in, as IMB counts.
        moved: Some((2 * lanes * bytes) as u64),
        ..Record::new(&about.full_name(), point, samples)
    }))
}

/// One rank's part of a ring: a lane for each direction, with what it sends and receives.
struct Ring<'a, T> {
    transport: &'a T,
    lanes: Vec<Lane>,
    sent: Vec<Vec<u8>>,
    received: Vec<Vec<u8>>,
    round: u64,
}

/// One direction.
#[derive(Debug, Clone, Copy)]
struct Lane {
    to: usize,
    from: usize,
    tag: Tag,
}

impl Lane {
    /// In a ring of two, both neighbours are the same rank; its lanes are told apart.
    fn round(self, round: u64) -> u64 {
        2 * round + u64::from(self.tag - tag::LANE)
    }
}

impl<'a, T: Transport> Ring<'a, T> {
    fn new(transport: &'a T, bytes: usize, lanes: usize) -> Self {
        let (rank, size) = (transport.rank(), transport.size());
        let (left, right) = ((rank + size - 1) % size, (rank + 1) % size);
        let to_the_right = Lane { to: right, from: left, tag: tag::LANE };
        let to_the_left = Lane { to: left, from: right, tag: tag::LANE + 1 };
        let lanes: Vec<Lane> = [to_the_right, to_the_left].into_iter().take(lanes).collect();
        let buffers = vec![vec![0; bytes]; lanes.len()];
        Self { transport, lanes, sent: buffers.clone(), received: buffers, round: 0 }
    }
}

impl<T: Transport> Operation for Ring<'_, T> {
    fn prepare(&mut self, round: u64) {
        self.round = round;
        let rank = self.transport.rank();
        for ((lane, sent), received) in self.lanes.iter().zip(&mut self.sent).zip(&mut self.received) {
            pattern::fill(sent, rank, lane.round(round));
            received.fill(0);
        }
    }

    fn run(&mut self) -> panto_transport::Result<()> {
        let Self { transport, lanes, sent, received, .. } = self;
        scope(*transport, |s| {
            for (lane, buffer) in lanes.iter().zip(received.iter_mut()) {
                let _ = s.receive(buffer, Want::new(lane.from, lane.tag))?;
            }
            for (lane, data) in lanes.iter().zip(sent.iter()) {
                let _ = s.send(Mode::Standard, data, lane.to, lane.tag)?;
            }
            Ok::<_, panto_transport::Error>(())
        })?;
        // What came is what goes next, as in an echo: bytes that nobody has written would be in the receiver's cache still.
        std::mem::swap(sent, received);
        Ok(())
    }

    fn verify(&mut self) -> Checked {
        let mut lanes = self.lanes.iter().zip(&self.sent);
        lanes.try_for_each(|(lane, came)| pattern::check(came, lane.from, lane.round(self.round)))
    }
}
