//! A queue in the order of time, for many entries of which most are in the far future when they become known.
//!
//! They lie unsorted in *piles*, each with times twice as far away as those of the pile before it; only the nearest are in order. A pile
//! is opened when all before it has gone: a small one is sorted, a large one is spread over the piles before it. So an entry is
//! moved a few times, always together with its neighbours, where a heap of all entries would look for its way through memory for
//! each.

use std::collections::BinaryHeap;

/// What is queued. The earliest is the greatest, as in a heap.
pub(crate) trait Timed: Copy + Ord {
    fn time(&self) -> u64;
}

/// The queue.
#[derive(Debug)]
pub(crate) struct Piles<T> {
    /// The nearest, the first last.
    sorted: Vec<T>,
    /// What became known when its neighbours were sorted already.
    late: BinaryHeap<T>,
    /// What is later is in a pile.
    limit: u64,
    /// A time is in the pile of the highest binary digit in which it differs from the limit.
    far: Box<[Vec<T>; u64::BITS as usize]>,
    /// The piles that are not empty, as binary digits.
    heaped: u64,
}

/// A pile of so many is sorted at once.
const FEW: usize = 256;

impl<T: Timed> Piles<T> {
    #[inline]
    pub(crate) fn push(&mut self, entry: T) {
        if entry.time() <= self.limit {
            return self.late.push(entry);
        }
        let pile = (entry.time() ^ self.limit).ilog2();
        self.far[pile as usize].push(entry);
        self.heaped |= 1 << pile;
    }

    /// The earliest.
    #[inline]
    pub(crate) fn first(&mut self) -> Option<&T> {
        if self.sorted.is_empty() && self.late.is_empty() && self.heaped != 0 {
            self.open();
        }
        self.sorted.last().max(self.late.peek())
    }

    /// Takes out the earliest.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<T> {
        self.first()?;
        if self.late.peek() > self.sorted.last() { self.late.pop() } else { self.sorted.pop() }
    }

    /// The one that comes so many later, unless others come in between, or it is not known yet.
    #[inline]
    pub(crate) fn later(&self, by: usize) -> Option<&T> {
        self.sorted.len().checked_sub(by).and_then(|place| self.sorted.get(place))
    }

    /// Puts the first pile in order. What will become known may yet be earlier: then it is late and no more.
    #[cold]
    fn open(&mut self) {
        while self.sorted.is_empty() && self.heaped != 0 {
            let first = self.heaped.trailing_zeros();
            self.heaped &= !(1 << first);
            let mut pile = std::mem::take(&mut self.far[first as usize]);
            let times = pile.iter().map(T::time);
            if pile.len() <= FEW {
                self.limit = times.max().unwrap_or(self.limit);
                self.sorted.append(&mut pile);
            } else {
                self.limit = times.min().unwrap_or(self.limit);
                for entry in pile.drain(..) {
                    if entry.time() == self.limit {
                        self.sorted.push(entry);
                    } else {
                        self.push(entry);
                    }
                }
            }
            // Kept for its memory.
            self.far[first as usize] = pile;
        }
        self.sorted.sort_unstable();
    }
}

impl<T: Ord> Default for Piles<T> {
    fn default() -> Self {
        Self {
            sorted: Vec::new(),
            late: BinaryHeap::new(),
            limit: 0,
            far: Box::new(std::array::from_fn(|_| Vec::new())),
            heaped: 0,
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

    /// Whatever is pushed when, also before what was asked for last.
    #[test]
    fn as_from_one_heap() {
        let mut random = 1_u64;
        let mut next = |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % below
        };
        for spread in [1, 3, 1_000, 1 << 30] {
            let (mut piles, mut heap) = (Piles::default(), BinaryHeap::new());
            let mut now = 0;
            for number in 0..20_000 {
                // First many more than are sorted at once, then as many come as go.
                if number < 5_000 || next(2) == 0 {
                    let entry = Reverse((now + next(spread), next(50) << 32 | number));
                    piles.push(entry);
                    heap.push(entry);
                } else {
                    assert_eq!(piles.first(), heap.peek());
                    if next(3) > 0 {
                        let popped = heap.pop();
                        assert_eq!(piles.pop(), popped);
                        now = popped.map_or(now, |entry| entry.time());
                    }
                }
            }
        }
    }
}
