//! The columns of a block: their lengths, and then their bytes one after the other.

use std::ops::{Deref, DerefMut};

use panto_container::varint;

/// The number of columns of blocks of states and of messages.
pub const COLUMNS: usize = 8;

/// The first column of both: which rank has how many records.
pub const RUNS: usize = 0;

/// Columns that are being written.
#[derive(Debug, Default)]
pub struct Columns([Vec<u8>; COLUMNS]);

impl Columns {
    /// Appends the payload and clears the columns for the next one.
    pub fn join(&mut self, payload: &mut Vec<u8>) {
        for column in &self.0 {
            varint::put(payload, column.len() as u64);
        }
        for column in &mut self.0 {
            payload.append(column);
        }
    }
}

impl Deref for Columns {
    type Target = [Vec<u8>];
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Columns {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

/// Returns the columns of a payload; none if their lengths do not add up.
pub fn split(mut payload: &[u8]) -> Option<[&[u8]; COLUMNS]> {
    let mut lengths = [0; COLUMNS];
    for length in &mut lengths {
        *length = usize::try_from(varint::take(&mut payload)?).ok()?;
    }
    let mut columns = [[].as_slice(); COLUMNS];
    for (column, length) in columns.iter_mut().zip(lengths) {
        (*column, payload) = payload.split_at_checked(length)?;
    }
    payload.is_empty().then_some(columns)
}
