//! Rectangles of elements.

use std::ops::Range;

/// A range of rows and columns: of the global matrix, or of a local array, where 0 is the guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::comet) struct Rect {
    pub(in crate::comet) rows: Range<usize>,
    pub(in crate::comet) cols: Range<usize>,
}

impl Rect {
    pub(in crate::comet) fn height(&self) -> usize {
        self.rows.len()
    }

    pub(in crate::comet) fn width(&self) -> usize {
        self.cols.len()
    }

    /// Returns the number of elements.
    pub(in crate::comet) fn len(&self) -> usize {
        self.height() * self.width()
    }

    /// Returns the elements of the local array that holds these, with the guard wrapper.
    pub(in crate::comet) fn array_len(&self) -> usize {
        (self.height() + 2) * (self.width() + 2)
    }

    /// Returns the intersection with the transpose of `other`; it may be empty.
    pub(in crate::comet) fn intersect_transposed(&self, other: &Self) -> Self {
        Self { rows: common(&self.rows, &other.cols), cols: common(&self.cols, &other.rows) }
    }

    /// Returns where `part` of these elements lies in the local array that holds them.
    pub(in crate::comet) fn place(&self, part: &Self) -> Self {
        let behind_guard = |part: &Range<usize>, start| part.start + 1 - start..part.end + 1 - start;
        Self {
            rows: behind_guard(&part.rows, self.rows.start),
            cols: behind_guard(&part.cols, self.cols.start),
        }
    }

    /// Returns a row of the local array that holds these elements, without its guards.
    pub(in crate::comet) fn array_row(&self, row: usize) -> Self {
        Self { rows: row..row + 1, cols: 1..self.width() + 1 }
    }

    /// Returns a column of the local array that holds these elements, without its guards.
    pub(in crate::comet) fn array_col(&self, col: usize) -> Self {
        Self { rows: 1..self.height() + 1, cols: col..col + 1 }
    }
}

fn common(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_its_place_behind_the_guard() {
        let own = Rect { rows: 4..8, cols: 10..15 };
        let part = Rect { rows: 4..6, cols: 14..15 };
        assert_eq!(own.place(&part), Rect { rows: 1..3, cols: 5..6 });
        assert_eq!(own.place(&own).len(), own.len());
    }

    #[test]
    fn only_the_mirror_image_is_in_common() {
        let own = Rect { rows: 0..4, cols: 4..8 };
        let whole = own.intersect_transposed(&Rect { rows: 4..8, cols: 0..4 });
        assert_eq!(whole, own);
        assert_eq!(own.intersect_transposed(&Rect { rows: 0..4, cols: 4..8 }).len(), 0);
    }
}
