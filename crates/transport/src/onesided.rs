//! One-sided communication (MPI's windows): a rank reads and writes the memory of another, which
//! does not post receives.
//!
//! An access and the synchronisation that completes it are one call, so a buffer is in use only
//! while it is borrowed. What the target of an access must call is [`Window::expose`].

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// What a transport without windows reports as unsupported.
pub(crate) const NAME: &str = "one-sided communication";

/// How an access epoch begins and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Synchronisation {
    /// `MPI_Win_fence` on both ranks, before and after.
    Fence,
    /// `MPI_Win_lock` and `MPI_Win_unlock` on the origin; the target does nothing.
    Lock,
    /// `MPI_Win_lock_all` once, and `MPI_Win_flush` after each access; the target does nothing.
    Flush,
    /// `MPI_Win_post` and `MPI_Win_wait` on the target, `MPI_Win_start` and `MPI_Win_complete` on
    /// the origin.
    Post,
}

impl Synchronisation {
    /// All kinds of synchronisation.
    pub const ALL: [Self; 4] = [Self::Fence, Self::Lock, Self::Flush, Self::Post];

    /// Whether the target takes part in each access (active target synchronisation).
    pub fn is_active(self) -> bool {
        matches!(self, Self::Fence | Self::Post)
    }
}

impl fmt::Display for Synchronisation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Fence => "fence",
            Self::Lock => "lock",
            Self::Flush => "flush",
            Self::Post => "pscw",
        })
    }
}

impl FromStr for Synchronisation {
    type Err = String;

    fn from_str(name: &str) -> std::result::Result<Self, String> {
        Self::ALL.into_iter().find(|known| known.to_string() == name).ok_or_else(|| {
            let names = Self::ALL.map(|known| known.to_string()).join(", ");
            format!("unknown synchronisation `{name}`; known: {names}")
        })
    }
}

/// What an access does with the target's memory.
#[derive(Debug)]
pub enum Access<'a> {
    /// Writes these bytes to the target.
    Put(&'a [u8]),
    /// Reads bytes of the target.
    Get(&'a mut [u8]),
    /// Adds these bytes to those of the target. Sums beyond 255 are undefined.
    Accumulate(&'a [u8]),
}

impl Access<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Put(data) | Self::Accumulate(data) => data.len(),
            Self::Get(into) => into.len(),
        }
    }
}

/// The messages of one access: blocks of equal length in the origin's buffer and in the target's
/// window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessPattern {
    /// The number of blocks.
    pub count: usize,
    /// Bytes per block.
    pub bytes: usize,
    /// Distance between the starts of consecutive blocks in the origin's buffer, in bytes.
    pub local_stride: usize,
    /// Distance between the starts of consecutive blocks in the target's window, in bytes.
    pub remote_stride: usize,
}

impl AccessPattern {
    /// Returns the offsets of each block in the buffer and in the window.
    pub fn starts(self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.count).map(move |part| (part * self.local_stride, part * self.remote_stride))
    }

    /// Returns an error if blocks lie outside of the buffer or of a window of `window` bytes, or if
    /// blocks overlap where they are written.
    pub fn check(self, access: &Access<'_>, window: usize) -> Result<()> {
        let end = |step: usize| {
            self.count.saturating_sub(1).saturating_mul(step).saturating_add(if self.count > 0 {
                self.bytes
            } else {
                0
            })
        };
        let (here, there) = (end(self.local_stride), end(self.remote_stride));
        if here > access.len() || there > window {
            return Err(Error::Buffers(format!(
                "{} blocks of {} bytes need {here} bytes of the buffer and {there} of the window, which have {} and {window}",
                self.count,
                self.bytes,
                access.len()
            )));
        }
        let written = if matches!(access, Access::Get(_)) { self.local_stride } else { self.remote_stride };
        if self.count > 1 && written < self.bytes {
            return Err(Error::Buffers(format!(
                "blocks of {} bytes at a stride of {written} bytes overlap where they are written",
                self.bytes
            )));
        }
        Ok(())
    }
}

/// Memory that two ranks expose to each other. Both ranks call the methods in the same order,
/// except for [`access`](Self::access) on the origin and [`expose`](Self::expose) on the target.
pub trait Window {
    /// Writes to the beginning of this rank's own memory. Not between `open` and `close`.
    fn store(&mut self, data: &[u8]) -> Result<()>;

    /// Reads the beginning of this rank's own memory. Not between `open` and `close`.
    fn load(&mut self, into: &mut [u8]) -> Result<()>;

    /// Prepares accesses with this synchronisation. Both ranks must call it.
    fn open(&mut self, synchronisation: Synchronisation, accesses: bool) -> Result<()>;

    /// Accesses the partner's memory. The access is complete when this returns.
    fn access(
        &mut self,
        synchronisation: Synchronisation,
        access: Access<'_>,
        pattern: AccessPattern,
    ) -> Result<()>;

    /// Exposes this rank's memory for one access of the partner.
    fn expose(&mut self, synchronisation: Synchronisation) -> Result<()>;

    /// Ends accesses with this synchronisation. Both ranks must call it.
    fn close(&mut self, synchronisation: Synchronisation, accesses: bool) -> Result<()>;

    /// Frees the window. Both ranks must call it; otherwise the memory stays allocated until the
    /// job ends.
    fn free(self: Box<Self>) -> Result<()>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for how in Synchronisation::ALL {
            assert_eq!(how.to_string().parse(), Ok(how));
        }
        let error = "wish".parse::<Synchronisation>().unwrap_err();
        assert!(error.contains("wish") && error.contains("fence, lock, flush, pscw"), "{error}");
    }

    #[test]
    fn blocks_stay_in_bounds_and_do_not_overlap() {
        let parts = |count, bytes, local_stride, remote_stride| AccessPattern {
            count,
            bytes,
            local_stride,
            remote_stride,
        };
        let put = Access::Put(&[0; 100]);
        assert_eq!(parts(4, 25, 25, 25).check(&put, 100), Ok(()));
        assert_eq!(parts(4, 40, 20, 40).check(&put, 160), Ok(()));
        assert_eq!(parts(0, 1_000, 1, 1).check(&put, 0), Ok(()));
        for wrong in [parts(4, 26, 25, 26), parts(5, 25, 25, 25), parts(2, 10, usize::MAX, 10)] {
            assert!(matches!(wrong.check(&put, 104), Err(Error::Buffers(_))), "{wrong:?}");
        }
        let overlapping = parts(4, 40, 20, 20);
        assert!(overlapping.check(&put, 160).unwrap_err().to_string().contains("overlap"));
        assert!(
            overlapping.check(&Access::Get(&mut [0; 100]), 100).unwrap_err().to_string().contains("overlap")
        );
        assert_eq!(parts(4, 25, 25, 0).check(&Access::Get(&mut [0; 100]), 25), Ok(()));
    }
}
