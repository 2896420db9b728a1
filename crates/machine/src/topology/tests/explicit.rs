//! Topologies as explicit lists of links, by their definitions: the oracle for the closed forms.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::topology::{Dragonfly, FatTree, Grid, LinkId, Topology, Tree};

/// Vertices, and the links between them by number.
pub struct Explicit {
    pub vertices: usize,
    pub links: BTreeMap<u64, Link>,
    /// The vertex of processor 0; the others follow.
    pub first: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    pub from: usize,
    pub to: usize,
    pub width: u64,
    /// Links of which a route uses at most one.
    pub global: bool,
}

impl Explicit {
    /// The ends of each link; `None` for a bus, whose link has none.
    pub fn new(topology: &Topology) -> Option<Self> {
        let n = topology.processors();
        let mut graph = Self { vertices: n, links: BTreeMap::new(), first: 0 };
        match topology {
            Topology::Complete(_) => {
                let pairs = (0..n).flat_map(|from| (0..n).map(move |to| (from, to)));
                for (number, (from, to)) in (0..).zip(pairs.filter(|(from, to)| from != to)) {
                    graph.add(number, from, to);
                }
            }
            Topology::Linear(_) => (1..n).for_each(|i| graph.add_pair(2 * (i as u64 - 1), i - 1, i)),
            Topology::Ring(_) => graph.grid(&[n as u32], true),
            Topology::Mesh(grid) => graph.grid(Grid::extents(grid), false),
            Topology::Torus(grid) => graph.grid(Grid::extents(grid), true),
            Topology::Hypercube { dimensions } => {
                let d = u64::from(*dimensions);
                for (from, bit) in (0..n).flat_map(|from| (0..d).map(move |bit| (from, bit))) {
                    graph.add(from as u64 * d + bit, from, from ^ (1 << bit));
                }
            }
            Topology::Tree(tree) => graph.tree(tree),
            Topology::FatTree(tree) => graph.fat_tree(tree),
            Topology::Dragonfly(dragonfly) => graph.dragonfly(dragonfly),
            Topology::Star(_) => {
                graph.vertices = n + 1;
                (0..n).for_each(|p| graph.add_pair(2 * p as u64, p, n));
            }
            Topology::Bus(_) => return None,
            Topology::Graph(lists) => {
                let ends =
                    (0..n).flat_map(|from| lists.neighbours(from as u32).iter().map(move |to| (from, *to)));
                for (number, (from, to)) in (0..).zip(ends) {
                    graph.add(number, from, to as usize);
                }
            }
        }
        Some(graph)
    }

    fn add(&mut self, number: u64, from: usize, to: usize) {
        self.insert(number, Link { from, to, width: 1, global: false });
    }

    fn insert(&mut self, number: u64, link: Link) {
        assert!(self.links.values().all(|other| (other.from, other.to) != (link.from, link.to)), "{link:?}");
        assert!(self.links.insert(number, link).is_none(), "{number}");
    }

    fn add_pair(&mut self, number: u64, from: usize, to: usize) {
        self.add(number, from, to);
        self.add(number + 1, to, from);
    }

    fn grid(&mut self, extents: &[u32], torus: bool) {
        let extents: Vec<usize> = extents.iter().rev().map(|e| *e as usize).filter(|e| *e > 1).collect();
        for v in 0..self.vertices {
            let mut stride = 1;
            for (i, &extent) in extents.iter().enumerate() {
                let number = 2 * (v * extents.len() + i) as u64;
                let here = v / stride % extent;
                let there = |place: usize| v - here * stride + place * stride;
                if torus || here + 1 < extent {
                    self.add(number, v, there((here + 1) % extent));
                }
                if torus && extent > 2 || !torus && here > 0 {
                    self.add(number + 1, v, there((here + extent - 1) % extent));
                }
                stride *= extent;
            }
        }
    }

    fn tree(&mut self, tree: &Tree) {
        let (arity, levels) = (tree.arity() as usize, tree.levels());
        self.vertices = (0..=levels).map(|level| arity.pow(level)).sum();
        self.first = if tree.leaves_only() { self.vertices - arity.pow(levels) } else { 0 };
        (1..self.vertices).for_each(|v| self.add_pair(2 * (v as u64 - 1), v, (v - 1) / arity));
    }

    fn fat_tree(&mut self, tree: &FatTree) {
        let arity = tree.arity() as usize;
        let (mut below, mut subtrees) = (0, self.vertices);
        for &width in tree.widths() {
            let above = below + subtrees;
            for s in 0..subtrees {
                let (child, parent, number) = (below + s, above + s / arity, 2 * (below + s) as u64);
                let link = Link { from: child, to: parent, width: width.into(), global: false };
                self.insert(number, link);
                self.insert(number + 1, Link { from: parent, to: child, ..link });
            }
            (below, subtrees) = (above, subtrees / arity);
        }
        self.vertices = below + 1;
    }

    fn dragonfly(&mut self, dragonfly: &Dragonfly) {
        let (groups, routers) = (dragonfly.groups() as usize, dragonfly.routers() as usize);
        let n = self.vertices;
        let router = |group: usize, router: usize| n + group * routers + router;
        (0..n).for_each(|h| self.add_pair(2 * h as u64, h, n + h / dragonfly.hosts() as usize));
        self.vertices = n + groups * routers;
        let mut number = 2 * n as u64;
        for group in 0..groups {
            for from in 0..routers {
                for to in (0..routers).filter(|to| *to != from) {
                    self.add(number, router(group, from), router(group, to));
                    number += 1;
                }
            }
        }
        let gate = |from: usize, to: usize| router(from, (to + groups - from - 1) % groups % routers);
        for group in 0..groups {
            for ahead in 1..groups {
                let other = (group + ahead) % groups;
                let (from, to) = (gate(group, other), gate(other, group));
                self.insert(number, Link { from, to, width: 1, global: true });
                number += 1;
            }
        }
    }

    /// Distances from a processor to all others.
    pub fn distances(&self, from: usize) -> Vec<u32> {
        // The state of the search is a vertex and whether a global link was used.
        let mut seen = BTreeSet::from([(self.first + from, false)]);
        let mut queue = VecDeque::from([(self.first + from, false, 0)]);
        let mut distances = vec![u32::MAX; self.vertices];
        while let Some((at, used, distance)) = queue.pop_front() {
            distances[at] = distances[at].min(distance);
            for link in self.links.values().filter(|link| link.from == at && !(used && link.global)) {
                let next = (link.to, used || link.global);
                if seen.insert(next) {
                    queue.push_back((next.0, next.1, distance + 1));
                }
            }
        }
        distances.split_off(self.first)
    }

    pub fn link(&self, link: LinkId) -> Link {
        self.links[&link.0]
    }
}
