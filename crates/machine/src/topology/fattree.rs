//! The fat tree (Leiserson 1985).

use super::LinkId;
use super::divider::Divider;

/// A tree whose leaves are the processors and whose links are pools of physical channels:
/// `widths[k]` channels lead from a subtree of arity^k processors upwards, and as many back;
/// `widths[0]` is the link of a processor. There are as many levels as widths, and arity^levels
/// processors.
///
/// A message goes up to the smallest subtree that contains both ends, and down. Pools are numbered
/// level by level from the processors; pool i has link 2i upwards and link 2i + 1 downwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FatTree {
    arity: Divider,
    widths: Box<[u32]>,
    /// The first pool of each level.
    pools: Box<[u64]>,
    links: u64,
    processors: u32,
}

impl FatTree {
    /// Creates a fat tree; the arity is at least 2, no width is 0, and there are at most 2^30
    /// processors.
    pub(super) fn new(arity: u32, widths: &[u32]) -> Self {
        let processors = widths.iter().fold(1, |processors, _| processors * arity);
        let mut subtrees = processors;
        let mut pools = Vec::new();
        let mut pool = 0;
        for _ in widths {
            pools.push(pool);
            pool += u64::from(subtrees);
            subtrees /= arity;
        }
        let arity = Divider::new(arity);
        Self { arity, widths: widths.into(), pools: pools.into(), links: 2 * pool, processors }
    }

    /// The number of subtrees of a tree.
    pub fn arity(&self) -> u32 {
        self.arity.divisor()
    }

    /// The channels above a processor, above a subtree of `arity` processors, and so on.
    pub fn widths(&self) -> &[u32] {
        &self.widths
    }

    #[inline]
    pub(super) fn processors(&self) -> u32 {
        self.processors
    }

    pub(super) fn links(&self) -> u64 {
        self.links
    }

    #[inline]
    pub(super) fn width(&self, link: LinkId) -> u32 {
        let pool = link.0 / 2;
        let level = self.pools.iter().rposition(|first| *first <= pool).unwrap_or(0);
        self.widths[level]
    }

    #[inline]
    pub(super) fn distance(&self, from: u32, to: u32) -> u32 {
        let (mut from, mut to, mut distance) = (from, to, 0);
        while from != to {
            (from, to) = (self.arity.quotient(from), self.arity.quotient(to));
            distance += 2;
        }
        distance
    }

    #[inline]
    pub(super) fn route(&self, from: u32, to: u32, mut visit: impl FnMut(LinkId)) {
        // With an arity of at least 2 there are at most 30 levels.
        let mut down = [0; 32];
        let mut level = 0;
        let (mut from, mut to) = (from, to);
        while from != to {
            let first = self.pools[level];
            visit(LinkId(2 * (first + u64::from(from))));
            down[level] = 2 * (first + u64::from(to)) + 1;
            (from, to) = (self.arity.quotient(from), self.arity.quotient(to));
            level += 1;
        }
        down[..level].iter().rev().for_each(|link| visit(LinkId(*link)));
    }
}
