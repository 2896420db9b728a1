//! Complete trees.

use super::LinkId;
use super::divider::Divider;

/// A complete tree whose root has number 0 and whose other vertices follow level by level (PUPPET's
/// `tree arity level`).
///
/// Levels are counted below the root, so a tree of `levels` has arity^levels leaves, and one of no
/// levels is the root alone. All vertices are processors, or the leaves only, numbered from 0; the
/// others are then dummies. Link 2(v - 1) leads from vertex v to its parent, link 2(v - 1) + 1
/// back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    arity: Divider,
    levels: u32,
    vertices: u32,
    /// The vertex of processor 0.
    first: u32,
}

impl Tree {
    /// Creates a tree; the arity is at least 2, and there are at most 2^30 processors.
    pub(super) fn new(arity: u32, levels: u32, leaves_only: bool) -> Self {
        let (mut above, mut width) = (0, 1);
        for _ in 0..levels {
            above += width;
            width *= arity;
        }
        let first = if leaves_only { above } else { 0 };
        Self { arity: Divider::new(arity), levels, vertices: above + width, first }
    }

    /// The number of children of a vertex.
    pub fn arity(&self) -> u32 {
        self.arity.divisor()
    }

    /// The number of levels below the root.
    pub fn levels(&self) -> u32 {
        self.levels
    }

    /// Returns whether only the leaves are processors.
    pub fn leaves_only(&self) -> bool {
        self.first > 0
    }

    #[inline]
    pub(super) fn processors(&self) -> u32 {
        self.vertices - self.first
    }

    pub(super) fn links(&self) -> u64 {
        2 * u64::from(self.vertices - 1)
    }

    #[inline]
    fn parent(&self, vertex: u32) -> u32 {
        self.arity.quotient(vertex - 1)
    }

    #[inline]
    pub(super) fn distance(&self, from: u32, to: u32) -> u32 {
        let (mut up, mut down) = (0, 0);
        self.climb(from, to, |_| up += 1, |_| down += 1);
        up + down
    }

    #[inline]
    pub(super) fn route(&self, from: u32, to: u32, mut visit: impl FnMut(LinkId)) {
        // With an arity of at least 2 there are fewer than 32 levels.
        let mut down = [0; 32];
        let mut depth = 0;
        self.climb(
            from,
            to,
            |vertex| visit(LinkId(2 * u64::from(vertex - 1))),
            |vertex| {
                down[depth] = vertex;
                depth += 1;
            },
        );
        down[..depth].iter().rev().for_each(|vertex| visit(LinkId(2 * u64::from(vertex - 1) + 1)));
    }

    /// Walks up from both ends to the lowest common ancestor: a vertex never has a higher number
    /// than its descendants.
    #[inline]
    fn climb(&self, from: u32, to: u32, mut rise: impl FnMut(u32), mut fall: impl FnMut(u32)) {
        let (mut from, mut to) = (from + self.first, to + self.first);
        while from != to {
            if from > to {
                rise(from);
                from = self.parent(from);
            } else {
                fall(to);
                to = self.parent(to);
            }
        }
    }
}
