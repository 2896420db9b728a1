//! Words of the trait: how to wait, what local work is, what a standard send guarantees, what collectives work on.

use crate::combine::Combine;

/// How to wait for a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// On the core, to miss nothing.
    Spin,
    /// Off the core: somebody else may need it.
    Sleep,
}

/// Local work of a rank, between messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// So many bytes were copied from one run of memory to another.
    Copy(usize),
    /// So many elements were copied one by one to or from places that are not next to each other.
    Strided(usize),
    /// So many bytes were combined with as many others.
    Reduce(usize),
    /// So many elements of y += a x.
    Daxpy(usize),
}

/// What a standard send guarantees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandardSend {
    /// It never waits for the receiver.
    Buffered,
    /// It does not wait for the receiver up to this size, and may above it.
    Eager(usize),
    /// It waits for the receiver.
    Synchronous,
}

impl StandardSend {
    /// May both sides of an exchange of `len` bytes send first?
    pub fn may_send_first(self, len: usize) -> bool {
        match self {
            Self::Buffered => true,
            Self::Eager(limit) => len <= limit,
            Self::Synchronous => false,
        }
    }
}

/// The memory that a collective works on.
pub struct Buffers<'a> {
    /// What this rank contributes.
    pub input: &'a [u8],
    /// What it gets.
    pub output: &'a mut [u8],
    /// Bytes of one element.
    pub element: usize,
    /// How elements are combined, where they are.
    pub combine: Combine,
}
