//! Events that repeat: a program that iterates calls the same functions with the same parameters
//! again and again. They are found by comparing bytes, and skipped without being decoded.

use panto_container::varint;

use super::Events;
use crate::error::Result;

/// A sequence of events, by their signatures.
#[derive(Debug, Clone, Default)]
pub struct Sequence {
    /// The events as they are stored if their varying parts are unchanged.
    bytes: Vec<u8>,
    events: u32,
}

/// How far a block continues with repetitions of a [`Sequence`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repetitions {
    /// The number of complete occurrences.
    pub times: u64,
    /// The number of bytes of an incomplete occurrence after them.
    pub matched: usize,
}

impl Sequence {
    /// Appends an event with the signature of this number.
    #[inline]
    pub fn push(&mut self, number: usize) {
        varint::put(&mut self.bytes, (number as u64) << 1);
        self.events += 1;
    }

    /// Appends another sequence several times.
    pub fn extend(&mut self, other: &Self, times: u64) {
        for _ in 0..times {
            self.bytes.extend_from_slice(&other.bytes);
        }
        self.events += other.events * times as u32;
    }

    /// Returns the part from an earlier end of the sequence on, which had [`len`](Self::len) bytes
    /// and [`events`](Self::events) events then.
    #[must_use]
    pub fn since(&self, bytes: usize, events: u32) -> Self {
        Self { bytes: self.bytes[bytes..].to_vec(), events: self.events - events }
    }

    /// Returns its length in bytes.
    #[allow(clippy::len_without_is_empty, reason = "no caller asks whether it is empty")]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the number of its events.
    pub fn events(&self) -> u32 {
        self.events
    }

    /// Removes all events.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.events = 0;
    }
}

impl Events {
    /// Returns the number of the next event's signature without reading the event; none at the end
    /// of a block.
    #[inline]
    pub fn peek(&self) -> Option<usize> {
        if self.left == 0 {
            return None;
        }
        match *self.columns.ids.rest().first()? {
            byte if byte < 0x80 => Some(usize::from(byte >> 1)),
            _ => usize::try_from(varint::take(&mut self.columns.ids.rest())? >> 1).ok(),
        }
    }

    /// Returns the position of the next event in the stream, from zero.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Returns the number of blocks that were read so far.
    #[inline]
    pub fn blocks_read(&self) -> u32 {
        self.number
    }

    /// Counts how many times `sequence` follows in this block, one occurrence directly after the
    /// other, with unchanged varying parts: those of the last event of each signature. All its
    /// events must have been read in this block.
    pub fn count_repetitions(&self, sequence: &Sequence) -> Repetitions {
        let mut rest = self.columns.ids.rest();
        let most = u64::from(self.left) / u64::from(sequence.events).max(1);
        let mut times = 0;
        while times < most
            && let Some(after) = rest.strip_prefix(sequence.bytes.as_slice())
        {
            rest = after;
            times += 1;
        }
        let matched = rest.iter().zip(&sequence.bytes).take_while(|(next, byte)| next == byte).count();
        Repetitions { times, matched }
    }

    /// Skips `times` occurrences of a sequence that [`count_repetitions`](Self::count_repetitions)
    /// found, and passes on the computation before each event, in nanoseconds.
    pub fn skip_repetitions(
        &mut self,
        sequence: &Sequence,
        times: u64,
        mut before: impl FnMut(u64),
    ) -> Result<()> {
        let events = u64::from(sequence.events) * times;
        self.columns.ids.skip(sequence.bytes.len() * times as usize);
        self.left -= events as u32;
        for _ in 0..events {
            self.position += 1;
            match self.take_times() {
                Some((time, _)) => before(time),
                None => return Err(self.senseless()),
            }
        }
        Ok(())
    }
}
