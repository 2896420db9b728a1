//! Trees over ranks relative to the root, computed and never stored.

use std::cmp::Ordering;

use crate::layout::ceil_log2;

/// The shape of a tree over the nodes 0..n with root 0.
///
/// The descendants of a node are always the run of nodes after it, so that gather and scatter move
/// contiguous data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// All nodes are children of the root, in ascending order.
    Star,
    /// Each node is the child of its predecessor.
    Chain,
    /// The parent of node v is v with its lowest set bit cleared.
    Binomial,
    /// The run of nodes is halved recursively: the broadcast order of the CM-5 paper.
    Halving,
    /// A binary tree with subtrees as equal as possible.
    Binary,
    /// The parent of node v is v with its lowest non-zero digit to this base cleared; base 2 is the
    /// binomial tree.
    Knomial(usize),
}

/// A tree of a given size.
#[derive(Clone, Copy)]
pub(crate) struct Tree {
    pub shape: Shape,
    pub size: usize,
}

impl Tree {
    pub fn parent(self, node: usize) -> Option<usize> {
        if node == 0 {
            return None;
        }
        Some(match self.shape {
            Shape::Star => 0,
            Shape::Chain => node - 1,
            Shape::Binomial => node & (node - 1),
            Shape::Halving => self.halving_run(node).0,
            Shape::Binary => self.binary_run(node).0,
            Shape::Knomial(radix) => node - node % (low_digit(node, radix) * radix),
        })
    }

    /// Returns the number of nodes in the subtree, the node included.
    pub fn extent(self, node: usize) -> usize {
        match self.shape {
            Shape::Star if node > 0 => 1,
            Shape::Chain => self.size - node,
            Shape::Binomial if node > 0 => (node & node.wrapping_neg()).min(self.size - node),
            Shape::Halving if node > 0 => self.halving_run(node).1,
            Shape::Binary if node > 0 => self.binary_run(node).1,
            Shape::Knomial(radix) if node > 0 => low_digit(node, radix).min(self.size - node),
            _ => self.size,
        }
    }

    pub fn degree(self, node: usize) -> usize {
        let extent = self.extent(node);
        match self.shape {
            Shape::Star => extent - 1,
            Shape::Chain => extent.min(2) - 1,
            Shape::Binomial | Shape::Halving => ceil_log2(extent),
            Shape::Binary => extent.min(3) - 1,
            Shape::Knomial(radix) => knomial_degree(extent, radix),
        }
    }

    /// Returns a child in the order of sending: largest subtree first, ascending among equals.
    pub fn child(self, node: usize, index: usize) -> usize {
        match self.shape {
            Shape::Star | Shape::Chain => node + 1 + index,
            Shape::Binomial => node + (1 << (self.degree(node) - 1 - index)),
            Shape::Halving => {
                // The holder keeps the larger half each time.
                node + (0..=index).fold(self.extent(node), |run, _| run.div_ceil(2))
            }
            Shape::Binary => node + 1 + index * (self.extent(node) - 1).div_ceil(2),
            Shape::Knomial(radix) => node + knomial_child(self.extent(node), radix, index),
        }
    }

    /// Returns a child in the order of receiving: smallest subtree first, since it completes first,
    /// and always ascending, so that vectors are combined in rank order.
    pub fn child_upwards(self, node: usize, index: usize) -> usize {
        match self.shape {
            Shape::Star | Shape::Chain | Shape::Binary => self.child(node, index),
            Shape::Binomial | Shape::Halving => self.child(node, self.degree(node) - 1 - index),
            Shape::Knomial(radix) => node + knomial_child_upwards(self.extent(node), radix, index),
        }
    }

    /// Returns the parent of a node that is not the root, and the length of the node's run, in a
    /// halving tree.
    fn halving_run(self, node: usize) -> (usize, usize) {
        let (mut holder, mut run) = (0, self.size);
        loop {
            let kept = run.div_ceil(2);
            match node.cmp(&(holder + kept)) {
                Ordering::Less => run = kept,
                Ordering::Equal => return (holder, run - kept),
                Ordering::Greater => {
                    holder += kept;
                    run -= kept;
                }
            }
        }
    }

