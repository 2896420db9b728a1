//! Occupancy: how long a message keeps its host's link from the next one (LogGP's G, measured by
//! messages in a row).
//!
//! It can be shorter than the message's own time: where hosts and switches store and forward, the
//! second of two messages arrives only one occupancy after the first.

use panto_machine::{Protocol, Switching};

use crate::fitter::{Component, Fitter, Points};
use crate::known_network::KnownNetwork;
use crate::network::{Network, rendezvous_limit};
use crate::observations::Observations;
use crate::piecewise::PiecewiseLinear;

/// Fewer sizes do not tell a start-up from a rate.
const MIN_SIZES: usize = 3;

/// Returns the occupancy by size, from messages in a row. `None` where links are not shared as
/// flows are, or where every send waits for its receive.
pub fn occupancy(
    observed: &Observations,
    known: &KnownNetwork,
    network: &Network,
    fitter: &Fitter,
) -> Option<PiecewiseLinear> {
    let is_shared = known.shared_links && matches!(known.switching, Switching::Flow { .. });
    if !is_shared || network.protocol == Protocol::Synchronous {
        return None;
    }
    let points = increments(observed, rendezvous_limit(network.protocol));
    (points.len() >= MIN_SIZES).then(|| fitter.fit(Component::Occupancy, &points, None))
}

/// Returns the time that each further message of a row adds, by size, for the longest rows and for
/// eager sizes only.
fn increments(observed: &Observations, most: Option<u64>) -> Points {
    let Some(single) = observed.gap.get(&1) else { return Points::new() };
    let alone = |bytes: u64| single.iter().find(|(size, _)| *size == bytes).map(|(_, seconds)| *seconds);
    let mut points = Points::new();
    for (messages, row) in observed.gap.iter().rev().filter(|(messages, _)| **messages > 1) {
        for (bytes, seconds) in row.iter().filter(|(bytes, _)| most.is_none_or(|most| *bytes <= most)) {
            let Some(alone) = alone(*bytes) else { continue };
            if points.iter().all(|(size, _)| size != bytes) {
                points.push((*bytes, ((seconds - alone) / (*messages - 1) as f64).max(0.0)));
            }
        }
    }
    points.sort_unstable_by_key(|(bytes, _)| *bytes);
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_row_counts_and_rendezvous_sizes_do_not() {
        let mut observed = Observations::default();
        observed.gap.insert(1, vec![(0, 5.0), (100, 25.0), (200, 45.0), (900, 900.0)]);
        observed.gap.insert(8, vec![(0, 12.0), (100, 102.0), (200, 190.0), (900, 9_000.0)]);
        observed.gap.insert(64, vec![(0, 68.0), (100, 655.0)]);
        assert_eq!(increments(&observed, Some(500)), [(0, 1.0), (100, 10.0), (200, 145.0 / 7.0)]);
    }
}
