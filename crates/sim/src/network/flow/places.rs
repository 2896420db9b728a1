//! Who is on each link.

use panto_machine::{LinkId, Topology};
use rustc_hash::FxHashMap;

use crate::large::Large;
use crate::network::channels::MOST_DENSE;
use crate::prefetch;

/// Who has a link on its route.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Users {
    #[default]
    Nobody,
    /// This flow, which has all of its links to itself.
    One(u32),
    /// Several, or one of several that were: this slot of [`super::links::Links`] knows them.
    Many(u32),
}

/// Each link has a place: that of its number; or where there are too many to keep all, one that it has while it is used.
#[derive(Debug)]
pub(super) struct Places {
    users: Large<Users>,
    /// How many links a node has on average.
    per_node: usize,
    sparse: Option<Sparse>,
}

/// The places of links that are used.
#[derive(Debug, Default)]
struct Sparse {
    of: FxHashMap<LinkId, u32>,
    links: Vec<LinkId>,
    free: Vec<u32>,
}

impl Places {
    pub(super) fn new(topology: &Topology) -> Self {
        if topology.links() > MOST_DENSE {
            return Self { users: Large::new(), per_node: 0, sparse: Some(Sparse::default()) };
        }
        let (links, nodes) = (topology.links() as usize, topology.processors().max(1));
        Self { users: Large::filled(Users::Nobody, links), per_node: links / nodes, sparse: None }
    }

    /// The place of a link.
    #[inline]
    pub(super) fn of(&mut self, link: LinkId) -> u32 {
        match &mut self.sparse {
            None => link.0 as u32,
            Some(sparse) => sparse.place(link, &mut self.users),
        }
    }

    /// The link of a place.
    pub(super) fn link(&self, place: u32) -> LinkId {
        match &self.sparse {
            None => LinkId(place.into()),
            Some(sparse) => sparse.links[place as usize],
        }
    }

    #[inline]
    pub(super) fn users(&self, place: u32) -> Users {
        self.users[place as usize]
    }

    #[inline]
    pub(super) fn set(&mut self, place: u32, users: Users) {
        self.users[place as usize] = users;
    }

    /// Nobody uses the link any more.
    #[inline]
    pub(super) fn free(&mut self, place: u32) {
        self.set(place, Users::Nobody);
        if let Some(sparse) = &mut self.sparse {
            sparse.of.remove(&sparse.links[place as usize]);
            sparse.free.push(place);
        }
    }

    /// The place will be needed soon.
    #[inline]
    pub(super) fn soon(&self, place: u32) {
        prefetch::soon(self.users.get(place as usize));
    }

    /// A message from this node will come soon: its first link is most likely one of those that are numbered by the node.
    #[inline]
    pub(super) fn touch(&self, from: u32) {
        let first = from as usize * self.per_node;
        prefetch::soon(self.users.get(first));
        prefetch::soon(self.users.get(first + self.per_node));
    }
}

impl Sparse {
    fn place(&mut self, link: LinkId, users: &mut Large<Users>) -> u32 {
        *self.of.entry(link).or_insert_with(|| {
            if let Some(place) = self.free.pop() {
                self.links[place as usize] = link;
                return place;
            }
            users.push(Users::Nobody);
            self.links.push(link);
            (users.len() - 1) as u32
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_many_links_are_used_again() {
        let mut places = Places::new(&Topology::complete(1 << 20).unwrap());
        for link in 0..100_000 {
            let place = places.of(LinkId(link));
            assert_eq!((places.of(LinkId(link)), places.link(place)), (place, LinkId(link)));
            assert_eq!(places.users(place), Users::Nobody);
            places.set(place, Users::One(7));
            if link >= 10 {
                let old = places.of(LinkId(link - 10));
                assert_eq!(places.users(old), Users::One(7));
                places.free(old);
            }
        }
        assert!(places.users.len() <= 11);
    }
}
