//! When each channel of each link is free again.

use panto_machine::{LinkId, Topology};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::prefetch;

/// Links of more than this many are kept only while they are taken: a complete network of 65,536 has four billion.
pub(super) const MOST_DENSE: u64 = 1 << 24;
/// How many links are kept before the idle ones are looked for.
const SWEEP: usize = 1 << 16;

/// The free times, in picoseconds. The times of a link with several channels are a heap, the earliest in front.
#[derive(Debug)]
pub(super) enum Channels {
    /// One channel a link, and how many links a node has on average.
    Single { free: Vec<u64>, per_node: usize },
    /// What is taken of so many links, or of so wide ones, that not all can be kept.
    Sparse { topology: Topology, taken: FxHashMap<LinkId, SmallVec<[u64; 2]>>, sweep: usize },
}

impl Channels {
    pub(super) fn new(topology: &Topology) -> Self {
        if topology.links() <= MOST_DENSE && is_single(topology) {
            let (links, nodes) = (topology.links() as usize, topology.processors().max(1));
            Self::Single { free: vec![0; links], per_node: links / nodes }
        } else {
            Self::Sparse { topology: topology.clone(), taken: FxHashMap::default(), sweep: SWEEP }
        }
    }

    /// A message from this node will come soon: its first link is most likely one of those that are numbered by the node.
    #[inline]
    pub(super) fn touch(&self, from: u32) {
        if let Self::Single { free, per_node } = self {
            let first = from as usize * per_node;
            prefetch::soon(free.get(first));
            prefetch::soon(free.get(first + per_node));
        }
    }

    /// When the first channel of a link is free.
    #[inline]
    pub(super) fn earliest(&self, link: LinkId) -> u64 {
        match self {
            Self::Single { free, .. } => free[link.0 as usize],
            Self::Sparse { topology, taken, .. } => match taken.get(&link) {
                Some(times) if times.len() >= topology.width(link) as usize => times[0],
                _ => 0,
            },
        }
    }

    /// Takes that channel until then. Nobody will ask again for a channel before `now`.
    #[inline]
    pub(super) fn take(&mut self, link: LinkId, now: u64, until: u64) {
        match self {
            Self::Single { free, .. } => free[link.0 as usize] = until,
            Self::Sparse { topology, taken, sweep } => {
                if taken.len() >= *sweep {
                    taken.retain(|_, times| times.iter().any(|time| *time > now));
                    *sweep = (2 * taken.len()).max(SWEEP);
                }
                let times = taken.entry(link).or_default();
                // A channel that is free by now is as good as one that was never taken.
                if times.len() >= topology.width(link) as usize
                    || times.first().is_some_and(|first| *first <= now)
                {
                    times[0] = until;
                    sink(times);
                } else {
                    times.push(until);
                    rise(times);
                }
            }
        }
    }
}

/// Does each link carry one message at a time?
pub(super) fn is_single(topology: &Topology) -> bool {
    !matches!(topology, Topology::FatTree(_))
}

/// The first of a heap may be too late.
fn sink(heap: &mut [u64]) {
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

/// The last of a heap may be too early.
fn rise(heap: &mut [u64]) {
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
    fn memory_follows_what_is_taken() {
        let topology = Topology::complete(1 << 20).unwrap();
        let mut channels = Channels::new(&topology);
        for link in 0..1_000_000 {
            let now = link * 10;
            assert_eq!(channels.earliest(LinkId(link)), 0);
            channels.take(LinkId(link), now, now + 100);
            assert_eq!(channels.earliest(LinkId(link)), now + 100);
        }
        let Channels::Sparse { taken, .. } = channels else { panic!("four billion links are not kept") };
        assert!(taken.len() <= SWEEP);
    }

    #[test]
    fn a_pool_gives_its_earliest_channel() {
        let topology = Topology::fat_tree(2, &[3]).unwrap();
        let mut channels = Channels::new(&topology);
        for (until, earliest) in [(50, 0), (20, 0), (40, 20), (60, 40), (45, 45), (70, 50)] {
            channels.take(LinkId(0), 0, until);
            assert_eq!(channels.earliest(LinkId(0)), earliest, "after {until}");
        }
    }
}
