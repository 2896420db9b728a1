//! Time divided into bins of a power of two, per row: the time spent in each kind of state.

use std::ops::Range;

/// Number of state kinds: compute, message, combine, access, wait.
pub const KINDS: usize = 5;

/// Totals of one bin of one row.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cell {
    /// Picoseconds in each kind of state, summed over the row's lines.
    pub time: [f32; KINDS],
    /// Number of states that begin in the bin.
    pub count: u32,
    /// Longest state that overlaps the bin, in picoseconds.
    pub longest: f32,
}

impl Cell {
    /// Adds another cell's totals.
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

/// A state clipped at the start of the first bin. Times are picoseconds since that start.
#[derive(Debug, Clone, Copy)]
pub struct ClippedState {
    pub kind: usize,
    pub from: u64,
    pub to: u64,
    /// Whether the state's beginning is inside.
    pub begins: bool,
    /// Length of the whole state, in picoseconds.
    pub length: u64,
}

/// Rows of bins at all levels of detail, from the finest bins to a single bin.
#[derive(Debug)]
pub struct Grid {
    /// A row is 2^group lines.
    pub group: u32,
    /// The finest bin is 2^shift picoseconds.
    pub shift: u32,
    rows: usize,
    /// Cells by level, finest first; each level has half as many bins as the one before.
    levels: Vec<Vec<Cell>>,
    bins: Vec<usize>,
}

impl Grid {
    /// Creates an empty grid for `lines` lines and `span` picoseconds, with about `cells` cells at
    /// most.
    pub fn new(lines: u32, span: u64, group: u32, cells: usize) -> Self {
        let rows = rows(lines, group);
        let mut shift = 0;
        while span >> shift >= (cells / rows).max(2) as u64 {
            shift += 1;
        }
        Self { group, shift, ..Self::with_bins(rows, (span >> shift) as usize + 1, shift) }
    }

    /// Creates an empty grid with `rows` rows of `bins` bins of 2^shift picoseconds.
    pub fn with_bins(rows: usize, bins: usize, shift: u32) -> Self {
        let mut all = vec![bins.max(1)];
        while let Some(&bins) = all.last()
            && bins > 1
        {
            all.push(bins.div_ceil(2));
        }
        let levels = all.iter().map(|bins| vec![Cell::default(); rows * bins]).collect();
        Self { group: 0, shift, rows, levels, bins: all }
    }

    /// Adds a state to a row, in O(log bins): the middle of a long state is added at coarser levels
    /// and distributed by [`distribute`](Self::distribute), as in a segment tree.
    #[inline]
    pub fn add(&mut self, row: usize, piece: ClippedState) {
        let ClippedState { kind, from, to, begins, length } = piece;
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

    /// Distributes long states from coarser levels to the finest bins, once all states are added.
    pub fn distribute(&mut self) {
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

    /// Computes the coarser levels, once all states are added.
    pub fn finish(&mut self) {
        self.distribute();
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

    /// Returns the finest cells, row after row.
    pub fn cells(&self) -> &[Cell] {
        &self.levels[0]
    }

    /// Returns whether the grid has bins of 2^level picoseconds for rows of 2^group lines.
    pub fn resolves(&self, group: u32, level: u32) -> bool {
        self.group <= group && self.shift <= level
    }

    /// Returns `width` bins from `first` on, for each of the wanted rows of 2^group lines.
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

/// Returns the number of rows of 2^group lines.
pub fn rows(lines: u32, group: u32) -> usize {
    (u64::from(lines).div_ceil(1 << group.min(32)) as usize).max(1)
}

/// Returns the group in which all lines are one row.
pub fn whole(lines: u32) -> u32 {
    lines.max(1).next_power_of_two().trailing_zeros()
}
