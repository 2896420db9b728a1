//! Trees over ranks counted from the root, computed and never stored.

use std::cmp::Ordering;

use crate::layout::ceil_log2;

/// The shape of a tree over the numbers 0..n with root 0.
///
/// The descendants of a number are always the run of numbers behind it, so that gathering and scattering move
/// contiguous data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// All hang on the root, in ascending order.
    Star,
    /// One behind the other.
    Chain,
    /// Number v hangs on v without its lowest bit; absent children are left out.
    Binomial,
    /// The run of numbers is halved again and again: the broadcast order of the CM-5 paper.
    Halving,
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
        })
    }

    /// How many numbers the node stands for, itself among them.
    pub fn extent(self, node: usize) -> usize {
        match self.shape {
            Shape::Star if node > 0 => 1,
            Shape::Chain => self.size - node,
            Shape::Binomial if node > 0 => (node & node.wrapping_neg()).min(self.size - node),
            Shape::Halving if node > 0 => self.halving_run(node).1,
            _ => self.size,
        }
    }

    pub fn degree(self, node: usize) -> usize {
        let extent = self.extent(node);
        match self.shape {
            Shape::Star => extent - 1,
            Shape::Chain => extent.min(2) - 1,
            Shape::Binomial | Shape::Halving => ceil_log2(extent),
        }
    }

    /// The children in the order in which they are sent to: largest subtree first, or ascending where all are equal.
    pub fn child(self, node: usize, index: usize) -> usize {
        match self.shape {
            Shape::Star | Shape::Chain => node + 1 + index,
            Shape::Binomial => node + (1 << (self.degree(node) - 1 - index)),
            Shape::Halving => {
                // The holder keeps the larger half each time.
                node + (0..=index).fold(self.extent(node), |run, _| run.div_ceil(2))
            }
        }
    }

    /// The children in the order in which they are received from: smallest subtree first, as it is complete first.
    pub fn child_upwards(self, node: usize, index: usize) -> usize {
        match self.shape {
            Shape::Star | Shape::Chain => self.child(node, index),
            Shape::Binomial | Shape::Halving => self.child(node, self.degree(node) - 1 - index),
        }
    }

    /// The parent of a node that is not the root, and the length of the run that it gets.
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
}

#[cfg(test)]
mod tests {
    use super::{Shape, Tree};

    #[test]
    fn parents_and_children_agree_and_subtrees_are_runs() {
        for shape in [Shape::Star, Shape::Chain, Shape::Binomial, Shape::Halving] {
            for size in 1..70 {
                let tree = Tree { shape, size };
                for node in 0..size {
                    let children: Vec<_> = (0..tree.degree(node)).map(|i| tree.child(node, i)).collect();
                    assert!(
                        children.iter().all(|&child| tree.parent(child) == Some(node)),
                        "{shape:?} {size} {node}"
                    );
                    let below: usize = children.iter().map(|&child| tree.extent(child)).sum();
                    assert_eq!(below + 1, tree.extent(node), "{shape:?} {size} {node}");
                }
            }
        }
    }
}
