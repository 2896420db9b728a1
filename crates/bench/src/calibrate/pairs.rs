//! Several pairs at once: what it costs to share a way (P16).

use panto_transport::{Distance, Place, Transport};

use super::{SUITE, ways};
use crate::comet::echo::{EchoOperation, Role};
use crate::error::Result;
use crate::kernel::{About, Pattern};
use crate::measure::{Clock, Lab, Metric, Timing};
use crate::point::{Point, param};
use crate::results::Record;
use crate::separation::Separation;
use crate::settings::Settings;

/// From messages that are all start-up to some that are all bandwidth.
const SIZES: [u64; 6] = [0, 64, 1 << 10, 16 << 10, 256 << 10, 1 << 20];

/// Time one way while several pairs across the same cut echo at once, by pairs and size.
#[derive(Debug, Clone, Copy)]
pub struct Pairs;

impl Pattern for Pairs {
    fn about(&self) -> About {
        About {
            suite: SUITE,
            name: "pairs",
            line: "one-way time while several pairs across the same cut talk at once, by pairs and message size",
            axis: param::BYTES,
            least_ranks: 2,
            needs: None,
        }
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        let usual = || SIZES.into_iter().filter(|&bytes| bytes <= settings.calibrate.largest).collect();
        let sizes: Vec<u64> = settings.sizes.clone().unwrap_or_else(usual);
        let mut points = Vec::new();
        for way in ways(settings)? {
            let most = couples(settings, &way).len();
            let doubled =
                std::iter::successors(Some(1), |pairs| Some(pairs * 2)).take_while(|&pairs| pairs < most);
            for pairs in doubled.chain(std::iter::once(most)) {
                let point = way.clone().with(param::PAIRS, pairs as u64);
                points.extend(sizes.iter().map(|&bytes| point.clone().with(param::BYTES, bytes)));
            }
        }
        Ok(points)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let (pairs, bytes) = (point.get(param::PAIRS), point.get(param::BYTES));
        let couples = couples(lab.settings, point);
        let role = role(lab.transport.rank(), &couples[..pairs.min(couples.len())]);
        let mut operation = EchoOperation::new(lab.transport, role, bytes);
        let metric = Metric { clock: Clock::Longest, half: true };
        let samples = lab.measure(Timing::batched(metric), &mut operation)?;
        Ok(samples.map(|samples| Record {
            moved: Some(bytes as u64),
            ..Record::new(&self.about().full_name(), point, samples)
        }))
    }
}

fn role(rank: usize, couples: &[(usize, usize)]) -> Role {
    let mine = couples.iter().find(|(here, there)| [*here, *there].contains(&rank));
    mine.map_or(Role::Idle, |&(here, there)| Role::of(rank, here, there))
}

/// All disjoint pairs whose messages cross the cut of a point. The first has the root in it.
fn couples(settings: &Settings, point: &Point) -> Vec<(usize, usize)> {
    match point.separation() {
        Some(Separation::Placed(distance)) => placed(settings.places_of(point.ranks), distance),
        // Between the lower and the upper half of the ranks: the narrowest cut of most networks.
        _ => (0..point.ranks / 2).map(|rank| (rank, rank + point.ranks / 2)).collect(),
    }
}

/// From the host of the first rank: to others, or within it.
fn placed(places: &[Place], distance: Distance) -> Vec<(usize, usize)> {
    let mut couples: Vec<(usize, usize)> = Vec::new();
    let mut taken = vec![false; places.len()];
    let is_home = |rank: usize| places[rank].node == places[0].node;
    for here in (0..places.len()).filter(|&rank| is_home(rank)) {
        let fits = |&there: &usize| {
            there != here && !taken[there] && Distance::between(&places[here], &places[there]) == distance
        };
        if taken[here] {
            continue;
        }
        if let Some(there) = (0..places.len()).find(fits) {
            (taken[here], taken[there]) = (true, true);
            couples.push((here, there));
        }
    }
    couples
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(nodes: &[usize]) -> Vec<Place> {
        nodes.iter().map(|&node| Place { node, ..Place::default() }).collect()
    }

    #[test]
    fn pairs_are_disjoint_and_cross_the_cut() {
        let two_hosts = places(&[0, 0, 1, 1, 0]);
        assert_eq!(placed(&two_hosts, Distance::Network), [(0, 2), (1, 3)]);
        assert_eq!(placed(&two_hosts, Distance::Node), [(0, 1)]);
        assert_eq!(placed(&places(&[0, 1]), Distance::Node), []);
        let settings = Settings { ranks: vec![6], ..Settings::default() };
        assert_eq!(couples(&settings, &Point::new(6)), [(0, 3), (1, 4), (2, 5)]);
    }

    #[test]
    fn whoever_is_in_no_pair_rests() {
        let couples = [(0, 2), (1, 3)];
        let roles: Vec<Role> = (0..5).map(|rank| role(rank, &couples)).collect();
        let wanted = [Role::Tester(2), Role::Tester(3), Role::Partner(0), Role::Partner(1), Role::Idle];
        assert_eq!(roles, wanted);
    }
}
