//! Time cut into bins of a power of two, for each row: what was done in each.

use std::ops::Range;

/// Kinds of states: compute, message, combine, access, wait.
pub const KINDS: usize = 5;

/// What was done in a bin of a row.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cell {
    /// Picoseconds in each kind, of all lines of the row together.
    pub time: [f32; KINDS],
    /// States that began in it.
    pub count: u32,
    /// The longest state that touches it, in picoseconds.
    pub longest: f32,
}

impl Cell {
    /// Takes in what another cell has.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.time.iter_mut().zip(&other.time) {
            *mine += theirs;
        }
        self.count = self.count.saturating_add(other.count);
        self.longest = self.longest.max(other.longest);
    }

    fn cover(&mut self, kind: usize, time: u64, longest: u64) {
        self.time[kind] += time as f32;
        self.longest = self.longest.max(longest as f32);
    }
}

/// A state, or what of it is not before the first bin. Moments are since that bin's beginning.
#[derive(Debug, Clone, Copy)]
pub struct Piece {
    pub kind: usize,
    pub from: u64,
    pub to: u64,
    /// Is its beginning among it?
    pub begins: bool,
    /// The length of the whole state.
    pub length: u64,
}

/// Rows of bins, from the finest bins to one bin for all.
#[derive(Debug)]
pub struct Grid {
    /// A row is 2^group lines.
    pub group: u32,
    /// The finest bin is 2^shift picoseconds.
    pub shift: u32,
    rows: usize,
    /// The finest first; each has half as many bins as the one before.
    levels: Vec<Vec<Cell>>,
    bins: Vec<usize>,
}

impl Grid {
    /// An empty one for so many lines and picoseconds, with at most about so many cells.
    pub fn new(lines: u32, span: u64, group: u32, cells: usize) -> Self {
        let rows = rows(lines, group);
        let mut shift = 0;
        while span >> shift >= (cells / rows).max(2) as u64 {
            shift += 1;
        }
        Self { group, shift, ..Self::exactly(rows, (span >> shift) as usize + 1, shift) }
    }

    /// An empty one with so many rows, and bins of 2^shift picoseconds.
    pub fn exactly(rows: usize, bins: usize, shift: u32) -> Self {
        let mut all = vec![bins.max(1)];
        while let Some(&bins) = all.last()
            && bins > 1
        {
            all.push(bins.div_ceil(2));
        }
        let levels = all.iter().map(|bins| vec![Cell::default(); rows * bins]).collect();
        Self { group: 0, shift, rows, levels, bins: all }
    }

    /// Adds a state to a row. One that is long is kept at coarser levels until all are in, so that it need not be added to every bin.
    #[inline]
    pub fn add(&mut self, row: usize, piece: Piece) {
        let Piece { kind, from, to, begins, length } = piece;
        let (shift, bins) = (self.shift, self.bins[0] as u64);
        let first = from >> shift;
        if first >= bins {
            return;
        }
        let row_of = |bins: usize| row * bins;
        let cells = &mut self.levels[0][row_of(bins as usize)..];
        cells[first as usize].count += u32::from(begins);
        let last = to.saturating_sub(1).max(from) >> shift;
        if last == first {
            cells[first as usize].cover(kind, to - from, length);
            return;
        }
        cells[first as usize].cover(kind, ((first + 1) << shift) - from, length);
        if last < bins {
            cells[last as usize].cover(kind, to - (last << shift), length);
        }
        let (mut low, mut high) = (first + 1, last.min(bins));
        for (level, &bins) in (0..).zip(&self.bins) {
            if low >= high {
                break;
            }
            let cells = &mut self.levels[level as usize][row_of(bins)..];
            let width = 1_u64.checked_shl(shift + level).unwrap_or(u64::MAX);
            if low % 2 == 1 {
                cells[low as usize].cover(kind, width, length);
                low += 1;
            }
            if high % 2 == 1 && low < high {
                high -= 1;
                cells[high as usize].cover(kind, width, length);
            }
            (low, high) = (low / 2, high / 2);
        }
    }

    /// Brings long states to the finest bins once all are in.
    pub fn settle(&mut self) {
        for level in (1..self.levels.len()).rev() {
            let (fine, coarse) = self.levels.split_at_mut(level);
            let (fine_bins, coarse_bins) = (self.bins[level - 1], self.bins[level]);
            for (parents, children) in
                coarse[0].chunks_mut(coarse_bins).zip(fine[level - 1].chunks_mut(fine_bins))
            {
                for (bin, child) in children.iter_mut().enumerate() {
                    let parent = &parents[bin / 2];
                    let half =
                        Cell { time: parent.time.map(|time| time / 2.0), count: 0, longest: parent.longest };
                    child.merge(&half);
                }
                parents.fill(Cell::default());
            }
        }
    }

    /// Makes the coarser levels once all states are in.
    pub fn finish(&mut self) {
        self.settle();
        for level in 1..self.levels.len() {
            let (fine, coarse) = self.levels.split_at_mut(level);
            let (fine_bins, coarse_bins) = (self.bins[level - 1], self.bins[level]);
            for (children, parents) in
                fine[level - 1].chunks(fine_bins).zip(coarse[0].chunks_mut(coarse_bins))
            {
                children.iter().enumerate().for_each(|(bin, cell)| parents[bin / 2].merge(cell));
            }
        }
    }

    /// The finest cells, row after row.
    pub fn cells(&self) -> &[Cell] {
        &self.levels[0]
    }

    /// Can it tell bins of 2^level picoseconds of rows of 2^group lines?
    pub fn knows(&self, group: u32, level: u32) -> bool {
        self.group <= group && self.shift <= level
    }

    /// The bins from `first` on of rows of 2^group lines, `width` for each row.
    pub fn copy(&self, group: u32, level: u32, wanted: Range<usize>, first: u64, width: usize) -> Vec<Cell> {
        let mut out = vec![Cell::default(); wanted.len() * width];
        let place = ((level - self.shift) as usize).min(self.levels.len() - 1);
        let (cells, bins) = (&self.levels[place], self.bins[place]);
        let first = usize::try_from(first).unwrap_or(usize::MAX).min(bins);
        let end = first.saturating_add(width).min(bins);
        for (row, target) in wanted.zip(out.chunks_mut(width)) {
            let fine = row << (group - self.group)..((row + 1) << (group - self.group)).min(self.rows);
            for source in fine {
                let source = &cells[source * bins + first..source * bins + end];
                target.iter_mut().zip(source).for_each(|(cell, other)| cell.merge(other));
            }
        }
        out
    }
}

/// Rows of 2^group lines.
pub fn rows(lines: u32, group: u32) -> usize {
    (u64::from(lines).div_ceil(1 << group.min(32)) as usize).max(1)
}

/// The group in which all lines are one row.
pub fn whole(lines: u32) -> u32 {
    lines.max(1).next_power_of_two().trailing_zeros()
}
