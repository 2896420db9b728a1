//! Concurrent pairs: the cost of sharing links (P16).

use panto_results::{Clock, Metric, Point, Record, Separation, kernel, param};
use panto_transport::{Distance, Placement, Transport};

use super::Options;
use super::pair_points;
use crate::comet::echo::{EchoOperation, Role};
use crate::error::Result;
use crate::kernel::Pattern;
use crate::measure::{Lab, Timing};
use crate::settings::Settings;

/// Default sizes in bytes, from start-up to bandwidth.
const SIZES: [u64; 6] = [0, 64, 1 << 10, 16 << 10, 256 << 10, 1 << 20];

/// One-way time while several pairs across the same cut echo at once, by pairs and size.
#[derive(Debug, Clone, Copy)]
pub struct Pairs;

impl Pattern for Pairs {
    fn name(&self) -> &'static str {
        kernel::calibrate::PAIRS
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        let largest = settings.options.get::<Options>().largest;
        let usual = || SIZES.into_iter().filter(|&bytes| bytes <= largest).collect();
        let sizes: Vec<u64> = settings.sizes.clone().unwrap_or_else(usual);
        let mut points = Vec::new();
        for pair in pair_points(settings)? {
            let most = crossing_pairs(settings, &pair).len();
            let doubled =
                std::iter::successors(Some(1), |pairs| Some(pairs * 2)).take_while(|&pairs| pairs < most);
            for pairs in doubled.chain(std::iter::once(most)) {
                let point = pair.clone().with(param::PAIRS, pairs as u64);
                points.extend(sizes.iter().map(|&bytes| point.clone().with(param::BYTES, bytes)));
            }
        }
        Ok(points)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let (pairs, bytes) = (point.get(param::PAIRS), point.get(param::BYTES));
        let crossing_pairs = crossing_pairs(lab.settings, point);
        let role = role(lab.transport.rank(), &crossing_pairs[..pairs.min(crossing_pairs.len())]);
        let mut operation = EchoOperation::new(lab.transport, role, bytes);
        let metric = Metric { clock: Clock::Longest, half: true };
        let samples = lab.measure(Timing::batched(metric), &mut operation)?;
        Ok(samples
            .map(|samples| Record { moved: Some(bytes as u64), ..Record::new(self.name(), point, samples) }))
    }
}

fn role(rank: usize, crossing_pairs: &[(usize, usize)]) -> Role {
    let mine = crossing_pairs.iter().find(|(here, there)| [*here, *there].contains(&rank));
    mine.map_or(Role::Idle, |&(here, there)| Role::of(rank, here, there))
}

/// Returns all disjoint pairs whose messages cross the cut of a point. The first contains the root.
fn crossing_pairs(settings: &Settings, point: &Point) -> Vec<(usize, usize)> {
    match point.separation() {
        Some(Separation::Placed(distance)) => placed(settings.places_of(point.ranks), distance),
        // Between the lower and the upper half of the ranks: the narrowest cut of most networks.
        _ => (0..point.ranks / 2).map(|rank| (rank, rank + point.ranks / 2)).collect(),
    }
}

/// Returns pairs from the host of the first rank: to others, or within it.
fn placed(places: &[Placement], distance: Distance) -> Vec<(usize, usize)> {
    let mut crossing_pairs: Vec<(usize, usize)> = Vec::new();
    let mut taken = vec![false; places.len()];
    let is_home = |rank: usize| places[rank].node == places[0].node;
    for here in (0..places.len()).filter(|&rank| is_home(rank)) {
        let fits = |&there: &usize| {
            there != here && !taken[there] && places[here].distance_to(&places[there]) == distance
        };
        if taken[here] {
            continue;
        }
        if let Some(there) = (0..places.len()).find(fits) {
            (taken[here], taken[there]) = (true, true);
            crossing_pairs.push((here, there));
        }
    }
    crossing_pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(nodes: &[usize]) -> Vec<Placement> {
        nodes.iter().map(|&node| Placement { node, ..Placement::default() }).collect()
    }

    #[test]
    fn pairs_are_disjoint_and_cross_the_cut() {
        let two_hosts = places(&[0, 0, 1, 1, 0]);
        assert_eq!(placed(&two_hosts, Distance::Network), [(0, 2), (1, 3)]);
        assert_eq!(placed(&two_hosts, Distance::Node), [(0, 1)]);
        assert_eq!(placed(&places(&[0, 1]), Distance::Node), []);
        let settings = Settings { ranks: vec![6], ..Settings::default() };
        assert_eq!(crossing_pairs(&settings, &Point::new(6)), [(0, 3), (1, 4), (2, 5)]);
    }

    #[test]
    fn ranks_in_no_pair_are_idle() {
        let crossing_pairs = [(0, 2), (1, 3)];
        let roles: Vec<Role> = (0..5).map(|rank| role(rank, &crossing_pairs)).collect();
        let wanted = [Role::Tester(2), Role::Tester(3), Role::Partner(0), Role::Partner(1), Role::Idle];
        assert_eq!(roles, wanted);
    }
}
