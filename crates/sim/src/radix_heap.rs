//! A radix heap: a priority queue for simulation times that mostly increase.
//!
//! A radix heap (R. K. Ahuja, K. Mehlhorn, J. B. Orlin and R. E. Tarjan, "Faster Algorithms for the
//! Shortest Path Problem", Journal of the ACM 37(2), 1990) serves a *monotone* queue: no entry is
//! earlier than the last one that was taken out. Entries lie unsorted in buckets, one for each bit
//! of a time: an entry is in the bucket of the highest bit in which its time differs from a limit.
//! So each bucket covers times about twice as far away as those of the bucket before it. When all
//! nearer entries have been taken, the first bucket that is not empty is opened: the limit becomes
//! its earliest time, and its entries are distributed over the buckets before it. An entry moves to
//! a lower bucket each time, hence at most 64 times, and always together with its neighbours, where
//! a binary heap of all entries would touch O(log n) scattered cache lines for each.
//!
//! Two things differ from the paper:
//!
//! - A bucket of up to 256 entries is sorted at once instead of distributed, and the limit becomes
//!   its *latest* time.
//! - Events may be pushed that are earlier than the limit. They go to a small binary heap, whose
//!   top is compared with the sorted entries, so the queue need not be monotone.
//!
//! Invariant: every entry in a bucket is later than the limit, and every entry that is not in a
//! bucket is at the limit or earlier.

use std::collections::BinaryHeap;

/// An entry of the queue. The earliest is the greatest, as `BinaryHeap` wants it.
pub(crate) trait Timed: Copy + Ord {
    /// Returns the entry's time, in picoseconds.
    fn time(&self) -> u64;
}

/// A priority queue that returns the earliest entry first.
#[derive(Debug)]
pub(crate) struct RadixHeap<T> {
    /// The nearest entries in descending order of time: the earliest is the last.
    sorted: Vec<T>,
    /// Entries pushed at the limit or before it.
    late: BinaryHeap<T>,
    /// Later entries are in buckets.
    limit: u64,
    /// Bucket `b` holds the entries whose time differs from the limit in bit `b` and in no higher.
    buckets: Box<[Vec<T>; u64::BITS as usize]>,
    /// A bit for each bucket that is not empty.
    occupied: u64,
}

/// Number of entries up to which a bucket is sorted instead of distributed.
const SORT_AT_ONCE: usize = 256;

impl<T: Timed> RadixHeap<T> {
    /// Adds an entry.
    #[inline]
    pub(crate) fn push(&mut self, entry: T) {
        if entry.time() <= self.limit {
            return self.late.push(entry);
        }
        let bucket = (entry.time() ^ self.limit).ilog2();
        self.buckets[bucket as usize].push(entry);
        self.occupied |= 1 << bucket;
    }

    /// Returns the earliest entry.
    #[inline]
    pub(crate) fn first(&mut self) -> Option<&T> {
        if self.sorted.is_empty() && self.late.is_empty() && self.occupied != 0 {
            self.open_bucket();
        }
        self.sorted.last().max(self.late.peek())
    }

    /// Removes and returns the earliest entry.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<T> {
        self.first()?;
        if self.late.peek() > self.sorted.last() { self.late.pop() } else { self.sorted.pop() }
    }

    /// Returns the `nth` sorted entry, counted from 1 for the earliest: a guess for prefetching,
    /// since entries in buckets or pushed late are not counted.
    #[inline]
    pub(crate) fn nth(&self, nth: usize) -> Option<&T> {
        self.sorted.len().checked_sub(nth).and_then(|place| self.sorted.get(place))
    }

    /// Sorts the first bucket that is not empty, or what remains of it after distribution.
    #[cold]
    fn open_bucket(&mut self) {
        while self.sorted.is_empty() && self.occupied != 0 {
            let first = self.occupied.trailing_zeros();
            self.occupied &= !(1 << first);
            let mut bucket = std::mem::take(&mut self.buckets[first as usize]);
            let times = bucket.iter().map(T::time);
            if bucket.len() <= SORT_AT_ONCE {
                self.limit = times.max().unwrap_or(self.limit);
                self.sorted.append(&mut bucket);
            } else {
                self.limit = times.min().unwrap_or(self.limit);
                for entry in bucket.drain(..) {
                    if entry.time() == self.limit {
                        self.sorted.push(entry);
                    } else {
                        self.push(entry);
                    }
                }
            }
            // Its allocation is used again.
            self.buckets[first as usize] = bucket;
        }
        self.sorted.sort_unstable();
    }
}

impl<T: Ord> Default for RadixHeap<T> {
    fn default() -> Self {
        Self {
            sorted: Vec::new(),
            late: BinaryHeap::new(),
            limit: 0,
            buckets: Box::new(std::array::from_fn(|_| Vec::new())),
            occupied: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;

    use super::*;

    impl Timed for Reverse<(u64, u64)> {
        fn time(&self) -> u64 {
            self.0.0
        }
    }

    /// Entries come in the order of a binary heap, also those pushed before the last one popped.
    #[test]
    fn pops_in_the_order_of_a_binary_heap() {
        let mut random = 1_u64;
        let mut next = |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % below
        };
        for spread in [1, 3, 1_000, 1 << 30] {
            let (mut radix, mut binary) = (RadixHeap::default(), BinaryHeap::new());
            let mut now = 0;
            for number in 0..20_000 {
                // First more entries than are sorted at once, then about as many pushes as pops.
                if number < 5_000 || next(2) == 0 {
                    let entry = Reverse((now + next(spread), next(50) << 32 | number));
                    radix.push(entry);
                    binary.push(entry);
                } else {
                    assert_eq!(radix.first(), binary.peek());
                    if next(3) > 0 {
                        let popped = binary.pop();
                        assert_eq!(radix.pop(), popped);
                        now = popped.map_or(now, |entry| entry.time());
                    }
                }
            }
        }
    }
}
