//! Keys of settings: equal keys mean equal predictions.

use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use panto_random::GOLDEN_GAMMA;

use crate::error::Error;

/// A 64-bit hash of everything a prediction depends on. It tells the settings of a sweep apart and
/// is not cryptographic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fingerprint(u64);

/// 2^64 divided by the golden ratio: an odd multiplier that mixes bits well.
const FACTOR: u64 = GOLDEN_GAMMA;

/// Bytes of a file that are read at once.
const PIECE: u64 = 1 << 20;

impl Fingerprint {
    pub(super) fn new() -> Self {
        Self(FACTOR)
    }

    fn word(&mut self, word: u64) {
        // The product's upper bits depend on the whole word; the rotation moves them down.
        self.0 = (self.0 ^ word).wrapping_mul(FACTOR).rotate_left(29);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        for byte in rest {
            self.word(u64::from(*byte));
        }
        self.word(bytes.len() as u64);
    }

    /// Adds the debug representation of a value.
    pub(super) fn debug(mut self, value: &impl fmt::Debug) -> Self {
        // Writing to a hash never fails.
        let _ = write!(self, "{value:?}");
        self
    }

    /// Adds the contents of a file, or of all files of a directory.
    pub(super) fn contents(self, path: &Path) -> Result<Self, Error> {
        if !path.is_dir() {
            return self.file(path);
        }
        let failed = |error| Error::read(path, &error);
        let entries =
            std::fs::read_dir(path).map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?;
        let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
        paths.sort();
        paths.into_iter().filter(|path| path.is_file()).try_fold(self, |print, path| print.file(&path))
    }

    fn file(mut self, path: &Path) -> Result<Self, Error> {
        let failed = |error| Error::read(path, &error);
        let mut file = File::open(path).map_err(failed)?;
        let mut piece = Vec::with_capacity(PIECE as usize);
        loop {
            piece.clear();
            file.by_ref().take(PIECE).read_to_end(&mut piece).map_err(failed)?;
            if piece.is_empty() {
                return Ok(self);
            }
            self.bytes(&piece);
        }
    }
}

impl fmt::Write for Fingerprint {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.bytes(text.as_bytes());
        Ok(())
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_values_have_different_fingerprints() {
        let print = |value: &str| Fingerprint::new().debug(&value).to_string();
        let all: std::collections::HashSet<String> =
            (0..10_000).map(|number| print(&format!("link.latency={number}us"))).collect();
        assert_eq!(all.len(), 10_000);
        assert_eq!(print("a"), print("a"));
        assert_eq!(print("a").len(), 16);
    }
}
