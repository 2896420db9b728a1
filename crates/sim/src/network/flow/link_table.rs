//! The users of each link.
//!
//! Links have an index in the table: their number, or, in networks with too many links to keep all,
//! an index that they have while they are used.

use panto_machine::{LinkId, Topology};
use rustc_hash::FxHashMap;

use crate::network::availability::MAX_DENSE_LINKS;
use panto_memory::HugeVec;
use panto_memory::prefetch;

/// The flows that have a link on their route.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkUse {
    /// No flow.
    #[default]
    Idle,
    /// This flow, which is exclusive.
    Exclusive(u32),
    /// Several, or one that shared it before: a slot of the [shared links](super::shared_links).
    Shared(u32),
}

/// The users of all links, by index.
#[derive(Debug)]
pub(super) struct LinkTable {
    users: HugeVec<LinkUse>,
    /// The average number of links of a node.
    per_node: usize,
    sparse: Option<Sparse>,
}

/// The indices of links that are used.
#[derive(Debug, Default)]
struct Sparse {
    index: FxHashMap<LinkId, u32>,
    /// The link of each index.
    links: Vec<LinkId>,
    free: Vec<u32>,
}

impl LinkTable {
    pub(super) fn new(topology: &Topology) -> Self {
        if topology.links() > MAX_DENSE_LINKS {
            return Self { users: HugeVec::new(), per_node: 0, sparse: Some(Sparse::default()) };
        }
        let (links, nodes) = (topology.links() as usize, topology.processors().max(1));
        Self { users: HugeVec::filled(LinkUse::Idle, links), per_node: links / nodes, sparse: None }
    }

    /// The index of a link.
    #[inline]
    pub(super) fn index(&mut self, link: LinkId) -> u32 {
        match &mut self.sparse {
            None => link.0 as u32,
            Some(sparse) => sparse.index(link, &mut self.users),
        }
    }

    /// The link with an index.
    pub(super) fn link(&self, index: u32) -> LinkId {
        match &self.sparse {
            None => LinkId(index.into()),
            Some(sparse) => sparse.links[index as usize],
        }
    }

    #[inline]
    pub(super) fn users(&self, index: u32) -> LinkUse {
        self.users[index as usize]
    }

    #[inline]
    pub(super) fn set(&mut self, index: u32, users: LinkUse) {
        self.users[index as usize] = users;
    }

    /// Marks a link as idle, and frees its index.
    #[inline]
    pub(super) fn free(&mut self, index: u32) {
        self.set(index, LinkUse::Idle);
        if let Some(sparse) = &mut self.sparse {
            sparse.index.remove(&sparse.links[index as usize]);
            sparse.free.push(index);
        }
    }

    /// Prefetches an entry.
    #[inline]
    pub(super) fn prefetch(&self, index: u32) {
        prefetch(self.users.get(index as usize));
    }

    /// Prefetches the links that a message from this node is likely to use first: most topologies
    /// number links by node.
    #[inline]
    pub(super) fn prefetch_node(&self, from: u32) {
        let first = from as usize * self.per_node;
        prefetch(self.users.get(first));
        prefetch(self.users.get(first + self.per_node));
    }
}

impl Sparse {
    fn index(&mut self, link: LinkId, users: &mut HugeVec<LinkUse>) -> u32 {
        *self.index.entry(link).or_insert_with(|| {
            if let Some(index) = self.free.pop() {
                self.links[index as usize] = link;
                return index;
            }
            users.push(LinkUse::Idle);
            self.links.push(link);
            (users.len() - 1) as u32
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_reused() {
        let mut table = LinkTable::new(&Topology::complete(1 << 20).unwrap());
        for link in 0..100_000 {
            let index = table.index(LinkId(link));
            assert_eq!((table.index(LinkId(link)), table.link(index)), (index, LinkId(link)));
            assert_eq!(table.users(index), LinkUse::Idle);
            table.set(index, LinkUse::Exclusive(7));
            if link >= 10 {
                let old = table.index(LinkId(link - 10));
                assert_eq!(table.users(old), LinkUse::Exclusive(7));
                table.free(old);
            }
        }
        assert!(table.users.len() <= 11);
    }
}
