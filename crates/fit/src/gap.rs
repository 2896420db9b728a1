//! How close messages of a rank can follow each other: `LogGP`'s g.

use panto_machine::{Protocol, Switching};

use crate::estimate::{Estimate, weighted_median};
use crate::law::Law;
use crate::network::{Network, limit};
use crate::observe::Observed;
use crate::software::Software;

/// A gap is seen where messages follow each other this much slower than processors and links alone would let them.
const SEEN: f64 = 1.05;
/// Longer messages follow each other as the link lets them.
const SHORT: u64 = 64;

/// The gap, if it is longer than what messages cost anyway: `(PRTT(n, 0, s) - PRTT(1, 0, s)) / (n - 1)` of short messages
/// (Kielmann, Bal and Verstoep 2000). A shorter one shows nowhere and is not known.
pub fn gap(
    observed: &Observed,
    software: &Software,
    network: &Network,
    switching: Switching,
    copy: f64,
) -> Option<Estimate> {
    // Who waits for the receive of one message before the next has no gap to see.
    let single = observed.gap.get(&1).filter(|_| network.protocol != Protocol::Synchronous)?;
    let most = limit(network.protocol);
    let copies = Law::line(0.0, if software.copies == Some(true) { copy } else { 0.0 });
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
            let counts = *bytes <= SHORT && most.is_none_or(|most| *bytes <= most);
            counts.then(|| (*bytes, (seconds - one) / (*messages - 1) as f64))
        })
    });
    let seen: Vec<(f64, f64)> = increments
        .filter(|(bytes, each)| *each > SEEN * least(*bytes))
        .map(|(_, each)| (each, 1.0 / each.max(1e-12)))
        .collect();
    // One size alone may have another reason.
    if seen.len() > 1 { weighted_median(&seen) } else { None }
}
