//! A binomial tree over 0, 1, 2, ...: the parent of a number is the number without its lowest bit.
//!
//! HCA3 has rounds i = k..1 in which the multiples of 2^i are parents. Here no rounds are counted:
//! a host that has its model serves its children, the most distant first, which gives the same
//! order. (HCA3 serves hosts beyond the last power of two at the end; here they are in the tree, at
//! the same depth and in as many rounds.)

use crate::error::{Error, Result};
use crate::message::{Selector, SendMode};
use crate::transport::Transport;

use super::TAG;

/// Returns the parent of `number`; 0 has none.
pub(super) fn parent(number: usize) -> Option<usize> {
    (number > 0).then(|| number & (number - 1))
}

/// Returns the children of `number` among `0..count`, in the order in which they are served.
pub(super) fn children(number: usize, count: usize) -> impl Iterator<Item = usize> {
    let strides = if number == 0 { usize::BITS - 1 } else { number.trailing_zeros() };
    (0..strides).rev().filter_map(move |bit| number.checked_add(1 << bit).filter(|&child| child < count))
}

/// Broadcasts the bytes of the first of `ranks` to all of them. This rank is one of them.
pub(super) fn broadcast<T: Transport, const N: usize>(
    t: &T,
    ranks: &[usize],
    bytes: &mut [u8; N],
) -> Result<()> {
    let Some(place) = ranks.iter().position(|&rank| rank == t.rank()) else { return Ok(()) };
    if let Some(parent) = parent(place) {
        *bytes = receive(t, ranks[parent])?;
    }
    children(place, ranks.len()).try_for_each(|child| t.send(SendMode::Standard, bytes, ranks[child], TAG))
}

/// Receives exactly `N` bytes about clocks.
pub(super) fn receive<T: Transport, const N: usize>(t: &T, from: usize) -> Result<[u8; N]> {
    let mut bytes = [0; N];
    let len = t.receive(&mut bytes, Selector::new(from, TAG))?.len;
    if len == N {
        Ok(bytes)
    } else {
        Err(Error::Start(format!(
            "rank {from} sent {len} bytes with tag {TAG} instead of {N}: this tag is reserved for clocks, use another"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_but_0_has_one_parent() {
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

    /// Serving takes one round per child; a child begins when its parent has served it.
    #[test]
    fn all_are_served_after_a_logarithmic_number_of_rounds() {
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
