//! Pairs of ranks by distance (C3).

use panto_results::{Point, Separation, param};
use panto_schedule::HopShape;
use panto_transport::{Distance, Transport};

use crate::calibrate;
use crate::error::{Error, Result};
use crate::measure::Lab;
use crate::settings::Settings;
use crate::sizes::default_sizes;

/// The rank that is timed.
pub(crate) const TESTER: usize = 0;

/// Returns every distance by every size; from the tester to itself only if the pattern supports it.
pub(super) fn pair_points(settings: &Settings, with_itself: bool) -> Result<Vec<Point>> {
    let largest = settings.options.get::<calibrate::Options>().largest;
    let usual = || {
        let sizes = default_sizes(settings.seed).into_iter();
        sizes.filter(|&bytes| bytes <= largest).collect()
    };
    let sizes: Vec<u64> = settings.sizes.clone().unwrap_or_else(usual);
    let pair = |separation| Point::new(settings.world()).apart(separation);
    let by_size = |point: Point| sizes.iter().map(move |&bytes| point.clone().with(param::BYTES, bytes));
    Ok(separations(settings, with_itself)?.into_iter().map(pair).flat_map(by_size).collect())
}

/// Returns the points of a kernel that measures a single pair, without its other parameters: the
/// nearest, or those at the distances that the user named. Where distances have no names, the point
/// has none.
pub(crate) fn one_pair(settings: &Settings) -> Result<Vec<Point>> {
    let point = Point::new(settings.world());
    if !settings.names_distances() {
        return Ok(vec![point]);
    }
    let mut all = separations(settings, false)?;
    if settings.distances.is_none() {
        all.truncate(1);
    }
    Ok(all.into_iter().map(|separation| point.clone().apart(separation)).collect())
}

/// Returns the distances from the tester, or those of them that the user named. Distances to itself
/// are skipped where the pattern does not support them: they may be meant for another kernel of the
/// suite.
pub(crate) fn separations(settings: &Settings, with_itself: bool) -> Result<Vec<Separation>> {
    if settings.names_distances() {
        let named = selected(settings, &distances(settings, with_itself), with_itself)?;
        return Ok(named.into_iter().map(Separation::Placed).collect());
    }
    Ok(hops(settings, u64::from(!with_itself))?.into_iter().map(Separation::Hops).collect())
}

/// Returns the distances of other ranks from the tester, ascending.
fn distances(settings: &Settings, with_itself: bool) -> Vec<Distance> {
    let (shape, ranks) = (settings.shape_or(HopShape::Complete), settings.world());
    let is_there = |distance: &Distance| {
        (with_itself || *distance != Distance::Itself)
            && shape.rank_at_hops(TESTER, distance.hops(), ranks).is_some()
    };
    Distance::ALL.into_iter().filter(is_there).collect()
}

/// Returns those of the distances `there` that the user named, or all.
pub(super) fn selected(settings: &Settings, there: &[Distance], with_itself: bool) -> Result<Vec<Distance>> {
    let all = || there.iter().map(Distance::to_string).collect::<Vec<_>>().join(", ");
    let Some(named) = &settings.distances else { return Ok(there.to_vec()) };
    let makes_sense = |distance: &&Distance| with_itself || **distance != Distance::Itself;
    let named: Vec<Distance> = named.iter().filter(makes_sense).copied().collect();
    // One command serves all jobs: the distances that exist are measured.
    let found: Vec<Distance> = named.iter().filter(|distance| there.contains(distance)).copied().collect();
    match named.first() {
        _ if !found.is_empty() => Ok(found),
        Some(missing) => Err(Error::usage(format!(
            "no ranks are at the distance `{missing}`; use --distance with {}, or start the job with other ranks or hosts",
            all()
        ))),
        None => Err(Error::usage(format!("this kernel needs two ranks; use --distance with {}", all()))),
    }
}

/// Returns the hop distances from the tester, from `first` on, or those of them that the user
/// named.
fn hops(settings: &Settings, first: u64) -> Result<Vec<u64>> {
    let (shape, ranks) = (settings.shape_or(HopShape::Complete), settings.world());
    let is_there = |hops: &u64| shape.rank_at_hops(TESTER, *hops as usize, ranks).is_some();
    let all: Vec<u64> = (first..=shape.diameter(ranks) as u64).filter(is_there).collect();
    let Some(named) = &settings.hops else { return Ok(all) };
    if let Some(missing) = named.iter().find(|&hops| *hops >= first && !all.contains(hops)) {
        return Err(Error::usage(format!(
            "no rank is {missing} hops away: {ranks} ranks in the shape `{shape}` are at most {} apart",
            all.last().copied().unwrap_or(0)
        )));
    }
    let hops: Vec<u64> = named.iter().copied().filter(|&hops| hops >= first).collect();
    if hops.is_empty() {
        return Err(Error::usage(format!(
            "this kernel needs a distance of at least {first}; use --hops {first}"
        )));
    }
    Ok(hops)
}

/// Returns the rank at the point's distance from the tester, or the nearest if the point has no
/// distance.
pub(crate) fn partner<T: Transport>(lab: &Lab<'_, T>, point: &Point) -> Result<usize> {
    let shape = lab.settings.shape_or(lab.transport.shape());
    let Some(separation) = point.separation() else { return nearest(shape, lab.transport.size()) };
    let partner = shape.rank_at_hops(TESTER, separation.hops(), lab.transport.size());
    partner.ok_or_else(|| Error::usage(format!("no rank is at the distance of {point} from rank {TESTER}")))
}

/// Returns the rank nearest to the tester; behind a switch that is two hops.
fn nearest(shape: HopShape, ranks: usize) -> Result<usize> {
    let nearest = (1..=shape.diameter(ranks)).find_map(|hops| shape.rank_at_hops(TESTER, hops, ranks));
    // All ranks may be on one node, at zero hops.
    let next = (TESTER + 1 < ranks).then_some(TESTER + 1);
    nearest.or(next).ok_or_else(|| Error::usage("this kernel needs a second rank".to_string()))
}
