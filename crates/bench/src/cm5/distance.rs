//! The effect of path length on a message (M3).

use std::collections::BTreeSet;

use panto_results::cm5::figure;
use panto_results::{Point, Record, kernel, param};
use panto_schedule::HopShape;
use panto_transport::Transport;

use super::simple::send;
use crate::error::{Error, Result};
use crate::kernel::Pattern;
use crate::measure::Lab;
use crate::settings::Settings;

/// Default sizes in bytes: the paper's, one of each range.
const SIZES: [u64; 4] = [16, 496, 4_080, 9_968];
/// The rank that is timed.
const SOURCE: usize = 0;

/// One-way time from rank 0 to one rank at each distance, by size. Level 1 is the nearest: on the
/// CM-5 the own cluster of four.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathLength;

impl Pattern for PathLength {
    fn name(&self) -> &'static str {
        kernel::cm5::PATH_LENGTH
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        let ranks = settings.world();
        let sizes = settings.sizes.clone().unwrap_or_else(|| SIZES.to_vec());
        let levels = chosen(settings, &levels(settings.shape_or(HopShape::Complete), ranks))?;
        let by_size = |level: u64| {
            let point = Point::new(ranks).with(param::LEVEL, level);
            sizes.iter().map(move |&bytes| point.clone().with(param::BYTES, bytes)).collect::<Vec<_>>()
        };
        Ok(levels.into_iter().flat_map(by_size).collect())
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let (shape, ranks) = (lab.settings.shape_or(lab.transport.shape()), lab.transport.size());
        let level = point.get(param::LEVEL);
        let levels = levels(shape, ranks);
        let missing = || Error::usage(format!("no rank is at the distance of {point} from rank {SOURCE}"));
        let &hops = level.checked_sub(1).and_then(|place| levels.get(place)).ok_or_else(missing)?;
        let partner = (SOURCE + 1..ranks).find(|&rank| shape.distance(SOURCE, rank, ranks) == hops);
        let record = send(lab, self.info(), point, (SOURCE, partner.ok_or_else(missing)?))?;
        Ok(record.map(|record| Record { figures: [(figure::HOPS.to_owned(), hops as f64)].into(), ..record }))
    }
}

/// Returns the distances of other ranks, ascending. Ranks of one node may be at zero hops.
fn levels(shape: HopShape, ranks: usize) -> Vec<usize> {
    let others = SOURCE + 1..ranks;
    let all: BTreeSet<usize> = others.map(|rank| shape.distance(SOURCE, rank, ranks)).collect();
    all.into_iter().collect()
}

/// Returns the levels whose distances the user named, or all.
fn chosen(settings: &Settings, levels: &[usize]) -> Result<Vec<u64>> {
    let named =
        settings.distances.as_ref().map(|all| all.iter().map(|distance| distance.hops() as u64).collect());
    let named: Option<Vec<u64>> = settings.hops.clone().or(named);
    let is_named = |hops: usize| named.as_ref().is_none_or(|named| named.contains(&(hops as u64)));
    let numbered = levels.iter().zip(1..);
    let found: Vec<u64> = numbered.filter(|(hops, _)| is_named(**hops)).map(|(_, level)| level).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let there: Vec<String> = levels.iter().map(ToString::to_string).collect();
    Err(Error::usage(format!(
        "no rank is at these distances from rank {SOURCE}; there are ranks at {} hops",
        there.join(", ")
    )))
}
