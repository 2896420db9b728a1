//! A rank's block of the matrix.

use std::ops::Range;

use panto_transport::Work;

use super::rect::Rect;

/// A double as it is sent. An array of these is an array of bytes without conversion, so contiguous
/// elements are sent in place.
pub(in crate::comet) type Double = [u8; size_of::<f64>()];

/// The local array, row by row, with the guard wrapper: rows 1 to the height and columns 1 to the
/// width are the block, the elements around them the guard.
#[derive(Debug)]
pub(in crate::comet) struct Block {
    holds: Rect,
    array: Vec<Double>,
}

impl Block {
    /// Creates a block of these elements, all of one value.
    pub(super) fn new(holds: Rect, value: f64) -> Self {
        let array = vec![value.to_ne_bytes(); holds.array_len()];
        Self { holds, array }
    }

    /// Returns which elements of the global matrix are here.
    pub(in crate::comet) fn holds(&self) -> &Rect {
        &self.holds
    }

    /// Returns the whole array, guards included: it is contiguous.
    pub(in crate::comet) fn bytes(&self) -> &[u8] {
        self.array.as_flattened()
    }

    /// Returns the whole array, guards included, to be changed.
    pub(super) fn doubles_mut(&mut self) -> &mut [Double] {
        &mut self.array
    }

    /// Returns a row between its guards: it is contiguous, so it need not be packed.
    pub(in crate::comet) fn row(&self, row: usize) -> &[u8] {
        self.array[self.span(row, 1..self.holds.width() + 1)].as_flattened()
    }

    /// Returns a row between its guards, to receive into.
    pub(in crate::comet) fn row_mut(&mut self, row: usize) -> &mut [u8] {
        let span = self.span(row, 1..self.holds.width() + 1);
        self.array[span].as_flattened_mut()
    }

    /// Takes over an array that was received whole, in exchange for the old one.
    pub(in crate::comet) fn replace(&mut self, holds: Rect, array: &mut Vec<Double>) {
        self.holds = holds;
        std::mem::swap(&mut self.array, array);
    }

    /// Packs an area of the array into a message, row by row. A column costs a copy for each
    /// element. Returns the work, for the caller to charge.
    #[must_use = "a simulated machine takes no time for work that is not charged"]
    pub(in crate::comet) fn pack(&self, area: &Rect, message: &mut [Double]) -> Work {
        for (row, packed) in area.rows.clone().zip(message.chunks_exact_mut(area.width())) {
            packed.copy_from_slice(&self.array[self.span(row, area.cols.clone())]);
        }
        copied(area)
    }

    /// Unpacks a message; the reverse of [`pack`](Self::pack).
    #[must_use = "a simulated machine takes no time for work that is not charged"]
    pub(in crate::comet) fn unpack(&mut self, area: &Rect, message: &[Double]) -> Work {
        for (row, packed) in area.rows.clone().zip(message.chunks_exact(area.width())) {
            let span = self.span(row, area.cols.clone());
            self.array[span].copy_from_slice(packed);
        }
        copied(area)
    }

    /// Fills an area from a message that holds its transpose: the rows of the message become
    /// columns.
    #[must_use = "a simulated machine takes no time for work that is not charged"]
    pub(in crate::comet) fn unpack_transposed(&mut self, area: &Rect, message: &[Double]) -> Work {
        for (col, packed) in area.cols.clone().zip(message.chunks_exact(area.height())) {
            for (row, &double) in area.rows.clone().zip(packed) {
                let place = self.place(row, col);
                self.array[place] = double;
            }
        }
        Work::Strided(area.len())
    }

    pub(super) fn get(&self, row: usize, col: usize) -> f64 {
        f64::from_ne_bytes(self.array[self.place(row, col)])
    }

    pub(super) fn set(&mut self, row: usize, col: usize, value: f64) {
        let place = self.place(row, col);
        self.array[place] = value.to_ne_bytes();
    }

    fn place(&self, row: usize, col: usize) -> usize {
        row * (self.holds.width() + 2) + col
    }

    fn span(&self, row: usize, cols: Range<usize>) -> Range<usize> {
        self.place(row, cols.start)..self.place(row, cols.end)
    }
}

/// Returns the work of a copy: elements of a row are contiguous, those of a column are strided.
fn copied(area: &Rect) -> Work {
    match area.width() {
        1 => Work::Strided(area.height()),
        _ => Work::Copy(area.len() * size_of::<Double>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted() -> Block {
        let mut block = Block::new(Rect { rows: 0..3, cols: 0..2 }, 0.0);
        (0..5).for_each(|row| (0..4).for_each(|col| block.set(row, col, (row * 10 + col) as f64)));
        block
    }

    fn doubles(values: &[f64]) -> Vec<Double> {
        values.iter().map(|value| value.to_ne_bytes()).collect()
    }

    #[test]
    fn rows_lie_together_and_columns_are_gathered() {
        let block = counted();
        assert_eq!(block.row(2), doubles(&[21.0, 22.0]).as_flattened());
        let mut column = doubles(&[0.0; 3]);
        assert_eq!(block.pack(&block.holds.array_col(2), &mut column), Work::Strided(3));
        assert_eq!(column, doubles(&[12.0, 22.0, 32.0]));
    }

    #[test]
    fn transposed_rows_become_columns() {
        let mut block = counted();
        let area = block.holds.place(&block.holds);
        let work = block.unpack_transposed(&area, &doubles(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        assert_eq!(work, Work::Strided(6));
        let row = |row| [block.get(row, 1), block.get(row, 2)];
        assert_eq!([row(1), row(2), row(3)], [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]);
    }

    #[test]
    fn unpack_reverses_pack() {
        let (block, mut other) = (counted(), Block::new(Rect { rows: 0..3, cols: 0..2 }, -1.0));
        let area = Rect { rows: 0..5, cols: 0..4 };
        let mut message = doubles(&[0.0; 20]);
        let packed = block.pack(&area, &mut message);
        assert_eq!((packed, other.unpack(&area, &message)), (Work::Copy(160), Work::Copy(160)));
        assert_eq!(block.bytes(), other.bytes());
    }
}
