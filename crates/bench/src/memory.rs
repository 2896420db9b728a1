//! The memory check: a sweep that does not fit is refused before it starts.

use std::collections::BTreeMap;

use panto_results::{Point, param};
use panto_transport::Placement;

use crate::comet;
use crate::error::{Error, Result};
use crate::scenario;
use crate::settings::Settings;

/// Returns an error if a point needs more memory than is available.
pub(crate) fn fits_memory(points: &[Point], settings: &Settings) -> Result<()> {
    let Some(available) = available() else { return Ok(()) };
    let Some(largest) = points.iter().max_by_key(|point| needed(point, settings)) else { return Ok(()) };
    let needed = needed(largest, settings);
    if needed <= available {
        return Ok(());
    }
    Err(Error::usage(format!(
        "the point {largest} needs about {} of memory, and {} are available; use smaller values or fewer ranks",
        human(needed),
        human(available)
    )))
}

/// Returns an upper estimate of the bytes that one host needs: send and receive buffers of its
/// ranks, scratch memory of collectives, and its part of a matrix with a copy and packed messages.
fn needed(point: &Point, settings: &Settings) -> u64 {
    let number = |name| point.number(name).unwrap_or(0);
    // Each message of a window has a receive buffer of its own.
    let messages = number(param::BYTES).max(number(param::VOLUME));
    let messages = messages.saturating_mul(number(param::WINDOW).saturating_add(4));
    let vectors = number(param::LENGTH).saturating_mul(8 * 4);
    let files = comet::file_bytes(point, settings).saturating_mul(2);
    let matrix = number(param::DIM).saturating_pow(2).saturating_mul(8 * 4);
    let each = messages.saturating_add(vectors).saturating_add(files).saturating_add(halo(point));
    let each = each.saturating_add(scenario::needed(point, settings));
    let here = on_one_host(point.ranks, &settings.places);
    let part = u128::from(matrix) * here as u128 / point.ranks.max(1) as u128;
    each.saturating_mul(active(point, here) as u64).saturating_add(part as u64)
}

/// Returns the bytes of a block of 8-byte cells with its halo, in the dimensions of the grid.
fn halo(point: &Point) -> u64 {
    let Some(side) = point.number(param::SIDE) else { return 0 };
    let dimensions = 1 + point.text(param::GRID).matches('x').count();
    side.saturating_add(2).saturating_pow(dimensions as u32).saturating_mul(8 * 2)
}

/// Returns the number of ranks on the host with the most; all of them where the placement is
/// unknown.
fn on_one_host(ranks: usize, places: &[Placement]) -> usize {
    let mut hosts: BTreeMap<usize, usize> = BTreeMap::new();
    for place in places.iter().take(ranks) {
        *hosts.entry(place.node).or_default() += 1;
    }
    hosts.into_values().max().unwrap_or(ranks)
}

/// Returns how many of the ranks `here` hold buffers. Simulated ranks are all in this process, up
/// to a hundred thousand; in patterns between two ranks, with a load between two more, the others
/// hold none.
fn active(point: &Point, here: usize) -> usize {
    let has = |name| point.params.contains_key(name);
    let few = point.separation().is_some() || has(param::LOAD) || (has(param::BYTES) && has(param::LENGTH));
    if few { here.min(4) } else { here }
}

/// Returns the available memory in bytes; `None` where the system does not report it.
fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}

fn human(bytes: u64) -> String {
    format!("{:.1}GiB", bytes as f64 / (1_u64 << 30) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_bomb_is_refused_before_it_is_built() {
        let settings = Settings::default();
        let bomb = Point::new(4).with(param::BYTES, 1 << 50);
        if available().is_some() {
            let error = fits_memory(&[Point::new(2).with(param::BYTES, 8), bomb], &settings).unwrap_err();
            assert!(error.to_string().contains("of memory"), "{error}");
        }
        assert!(fits_memory(&[Point::new(2).with(param::DIM, 512)], &settings).is_ok());
        let far = |ranks| Point::new(ranks).with(param::HOPS, 1).with(param::BYTES, 1 << 20);
        assert_eq!(needed(&far(100_000), &settings), needed(&far(4), &settings));
        assert_eq!(needed(&Point::new(2).with(param::DIM, u64::MAX), &settings), u64::MAX);
    }
    #[test]
    fn ranks_on_other_hosts_need_memory_there() {
        let place = |node| Placement { node, ..Placement::default() };
        let places = [0, 1, 0, 0, 1, 2].map(place).to_vec();
        let (here, spread) = (Settings::default(), Settings { places, ..Settings::default() });
        let broadcast = Point::new(6).with(param::BYTES, 1 << 20);
        assert_eq!(needed(&broadcast, &spread), needed(&broadcast, &here) / 2);
        let first_two = Point::new(2).with(param::BYTES, 1 << 20);
        assert_eq!(needed(&first_two, &spread), needed(&first_two, &here) / 2);
        let matrix = Point::new(6).with(param::DIM, 600);
        assert_eq!(needed(&matrix, &spread), needed(&matrix, &here) / 2);
    }
}
