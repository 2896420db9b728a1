//! Do the maps of two networks agree up to renumbering (P11)?

use std::collections::HashMap;

use crate::file::error::{Error, Place};
use crate::file::section::Section;
use crate::map::Map;
use crate::network::Network;

/// The first rank for which no renumbering of processors turns one map into the other. Without multitasking only ranks with a
/// processor of their own count.
///
/// It stops at the first difference, and one that wraps around earlier than the other differs there: a list bounds the work.
pub fn disagree(network: &Network, other: &Network, multitasking: bool) -> Option<usize> {
    let [here, there] = [network, other].map(Network::processors);
    let [short, long] = [network.map.len(here), other.map.len(there)];
    // Two periodic sequences that agree for as long as both periods together agree for ever.
    let count = if multitasking { short.saturating_add(long) } else { short };
    if matches!((&network.map, &other.map), (Map::All, Map::All)) {
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

/// Says so.
pub fn error(section: &Section<'_>, origin: &Place, rank: usize) -> Error {
    let key = if section.has("map") { "map" } else { "topology" };
    let text = format!(
        "the map of this network places rank {rank} otherwise than `network` does: maps must agree but for the numbers of \
         processors ({origin})"
    );
    section.error(key, text)
}
