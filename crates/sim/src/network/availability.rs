//! When each link is free again.
//!
//! A link of width w (a pool of a fat tree) has w physical channels, each of which carries one
//! message at a time. Policies that serve a link in order need no queue: the time at which a
//! channel becomes free is all there is to know.

use panto_machine::{LinkId, Topology};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use panto_memory::prefetch;

/// The most links for which an array is kept; beyond, only occupied links are kept. A complete
/// network of 65,536 processors has four billion links.
pub(super) const MAX_DENSE_LINKS: u64 = 1 << 24;
/// The least number of kept links at which idle ones are removed.
const MIN_SWEEP: usize = 1 << 16;

/// The times at which links become free, in picoseconds. Those of a link with several channels are
/// a binary heap with the earliest in front.
#[derive(Debug)]
pub(super) enum LinkAvailability {
    /// An entry for each link, all of width 1, and the average number of links of a node.
    Dense { free: Vec<u64>, per_node: usize },
    /// Only occupied links, where there are too many links or links of several channels.
    Sparse { topology: Topology, occupied: FxHashMap<LinkId, SmallVec<[u64; 2]>>, sweep: usize },
}

impl LinkAvailability {
    pub(super) fn new(topology: &Topology) -> Self {
        if topology.links() <= MAX_DENSE_LINKS && has_unit_width(topology) {
            let (links, nodes) = (topology.links() as usize, topology.processors().max(1));
            Self::Dense { free: vec![0; links], per_node: links / nodes }
        } else {
            Self::Sparse { topology: topology.clone(), occupied: FxHashMap::default(), sweep: MIN_SWEEP }
        }
    }

    /// Prefetches the links that a message from this node is likely to use first: most topologies
    /// number links by node.
    #[inline]
    pub(super) fn prefetch(&self, from: u32) {
        if let Self::Dense { free, per_node } = self {
            let first = from as usize * per_node;
            prefetch(free.get(first));
            prefetch(free.get(first + per_node));
        }
    }

    /// The time at which the first channel of a link is free.
    #[inline]
    pub(super) fn earliest_free(&self, link: LinkId) -> u64 {
        match self {
            Self::Dense { free, .. } => free[link.0 as usize],
            Self::Sparse { topology, occupied, .. } => match occupied.get(&link) {
                Some(times) if times.len() >= topology.width(link) as usize => times[0],
                _ => 0,
            },
        }
    }

    /// Occupies that channel until then. No later call is about a time before `now`.
    #[inline]
    pub(super) fn occupy(&mut self, link: LinkId, now: u64, until: u64) {
        match self {
            Self::Dense { free, .. } => free[link.0 as usize] = until,
            Self::Sparse { topology, occupied, sweep } => {
                if occupied.len() >= *sweep {
                    occupied.retain(|_, times| times.iter().any(|time| *time > now));
                    *sweep = (2 * occupied.len()).max(MIN_SWEEP);
                }
                let times = occupied.entry(link).or_default();
                // A channel that is free by now is equivalent to one that was never occupied.
                if times.len() >= topology.width(link) as usize
                    || times.first().is_some_and(|first| *first <= now)
                {
                    times[0] = until;
                    sift_down(times);
                } else {
                    times.push(until);
                    sift_up(times);
                }
            }
        }
    }
}

/// Returns whether each link carries one message at a time.
pub(super) fn has_unit_width(topology: &Topology) -> bool {
    !matches!(topology, Topology::FatTree(_))
}

/// Restores the heap after its first entry was replaced.
fn sift_down(heap: &mut [u64]) {
    let mut at = 0;
    loop {
        let mut least = at;
        for child in [2 * at + 1, 2 * at + 2] {
            if child < heap.len() && heap[child] < heap[least] {
                least = child;
            }
        }
        if least == at {
            return;
        }
        heap.swap(at, least);
        at = least;
    }
}

/// Restores the heap after an entry was appended.
fn sift_up(heap: &mut [u64]) {
    let mut at = heap.len() - 1;
    while at > 0 && heap[at] < heap[(at - 1) / 2] {
        heap.swap(at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_by_occupied_links() {
        let topology = Topology::complete(1 << 20).unwrap();
        let mut availability = LinkAvailability::new(&topology);
        for link in 0..1_000_000 {
            let now = link * 10;
            assert_eq!(availability.earliest_free(LinkId(link)), 0);
            availability.occupy(LinkId(link), now, now + 100);
            assert_eq!(availability.earliest_free(LinkId(link)), now + 100);
        }
        let LinkAvailability::Sparse { occupied, .. } = availability else {
            panic!("a table of four billion links")
        };
        assert!(occupied.len() <= MIN_SWEEP);
    }

    #[test]
    fn a_pool_uses_its_earliest_channel() {
        let topology = Topology::fat_tree(2, &[3]).unwrap();
        let mut availability = LinkAvailability::new(&topology);
        for (until, earliest_free) in [(50, 0), (20, 0), (40, 20), (60, 40), (45, 45), (70, 50)] {
            availability.occupy(LinkId(0), 0, until);
            assert_eq!(availability.earliest_free(LinkId(0)), earliest_free, "after {until}");
        }
    }
}
