//! LogGP's gap g: the least time between two messages of a rank.

use panto_machine::{Protocol, Switching};

use crate::estimate::{Estimate, weighted_median};
use crate::network::{Network, rendezvous_limit};
use crate::observations::Observations;
use crate::overheads::Overheads;
use crate::piecewise::PiecewiseLinear;

/// Factor above what processors and links explain from which on an interval counts as a gap.
const VISIBLE_FACTOR: f64 = 1.05;
/// Largest message in bytes from which the gap is taken; the link limits the rate of longer ones.
const SHORT_BYTES: u64 = 64;

/// Returns the gap `(PRTT(n, 0, s) - PRTT(1, 0, s)) / (n - 1)` of short messages (Kielmann, Bal and
/// Verstoep 2000), if it is longer than what messages cost processors and links anyway. A shorter
/// gap is not observable.
pub fn gap(
    observed: &Observations,
    software: &Overheads,
    network: &Network,
    switching: Switching,
    copy: f64,
) -> Option<Estimate> {
    // A synchronous send completes after its receive is matched, so no gap can be observed.
    let single = observed.gap.get(&1).filter(|_| network.protocol != Protocol::Synchronous)?;
    let most = rendezvous_limit(network.protocol);
    let copies =
        PiecewiseLinear::line(0.0, if software.copies_unexpected == Some(true) { copy } else { 0.0 });
    let least = |bytes: u64| {
        let occupied = match switching {
            Switching::Flow { .. } => network.link.piece(bytes).line.slope * bytes as f64,
            _ => network.link.at(bytes) + network.hop.map_or(0.0, |hop| hop.value),
        };
        let received = software.receive.at(bytes) + copies.at(bytes);
        software.send.at(bytes).max(received).max(occupied)
    };
    let rows = observed.gap.iter().filter(|(messages, _)| **messages > 1);
    let increments = rows.flat_map(|(messages, points)| {
        points.iter().filter_map(|(bytes, seconds)| {
            let (_, one) = single.iter().find(|(size, _)| size == bytes)?;
            let counts = *bytes <= SHORT_BYTES && most.is_none_or(|most| *bytes <= most);
            counts.then(|| (*bytes, (seconds - one) / (*messages - 1) as f64))
        })
    });
    let visible: Vec<(f64, f64)> = increments
        .filter(|(bytes, each)| *each > VISIBLE_FACTOR * least(*bytes))
        .map(|(_, each)| (each, 1.0 / each.max(1e-12)))
        .collect();
    // One size alone may have another reason.
    if visible.len() > 1 { weighted_median(&visible) } else { None }
}
