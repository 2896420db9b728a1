//! Where each operation of a window occurred last.

use crate::program::PackedOp;

/// The least number of entries.
const MIN_ENTRIES: usize = 64;

/// A direct-mapped table from operations to their last positions in the stream.
///
/// An entry is verified against the operations themselves, so nothing is stored but positions, and
/// stale entries do no harm. Of two operations with the same entry the later is found, the earlier
/// is not, so a loop may be recognised an iteration later.
#[derive(Default)]
pub struct LastPositions {
    entries: Vec<usize>,
}

impl LastPositions {
    /// Returns where an operation occurred last among `tail`, which begins at the position `base`
    /// of the stream, and stores its next occurrence: directly after the tail.
    #[inline]
    pub fn exchange(&mut self, op: PackedOp, tail: &[PackedOp], base: usize) -> Option<usize> {
        if self.entries.len() < 2 * tail.len() || self.entries.is_empty() {
            self.grow(tail, base);
        }
        let entry = self.entry(op);
        let last = std::mem::replace(&mut self.entries[entry], base + tail.len());
        let found = last.checked_sub(base).and_then(|index| tail.get(index));
        (found == Some(&op)).then_some(last)
    }

    #[cold]
    fn grow(&mut self, tail: &[PackedOp], base: usize) {
        let entries = (4 * tail.len()).next_power_of_two().max(MIN_ENTRIES);
        self.entries.clear();
        self.entries.resize(entries, usize::MAX);
        for (index, op) in tail.iter().enumerate() {
            let entry = self.entry(*op);
            self.entries[entry] = base + index;
        }
    }

    #[inline]
    fn entry(&self, op: PackedOp) -> usize {
        (op.hash() >> (u64::BITS - self.entries.len().ilog2())) as usize
    }
}
