//! Trees of ranks: the parent of a rank, and its children in order.

use std::fmt;

/// How ranks form a tree with rank 0 as its root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tree {
    /// Binomial: the parent lacks the lowest bit. A subtree is a row of consecutive ranks.
    Lowest,
    /// Binomial: the parent lacks the highest bit.
    Highest,
    /// Binary, as in a heap: the children of `r` are `2r + 1` and `2r + 2`.
    Heap,
}

/// The order in which a rank takes its children.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Order {
    Ascending,
    Descending,
}

impl Tree {
    pub const ALL: [Self; 3] = [Self::Lowest, Self::Highest, Self::Heap];

    /// Returns the parent; none for the root.
    pub fn parent(self, rank: u32) -> Option<u32> {
        let above = rank.checked_sub(1)?;
        Some(match self {
            Self::Lowest => rank & above,
            Self::Highest => rank ^ 1 << rank.ilog2(),
            Self::Heap => above / 2,
        })
    }

    /// Returns the child with this number, counted from the lowest rank.
    fn child(self, rank: u32, ranks: u32, number: u32) -> Option<u32> {
        let bit = 1_u32.checked_shl(number)?;
        let child = match self {
            Self::Lowest if rank == 0 || bit < lowest_bit(rank) => rank.checked_add(bit),
            Self::Highest => {
                let above = if rank == 0 { 0 } else { rank.ilog2() + 1 };
                rank.checked_add(1_u32.checked_shl(number + above)?)
            }
            Self::Heap if number < 2 => rank.checked_mul(2)?.checked_add(1 + number),
            Self::Lowest | Self::Heap => None,
        };
        child.filter(|child| *child < ranks)
    }

    /// Returns the number of children.
    pub fn children(self, rank: u32, ranks: u32) -> u32 {
        (0..u32::BITS).take_while(|number| self.child(rank, ranks, *number).is_some()).count() as u32
    }

    /// Returns the child that is taken at this place of the order.
    pub fn child_in(self, order: Order, rank: u32, ranks: u32, place: u32) -> Option<u32> {
        match order {
            Order::Ascending => self.child(rank, ranks, place),
            Order::Descending => {
                let last = self.children(rank, ranks).checked_sub(1)?;
                self.child(rank, ranks, last.checked_sub(place)?)
            }
        }
    }
}

/// Returns the ranks of a subtree of [`Tree::Lowest`]: the first, and the one after the last.
pub fn subtree(root: u32, ranks: u32) -> (u32, u32) {
    let size = if root == 0 { ranks } else { lowest_bit(root) };
    (root, root.saturating_add(size).min(ranks))
}

fn lowest_bit(number: u32) -> u32 {
    1 << number.trailing_zeros()
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lowest => "binomial tree",
            Self::Highest => "binomial tree by the highest bit",
            Self::Heap => "binary tree",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_have_their_parent() {
        for (tree, ranks) in
            Tree::ALL.into_iter().flat_map(|tree| [1, 2, 5, 16, 23].map(|ranks| (tree, ranks)))
        {
            let mut seen = vec![0];
            for rank in 0..ranks {
                let children = 0..tree.children(rank, ranks);
                for child in children.filter_map(|i| tree.child_in(Order::Descending, rank, ranks, i)) {
                    assert_eq!(tree.parent(child), Some(rank), "{tree}, {ranks} ranks");
                    seen.push(child);
                }
            }
            seen.sort_unstable();
            assert_eq!(seen, (0..ranks).collect::<Vec<_>>(), "{tree}");
        }
    }

    #[test]
    fn subtrees_are_consecutive() {
        assert_eq!(subtree(4, 16), (4, 8));
        assert_eq!(subtree(8, 11), (8, 11));
        assert_eq!(subtree(0, 11), (0, 11));
    }
}
