//! Directed graphs from a file, with shortest-path routing.

use std::sync::OnceLock;

use super::{GraphError, LinkId};

/// A strongly connected directed graph (PUPPET's custom network).
///
/// Routes are shortest paths; among several, each hop goes to the processor with the lowest number.
/// The routes to a processor are computed by one breadth-first search when the first of them is
/// needed, and kept: at most 128 MiB for the largest graph.
#[derive(Debug, Clone)]
pub struct Graph {
    /// The links of processor v are `targets[first[v]..first[v + 1]]`, sorted; their index is their
    /// number.
    first: Vec<u32>,
    targets: Vec<u32>,
    /// The processors that have a link to each processor.
    sources: Vec<Vec<u32>>,
    /// For each destination, the next hop from every processor.
    next_hops: Vec<OnceLock<Box<[Hop]>>>,
}

/// The next link on the route to some processor, and the number of links of the route.
#[derive(Debug, Clone, Copy, Default)]
struct Hop {
    link: u32,
    distance: u32,
}

const UNREACHED: u32 = u32::MAX;

impl Graph {
    /// The most processors of a graph.
    pub const MAX_PROCESSORS: usize = 4096;
    /// The most links of a graph.
    pub const MAX_LINKS: usize = 1_000_000;

    /// Creates a graph from sorted lists of existing processors without duplicates.
    pub(super) fn from_lists(lists: &[Vec<u32>]) -> Result<Self, GraphError> {
        let mut first = vec![0];
        let mut targets = Vec::new();
        let mut sources = vec![Vec::new(); lists.len()];
        for (from, list) in (0..).zip(lists) {
            targets.extend(list);
            first.push(targets.len() as u32);
            for to in list {
                sources[*to as usize].push(from);
            }
        }
        check_connected(lists, &sources)?;
        let next_hops = lists.iter().map(|_| OnceLock::new()).collect();
        Ok(Self { first, targets, sources, next_hops })
    }

    #[inline]
    pub(super) fn processors(&self) -> u32 {
        self.next_hops.len() as u32
    }

    pub(super) fn links(&self) -> u64 {
        self.targets.len() as u64
    }

    /// The processors that a processor has links to.
    pub fn neighbours(&self, processor: u32) -> &[u32] {
        let at = processor as usize;
        &self.targets[self.first[at] as usize..self.first[at + 1] as usize]
    }

    #[inline]
    fn next_hops(&self, to: u32) -> &[Hop] {
        self.next_hops[to as usize].get_or_init(|| self.find_next_hops(to))
    }

    fn find_next_hops(&self, to: u32) -> Box<[Hop]> {
        let distances = distances(&self.sources, to);
        let next = |from: u32| {
            let distance = distances[from as usize];
            let nearer = |v: &u32| distances[*v as usize] < distance;
            let offset = self.neighbours(from).iter().position(nearer).unwrap_or(0);
            Hop { link: self.first[from as usize] + offset as u32, distance }
        };
        (0..self.processors()).map(next).collect()
    }

    #[inline]
    pub(super) fn distance(&self, from: u32, to: u32) -> u32 {
        self.next_hops(to)[from as usize].distance
    }

    #[inline]
    pub(super) fn route(&self, from: u32, to: u32, mut visit: impl FnMut(LinkId)) {
        let next_hops = self.next_hops(to);
        let mut at = from;
        while at != to {
            let link = next_hops[at as usize].link;
            visit(LinkId(u64::from(link)));
            at = self.targets[link as usize];
        }
    }

    /// The longest of all shortest paths, by a search from every processor.
    pub(super) fn diameter(&self) -> u32 {
        let farthest = |to| distances(&self.sources, to).into_iter().max().unwrap_or(0);
        (0..self.processors()).map(farthest).max().unwrap_or(0)
    }
}

/// Graphs are equal if their links are.
impl PartialEq for Graph {
    fn eq(&self, other: &Self) -> bool {
        self.first == other.first && self.targets == other.targets
    }
}

impl Eq for Graph {}

/// Checks that processor 0 reaches all and all reach it, hence that all reach all.
fn check_connected(lists: &[Vec<u32>], sources: &[Vec<u32>]) -> Result<(), GraphError> {
    let unreached = |lists| distances(lists, 0).iter().position(|distance| *distance == UNREACHED);
    if let Some(to) = unreached(lists) {
        return Err(GraphError::Unreachable { from: 0, to: to as u32 });
    }
    match unreached(sources) {
        Some(from) => Err(GraphError::Unreachable { from: from as u32, to: 0 }),
        None => Ok(()),
    }
}

/// The distances of all processors from `start`, by breadth-first search.
fn distances(lists: &[Vec<u32>], start: u32) -> Vec<u32> {
    let mut distances = vec![UNREACHED; lists.len()];
    distances[start as usize] = 0;
    let mut queue = vec![start];
    let mut next = 0;
    // Stops when all are found, which is soon in a dense graph.
    while queue.len() < lists.len()
        && let Some(&at) = queue.get(next)
    {
        next += 1;
        for &neighbour in &lists[at as usize] {
            if distances[neighbour as usize] == UNREACHED {
                distances[neighbour as usize] = distances[at as usize] + 1;
                queue.push(neighbour);
            }
        }
    }
    distances
}
