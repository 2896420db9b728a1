//! Latency of one pair, and of many at once.

use panto_transport::Transport;

use super::SUITE;
use super::pairs::{Least, by_size, even_ranks, in_halves, one_pair, sizes};
use crate::comet::echo::{EchoOperation, Role};
use crate::comet::pair::{TESTER, partner};
use crate::error::Result;
use crate::kernel::{About, Pattern};
use crate::measure::{Clock, Lab, Metric, Timing};
use crate::point::{Point, param};
use crate::results::Record;
use crate::settings::Settings;

/// Time one way between two ranks, by size: `osu_latency`, `IMB PingPong`.
#[derive(Debug, Clone, Copy)]
pub struct Latency;

/// The same between all pairs of ranks at once: `osu_multi_lat`, `IMB -multi PingPong`.
#[derive(Debug, Clone, Copy)]
pub struct MultiLatency;

impl Pattern for Latency {
    fn about(&self) -> About {
        About {
            suite: SUITE,
            name: "latency",
            line: "one-way time between two ranks, by message size (osu_latency, IMB PingPong)",
            axis: param::BYTES,
            least_ranks: 2,
            needs: None,
        }
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        Ok(by_size(&one_pair(settings)?, &sizes(settings, Least::Zero, u64::MAX)))
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let role = Role::of(lab.transport.rank(), TESTER, partner(lab, point)?);
        measure(lab, &self.about(), point, role, Metric::one_way(TESTER))
    }
}

impl Pattern for MultiLatency {
    fn about(&self) -> About {
        About {
            suite: SUITE,
            name: "multi-latency",
            line: "one-way time of the slowest of all pairs at once, by message size and ranks (osu_multi_lat)",
            axis: param::BYTES,
            least_ranks: 2,
            needs: None,
        }
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        let worlds: Vec<Point> = even_ranks(&self.about(), settings)?.into_iter().map(Point::new).collect();
        Ok(by_size(&worlds, &sizes(settings, Least::Zero, u64::MAX)))
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let role = in_halves(lab.transport.rank(), lab.transport.size());
        measure(lab, &self.about(), point, role, Metric { clock: Clock::Longest, half: true })
    }
}

fn measure<T: Transport>(
    lab: &mut Lab<'_, T>,
    about: &About,
    point: &Point,
    role: Role,
    metric: Metric,
) -> Result<Option<Record>> {
    let bytes = point.get(param::BYTES);
    let mut operation = EchoOperation::new(lab.transport, role, bytes);
    let samples = lab.measure(Timing::batched(metric), &mut operation)?;
    Ok(samples.map(|samples| Record {
        moved: Some(bytes as u64),
        ..Record::new(&about.full_name(), point, samples)
    }))
}
