//! One-sided communication: a rank reads and writes the memory of another, which need not receive.
//!
//! An access and the synchronisation that completes it are one call, so that a buffer is in use for as long as it is borrowed and
//! no longer. What the partner must do meanwhile is [`Window::answer`].

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// What a transport without windows says that it does not have.
pub(crate) const NAME: &str = "one-sided communication";

/// How an access begins and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Synchronisation {
    /// Both ranks meet at a fence before and after.
    Fence,
    /// The rank that accesses locks the partner's memory and unlocks it; the partner does nothing.
    Lock,
    /// All memory is locked once, and flushed after each access; the partner does nothing.
    Flush,
    /// The partner posts its memory and waits; the rank that accesses starts and completes.
    Post,
}

impl Synchronisation {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Fence, Self::Lock, Self::Flush, Self::Post];

    /// Does the partner take part in each access?
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
            format!("there is no synchronisation `{name}`; there are {names}")
        })
    }
}

/// What is done with the partner's memory.
#[derive(Debug)]
pub enum Access<'a> {
    /// Bytes go there.
    Put(&'a [u8]),
    /// Bytes come from there.
    Get(&'a mut [u8]),
    /// Bytes are added to those that are there. Sums beyond 255 are not defined.
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

/// The messages of one access: equal parts of the buffer here and of the window there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// How many.
    pub count: usize,
    /// Bytes of each.
    pub bytes: usize,
    /// From the beginning of one to that of the next, here.
    pub here: usize,
    /// And there.
    pub there: usize,
}

impl Parts {
    /// Where each begins, here and there.
    pub fn starts(self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.count).map(move |part| (part * self.here, part * self.there))
    }

    /// Refuses parts that lie outside of the buffer or of a window of so many bytes, and those that would be written twice.
    pub fn check(self, access: &Access<'_>, window: usize) -> Result<()> {
        let end = |step: usize| {
            self.count.saturating_sub(1).saturating_mul(step).saturating_add(if self.count > 0 {
                self.bytes
            } else {
                0
            })
        };
        let (here, there) = (end(self.here), end(self.there));
        if here > access.len() || there > window {
            return Err(Error::Buffers(format!(
                "{} parts of {} bytes need {here} bytes here and {there} there, and there are {} and {window}",
                self.count,
                self.bytes,
                access.len()
            )));
        }
        let written = if matches!(access, Access::Get(_)) { self.here } else { self.there };
        if self.count > 1 && written < self.bytes {
            return Err(Error::Buffers(format!(
                "parts of {} bytes that begin every {written} bytes overlap where they are written",
                self.bytes
            )));
        }
        Ok(())
    }
}

/// Memory that this rank and a partner have opened to each other. Both ranks call the methods in the same order, but for
/// [`access`](Self::access) on the one and [`answer`](Self::answer) on the other side.
pub trait Window {
    /// Writes to the beginning of this rank's own part. Not between `open` and `close`.
    fn store(&mut self, data: &[u8]) -> Result<()>;

    /// Reads the beginning of this rank's own part. Not between `open` and `close`.
    fn load(&mut self, into: &mut [u8]) -> Result<()>;

    /// Gets ready for accesses of this kind. Both ranks must.
    fn open(&mut self, how: Synchronisation, accesses: bool) -> Result<()>;

    /// Accesses the partner's part; complete when this returns.
    fn access(&mut self, how: Synchronisation, access: Access<'_>, parts: Parts) -> Result<()>;

    /// What the partner does while the other rank accesses once.
    fn answer(&mut self, how: Synchronisation) -> Result<()>;

    /// There are no more accesses of this kind. Both ranks must.
    fn close(&mut self, how: Synchronisation, accesses: bool) -> Result<()>;

    /// Gives the memory back. Both ranks must; one that does not, keeps it until the job ends.
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
    fn parts_stay_inside_and_apart() {
        let parts = |count, bytes, here, there| Parts { count, bytes, here, there };
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
