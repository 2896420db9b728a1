//! Topologies that are described by one number: complete, linear, ring, hypercube.

use super::LinkId;

/// The distance between two processors of a ring of n.
#[inline]
pub(super) fn around(from: u32, to: u32, n: u32) -> u32 {
    let straight = from.abs_diff(to);
    straight.min(n - straight)
}

/// The route in a complete network of n: the links of a processor are numbered consecutively,
/// without one to itself.
#[inline]
pub(super) fn direct(from: u32, to: u32, n: u32, mut visit: impl FnMut(LinkId)) {
    if from != to {
        visit(LinkId(u64::from(from) * u64::from(n - 1) + u64::from(to) - u64::from(to > from)));
    }
}

/// The route in a linear array: link 2i leads from i to i + 1, link 2i + 1 back.
#[inline]
pub(super) fn linear(from: u32, to: u32, mut visit: impl FnMut(LinkId)) {
    if from < to {
        (from..to).for_each(|i| visit(LinkId(2 * u64::from(i))));
    } else {
        (to..from).rev().for_each(|i| visit(LinkId(2 * u64::from(i) + 1)));
    }
}

/// The route in a ring of n: link 2i leads from i upwards, link 2i + 1 from i downwards. If both
/// directions are equally long, upwards.
#[inline]
pub(super) fn ring(from: u32, to: u32, n: u32, mut visit: impl FnMut(LinkId)) {
    let up = if to >= from { to - from } else { to + (n - from) };
    let (mut at, distance, last) = if up <= n - up { (from, up, n - 1) } else { (from, n - up, 0) };
    let downwards = u64::from(up > n - up);
    for _ in 0..distance {
        visit(LinkId(2 * u64::from(at) + downwards));
        at = match (at == last, downwards == 0) {
            (true, true) => 0,
            (true, false) => n - 1,
            (false, true) => at + 1,
            (false, false) => at - 1,
        };
    }
}

/// The e-cube route in a hypercube: the bits that differ, lowest first. Link v d + i leads from v
/// to the processor that differs in bit i.
#[inline]
pub(super) fn hypercube(from: u32, to: u32, dimensions: u32, mut visit: impl FnMut(LinkId)) {
    let mut at = from;
    let mut differing = from ^ to;
    while differing != 0 {
        let bit = differing.trailing_zeros();
        visit(LinkId(u64::from(at) * u64::from(dimensions) + u64::from(bit)));
        at ^= 1 << bit;
        differing &= differing - 1;
    }
}
