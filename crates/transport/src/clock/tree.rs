//! A binomial tree over 0, 1, 2, ...: the parent of a number is the number without its lowest bit.
//!
//! HCA3 has rounds i = k..1 in which the multiples of 2^i are parents. They need no counting: whoever has heard from its
//! parent serves its children, the farthest first, and that is the same order. (HCA3 lets those past the last power of
//! two come last; here they have their place in the tree, at the same depth and in as many rounds.)

use crate::error::{Error, Result};
use crate::message::{Mode, Want};
use crate::transport::Transport;

use super::TAG;

/// Who serves `number`; nobody serves 0.
pub(super) fn parent(number: usize) -> Option<usize> {
    (number > 0).then(|| number & (number - 1))
}

/// Whom `number` serves among 0..count, in order.
pub(super) fn children(number: usize, count: usize) -> impl Iterator<Item = usize> {
    let strides = if number == 0 { usize::BITS - 1 } else { number.trailing_zeros() };
    (0..strides).rev().filter_map(move |bit| number.checked_add(1 << bit).filter(|&child| child < count))
}

/// Gives what the first of `ranks` has to all of them. This rank is one of them.
pub(super) fn spread<T: Transport, const N: usize>(
    t: &T,
    ranks: &[usize],
    words: &mut [u8; N],
) -> Result<()> {
    let Some(place) = ranks.iter().position(|&rank| rank == t.rank()) else { return Ok(()) };
    if let Some(parent) = parent(place) {
        *words = receive(t, ranks[parent])?;
    }
    children(place, ranks.len()).try_for_each(|child| t.send(Mode::Standard, words, ranks[child], TAG))
}

/// Exactly `N` bytes about clocks.
pub(super) fn receive<T: Transport, const N: usize>(t: &T, from: usize) -> Result<[u8; N]> {
    let mut words = [0; N];
    let len = t.receive(&mut words, Want::new(from, TAG))?.len;
    if len == N {
        Ok(words)
    } else {
        Err(Error::Start(format!(
            "rank {from} sent {len} bytes with tag {TAG}, and {N} were due: that tag belongs to clocks, use another"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_know_their_parent_and_everybody_has_one() {
        for count in 1..70 {
            let mut served = vec![0; count];
            for number in 0..count {
                for child in children(number, count) {
                    assert_eq!(parent(child), Some(number));
                    served[child] += 1;
                }
            }
            assert_eq!((served[0], parent(0)), (0, None));
            assert!(served[1..].iter().all(|&times| times == 1), "{count}: {served:?}");
        }
    }

    /// Serving takes one round for each child; a child begins when its parent has served it.
    #[test]
    fn everybody_is_served_after_logarithmically_many_rounds() {
        for count in 1..300_usize {
            let mut done = vec![0; count];
            for number in 0..count {
                for (round, child) in (done[number] + 1..).zip(children(number, count)) {
                    done[child] = round;
                }
            }
            let last = done.into_iter().max().unwrap_or_default();
            assert_eq!(last, count.next_power_of_two().ilog2(), "{count}");
        }
    }
}
