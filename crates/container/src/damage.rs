//! Where a file is damaged, and how.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

/// A part of a file that is sound, or what is wrong with it.
pub type Sound<T> = Result<T, &'static str>;

/// Bytes of a file that are not as they were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub path: PathBuf,
    /// The rank whose data are damaged, if the file has a part for each and it is known.
    pub rank: Option<u32>,
    /// The offset of the damaged block, in bytes from the beginning of the file.
    pub offset: u64,
    /// What is wrong there.
    pub reason: Cow<'static, str>,
}

impl fmt::Display for Damage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: ", self.path.display())?;
        if let Some(rank) = self.rank {
            write!(out, "rank {rank}: ")?;
        }
        write!(out, "damaged at byte {}: {}", self.offset, self.reason)
    }
}
