//! Checks that the rank maps of two networks agree up to renumbering of processors (P11).

use std::collections::HashMap;

use crate::file::error::{Error, Location};
use crate::file::section::Section;
use crate::map::RankMap;
use crate::network::Network;

/// Returns the first rank at which the two maps cannot be made equal by renumbering processors.
/// Without multitasking only ranks with a processor of their own count.
///
/// A map that wraps around earlier than the other differs there, so the length of a list bounds the
/// work.
pub fn disagree(network: &Network, other: &Network, multitasking: bool) -> Option<usize> {
    let [here, there] = [network, other].map(Network::processors);
    let [short, long] = [network.map.len(here), other.map.len(there)];
    // Two periodic sequences that agree for the sum of both periods agree everywhere.
    let count = if multitasking { short.saturating_add(long) } else { short };
    if matches!((&network.map, &other.map), (RankMap::All, RankMap::All)) {
        let wraps = if multitasking { short.max(long) } else { short };
        return (wraps > short.min(long)).then_some(short.min(long));
    }
    let mut forth = HashMap::new();
    let mut back = HashMap::new();
    (0..count).find(|&rank| {
        let (a, b) = (network.map.processor(rank, here), other.map.processor(rank, there));
        *forth.entry(a).or_insert(b) != b || *back.entry(b).or_insert(a) != a
    })
}

/// The error about maps that disagree.
pub fn error(section: &Section<'_>, origin: &Location, rank: usize) -> Error {
    let key = if section.has("map") { "map" } else { "topology" };
    let text = format!(
        "the map of this network places rank {rank} differently from `network`: maps must agree up to the numbers of \
         processors ({origin})"
    );
    section.error(key, text)
}
