//! How tiles are laid out in bytes: a head of 48 bytes, then columns, little-endian. `docs/viewer.md` describes them.

/// Bins of a tile.
pub const BINS: usize = 256;
/// Rows of a tile.
pub const ROWS: usize = 64;
/// The level of one bin for a tile, as a power of two.
pub const BIN_BITS: u32 = BINS.trailing_zeros();

/// What a tile is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// States in bins.
    Bins = 0,
    /// States one by one.
    States = 1,
    /// Messages one by one, and the critical path.
    Messages = 2,
    /// Messages by groups and bins, and the critical path.
    Flows = 3,
}

/// The first 48 bytes of a tile.
#[derive(Debug, Clone, Copy)]
pub struct Head {
    pub kind: Kind,
    pub group: u32,
    pub level: u32,
    pub rows: u32,
    pub first_row: u32,
    /// States, or messages, or flows.
    pub count: u32,
    /// Offsets are in units of 2^unit picoseconds; of messages: 1 if some of those that were sent before are left out.
    pub unit: u32,
    /// Two more numbers of columns.
    pub more: [u32; 2],
    /// Has it all that there is, so that finer tiles would tell nothing new?
    pub whole: bool,
    /// Where the tile begins, since the beginning of the timeline.
    pub base: u64,
}

/// A tile in the making.
#[derive(Debug, Default)]
pub struct Bytes(Vec<u8>);

impl Bytes {
    pub fn with(head: &Head) -> Self {
        let mut bytes = Self::default();
        let words = [
            head.kind as u32,
            head.group,
            head.level,
            head.rows,
            head.first_row,
            head.count,
            head.unit,
            head.more[0],
            head.more[1],
            u32::from(head.whole),
        ];
        bytes.words(words);
        bytes.0.extend(head.base.to_le_bytes());
        bytes
    }

    pub fn word(&mut self, word: u32) {
        self.0.extend(word.to_le_bytes());
    }

    /// A column of 32 bits each.
    pub fn words(&mut self, words: impl IntoIterator<Item = u32>) {
        words.into_iter().for_each(|word| self.word(word));
    }

    /// A column of short floating-point numbers.
    pub fn floats(&mut self, numbers: impl IntoIterator<Item = f32>) {
        numbers.into_iter().for_each(|number| self.0.extend(number.to_le_bytes()));
    }

    /// A column of long floating-point numbers. It must begin at a multiple of eight bytes.
    pub fn doubles(&mut self, numbers: impl IntoIterator<Item = f64>) {
        numbers.into_iter().for_each(|number| self.0.extend(number.to_le_bytes()));
    }

    /// A column of 16 bits each.
    pub fn halves(&mut self, halves: impl IntoIterator<Item = u16>) {
        halves.into_iter().for_each(|half| self.0.extend(half.to_le_bytes()));
    }

    /// A column of bytes.
    pub fn bytes(&mut self, bytes: impl IntoIterator<Item = u8>) {
        self.0.extend(bytes);
    }

    /// Fills up to a multiple of eight bytes.
    pub fn align(&mut self) {
        self.0.resize(self.0.len().next_multiple_of(8), 0);
    }

    pub fn into_inner(self) -> Vec<u8> {
        self.0
    }
}
