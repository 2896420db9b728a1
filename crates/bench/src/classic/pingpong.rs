//! Latency of one pair, and of many at once.

use panto_results::{Clock, KernelInfo, Metric, Point, Record, kernel, param};
use panto_transport::Transport;

use super::pairs::{MinSize, by_size, even_ranks, in_halves, one_pair, sizes};
use crate::comet::echo::{EchoOperation, Role};
use crate::comet::pair::{TESTER, partner};
use crate::error::Result;
use crate::kernel::Pattern;
use crate::measure::{Lab, Timing};
use crate::settings::Settings;

/// One-way time between two ranks, by size: `osu_latency`, `IMB PingPong`.
#[derive(Debug, Clone, Copy)]
pub struct Latency;

/// One-way time between all pairs of ranks at once, by size: `osu_multi_lat`, `IMB -multi
/// PingPong`.
#[derive(Debug, Clone, Copy)]
pub struct MultiLatency;

impl Pattern for Latency {
    fn name(&self) -> &'static str {
        kernel::classic::LATENCY
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        Ok(by_size(&one_pair(settings)?, &sizes(settings, MinSize::Zero, u64::MAX)))
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let role = Role::of(lab.transport.rank(), TESTER, partner(lab, point)?);
        measure(lab, self.info(), point, role, Metric::one_way(TESTER))
    }
}

impl Pattern for MultiLatency {
    fn name(&self) -> &'static str {
        kernel::classic::MULTI_LATENCY
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        let worlds: Vec<Point> = even_ranks(self.info(), settings)?.into_iter().map(Point::new).collect();
        Ok(by_size(&worlds, &sizes(settings, MinSize::Zero, u64::MAX)))
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let role = in_halves(lab.transport.rank(), lab.transport.size());
        measure(lab, self.info(), point, role, Metric { clock: Clock::Longest, half: true })
    }
}

fn measure<T: Transport>(
    lab: &mut Lab<'_, T>,
    info: &KernelInfo,
    point: &Point,
    role: Role,
    metric: Metric,
) -> Result<Option<Record>> {
    let bytes = point.get(param::BYTES);
    let mut operation = EchoOperation::new(lab.transport, role, bytes);
    let samples = lab.measure(Timing::batched(metric), &mut operation)?;
    Ok(samples.map(|samples| Record { moved: Some(bytes as u64), ..Record::new(info.name, point, samples) }))
}