    /// Returns the parent of a node that is not the root, and the length of the node's run, in a
    /// binary tree.
    fn binary_run(self, node: usize) -> (usize, usize) {
        let (mut holder, mut run) = (0, self.size);
        loop {
            let first = (run - 1).div_ceil(2);
            let (child, extent) = if node <= holder + first {
                (holder + 1, first)
            } else {
                (holder + 1 + first, run - 1 - first)
            };
            if node == child {
                return (holder, extent);
            }
            (holder, run) = (child, extent);
        }
    }
}

/// Returns the weight of the lowest non-zero digit to this base.
fn low_digit(node: usize, radix: usize) -> usize {
    let mut weight = 1;
    while node.is_multiple_of(weight * radix) {
        weight *= radix;
    }
    weight
}

/// Returns the number of children of a subtree of `extent` nodes: for each weight below it, as many
/// digits as fit.
fn knomial_degree(extent: usize, radix: usize) -> usize {
    weights(extent, radix).map(|weight| digits(extent, radix, weight)).sum()
}

/// Returns the offset of a child from its parent, the largest weight first.
fn knomial_child(extent: usize, radix: usize, index: usize) -> usize {
    let mut behind = knomial_degree(extent, radix) - index;
    for weight in weights(extent, radix) {
        let digits = digits(extent, radix, weight);
        if behind <= digits {
            return (digits + 1 - behind) * weight;
        }
        behind -= digits;
    }
    0
}

/// Returns the offset of a child from its parent, the smallest weight first.
fn knomial_child_upwards(extent: usize, radix: usize, index: usize) -> usize {
    let mut before = index;
    for weight in weights(extent, radix) {
        let digits = digits(extent, radix, weight);
        if before < digits {
            return (before + 1) * weight;
        }
        before -= digits;
    }
    0
}

/// Returns the powers of the base below `extent`.
fn weights(extent: usize, radix: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(1_usize), move |weight| weight.checked_mul(radix))
        .take_while(move |weight| *weight < extent)
}

fn digits(extent: usize, radix: usize, weight: usize) -> usize {
    (extent - 1).checked_div(weight).map_or(0, |most| most.min(radix - 1))
}

#[cfg(test)]
mod tests {
    use super::{Shape, Tree};

    #[test]
    fn parents_and_children_agree_and_subtrees_are_runs() {
        let shapes = [Shape::Star, Shape::Chain, Shape::Binomial, Shape::Halving, Shape::Binary];
        for shape in shapes.into_iter().chain([2, 3, 4, 100].map(Shape::Knomial)) {
            for size in 1..70 {
                let tree = Tree { shape, size };
                for node in 0..size {
                    let children: Vec<_> = (0..tree.degree(node)).map(|i| tree.child(node, i)).collect();
                    assert!(
                        children.iter().all(|&child| tree.parent(child) == Some(node)),
                        "{shape:?} {size} {node}"
                    );
                    let upwards: Vec<_> =
                        (0..tree.degree(node)).map(|i| tree.child_upwards(node, i)).collect();
                    assert!(upwards.is_sorted(), "{shape:?} {size} {node}");
                    let below: usize = children.iter().map(|&child| tree.extent(child)).sum();
                    assert_eq!(below + 1, tree.extent(node), "{shape:?} {size} {node}");
                }
            }
        }
    }

    #[test]
    fn to_base_two_a_knomial_tree_is_binomial() {
        for size in 1..70 {
            let (two, known) =
                (Tree { shape: Shape::Knomial(2), size }, Tree { shape: Shape::Binomial, size });
            for node in 0..size {
                assert_eq!(two.parent(node), known.parent(node));
                let children =
                    |tree: Tree| (0..tree.degree(node)).map(|i| tree.child(node, i)).collect::<Vec<_>>();
                assert_eq!(children(two), children(known), "{size} {node}");
            }
        }
    }

    #[test]
    fn a_binary_tree_is_as_shallow_as_it_can_be() {
        for size in 1..200_usize {
            let tree = Tree { shape: Shape::Binary, size };
            let depth = |node| std::iter::successors(tree.parent(node), |up| tree.parent(*up)).count();
            assert_eq!((0..size).map(depth).max(), Some(size.ilog2() as usize));
            assert!((0..size).all(|node| tree.degree(node) <= 2));
        }
    }
}
