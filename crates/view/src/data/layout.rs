//! Binary layout of tiles: a header of 48 bytes, then columns, little-endian. Described in
//! `docs/viewer.md`.

/// Bins per tile.
pub const BINS: usize = 256;
/// Rows per tile.
pub const ROWS: usize = 64;
/// Log2 of the bins per tile.
pub const BIN_BITS: u32 = BINS.trailing_zeros();

/// What a tile contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TileKind {
    /// States in bins.
    Bins = 0,
    /// Individual states.
    States = 1,
    /// Individual messages, and the critical path.
    Messages = 2,
    /// Messages aggregated by groups and bins, and the critical path.
    Flows = 3,
}

/// The first 48 bytes of a tile.
#[derive(Debug, Clone, Copy)]
pub struct TileHeader {
    pub kind: TileKind,
    pub group: u32,
    pub level: u32,
    pub rows: u32,
    pub first_row: u32,
    /// Number of states, messages or flows.
    pub count: u32,
    /// Offsets are in units of 2^unit picoseconds; in message tiles 1 if some messages sent before
    /// the tile are omitted.
    pub unit: u32,
    /// Lengths of two further groups of columns.
    pub more: [u32; 2],
    /// Whether the tile is complete, so that finer tiles would show nothing new.
    pub whole: bool,
    /// Start of the tile, in picoseconds since the start of the timeline.
    pub base: u64,
}

/// A tile being encoded.
#[derive(Debug, Default)]
pub struct TileWriter(Vec<u8>);

impl TileWriter {
    pub fn with(head: &TileHeader) -> Self {
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

    /// Appends a column of 32-bit integers.
    pub fn words(&mut self, words: impl IntoIterator<Item = u32>) {
        words.into_iter().for_each(|word| self.word(word));
    }

    /// Appends a column of single-precision numbers.
    pub fn floats(&mut self, numbers: impl IntoIterator<Item = f32>) {
        numbers.into_iter().for_each(|number| self.0.extend(number.to_le_bytes()));
    }

    /// Appends a column of double-precision numbers. It must begin at a multiple of eight bytes.
    pub fn doubles(&mut self, numbers: impl IntoIterator<Item = f64>) {
        numbers.into_iter().for_each(|number| self.0.extend(number.to_le_bytes()));
    }

    /// Appends a column of 16-bit integers.
    pub fn halves(&mut self, halves: impl IntoIterator<Item = u16>) {
        halves.into_iter().for_each(|half| self.0.extend(half.to_le_bytes()));
    }

    /// Appends a column of bytes.
    pub fn bytes(&mut self, bytes: impl IntoIterator<Item = u8>) {
        self.0.extend(bytes);
    }

    /// Pads to a multiple of eight bytes.
    pub fn align(&mut self) {
        self.0.resize(self.0.len().next_multiple_of(8), 0);
    }

    pub fn into_inner(self) -> Vec<u8> {
        self.0
    }
}
