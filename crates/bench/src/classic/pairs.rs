//! Pairs of ranks, and message sizes.

use panto_results::{KernelInfo, Point, param};

use crate::comet::echo::Role;
use crate::comet::pair::separations;
use crate::error::{Error, Result};
use crate::settings::Settings;

/// Largest size of the sweeps of OSU and IMB, in bytes.
const LARGEST: u64 = 4 << 20;

/// Smallest size of a sweep: whether a message may be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MinSize {
    Zero,
    One,
}

/// Returns the sizes that the user named, or powers of two, as in those benchmarks, up to
/// `largest`.
pub(super) fn sizes(settings: &Settings, least: MinSize, largest: u64) -> Vec<u64> {
    settings.sizes.clone().unwrap_or_else(|| {
        let zero = (least == MinSize::Zero).then_some(0);
        let powers = (0..).map(|power| 1_u64 << power).take_while(|&size| size <= largest.min(LARGEST));
        zero.into_iter().chain(powers).collect()
    })
}

/// Returns each point with each size.
pub(super) fn by_size(points: &[Point], sizes: &[u64]) -> Vec<Point> {
    let each = |point: &Point| sizes.iter().map(|&bytes| point.clone().with(param::BYTES, bytes)).collect();
    points.iter().flat_map(|point| -> Vec<Point> { each(point) }).collect()
}

/// Returns one pair: the nearest, or those at the distances that the user named.
pub(super) fn one_pair(settings: &Settings) -> Result<Vec<Point>> {
    let mut all = separations(settings, false)?;
    if settings.hops.is_none() && settings.distances.is_none() {
        all.truncate(1);
    }
    let point = Point::new(settings.world());
    if all.is_empty() {
        // All ranks are on one node, at zero hops.
        return Ok(vec![point]);
    }
    Ok(all.into_iter().map(|separation| point.clone().apart(separation)).collect())
}

/// Returns the numbers of ranks that the user listed, all of which must be even. By default one
/// rank may be idle.
pub(super) fn even_ranks(info: &KernelInfo, settings: &Settings) -> Result<Vec<usize>> {
    if !settings.ranks_given {
        return Ok(settings.ranks.iter().map(|ranks| ranks & !1).collect());
    }
    match settings.ranks.iter().find(|&&ranks| ranks % 2 == 1) {
        None => Ok(settings.ranks.clone()),
        Some(1) => Err(Error::usage(format!("{} pairs ranks, and 1 is alone; use --ranks 2", info.name))),
        Some(odd) => Err(Error::usage(format!(
            "{} pairs ranks, and {odd} is an odd number of them; use --ranks {} or {}",
            info.name,
            odd - 1,
            odd + 1
        ))),
    }
}

/// Returns the other rank of this rank's pair: the first half of the ranks sends to the second, as
/// in OSU and IMB, so that pairs are between two nodes where ranks fill one node after the other.
pub(super) fn in_halves(rank: usize, ranks: usize) -> Role {
    let half = ranks / 2;
    if rank < half { Role::Tester(rank + half) } else { Role::Partner(rank - half) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_osu() {
        let settings = Settings::default();
        let all = sizes(&settings, MinSize::Zero, u64::MAX);
        assert_eq!((all.len(), all[0], all[1], all[23]), (24, 0, 1, 4 << 20));
        assert_eq!(sizes(&settings, MinSize::One, 8), [1, 2, 4, 8]);
        let named = Settings { sizes: Some(vec![0, 100]), ..settings };
        assert_eq!(sizes(&named, MinSize::One, 8), [0, 100]);
    }

    #[test]
    fn every_rank_has_one_partner() {
        for ranks in [2, 4, 6, 64] {
            for rank in 0..ranks {
                let (Role::Tester(other) | Role::Partner(other)) = in_halves(rank, ranks) else {
                    panic!("a pair")
                };
                let (Role::Tester(back) | Role::Partner(back)) = in_halves(other, ranks) else {
                    panic!("a pair")
                };
                assert_eq!(back, rank);
            }
        }
    }
}
