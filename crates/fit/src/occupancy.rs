//! How long a message keeps the cable of its host from others: `LogGP`'s G, as messages in a row show it.
//!
//! A message alone takes longer than that where switches and hosts store it on its way: of two that leave at once, the second is
//! only so much later as the first keeps the cable.

use panto_machine::{Protocol, Switching};

use crate::curve::{Fitter, Part, Points};
use crate::known::Known;
use crate::law::Law;
use crate::network::{Network, limit};
use crate::observe::Observed;

/// Fewer sizes do not tell a start-up from a rate.
const LEAST_SIZES: usize = 3;

/// By size, where messages in a row were measured; none where nobody shares cables as flows do, or where every send waits for its receive.
pub fn occupancy(observed: &Observed, known: &Known, network: &Network, fitter: &Fitter) -> Option<Law> {
    let is_shared = known.cables && matches!(known.switching, Switching::Flow { .. });
    if !is_shared || network.protocol == Protocol::Synchronous {
        return None;
    }
    let points = increments(observed, limit(network.protocol));
    (points.len() >= LEAST_SIZES).then(|| fitter.law(Part::Occupancy, &points, None))
}

/// What each further message of a row adds, by size, in the longest rows; of those whose sends do not wait for their receive.
fn increments(observed: &Observed, most: Option<u64>) -> Points {
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
    fn the_longest_row_speaks_and_sends_that_wait_do_not() {
        let mut observed = Observed::default();
        observed.gap.insert(1, vec![(0, 5.0), (100, 25.0), (200, 45.0), (900, 900.0)]);
        observed.gap.insert(8, vec![(0, 12.0), (100, 102.0), (200, 190.0), (900, 9_000.0)]);
        observed.gap.insert(64, vec![(0, 68.0), (100, 655.0)]);
        assert_eq!(increments(&observed, Some(500)), [(0, 1.0), (100, 10.0), (200, 145.0 / 7.0)]);
    }
}
