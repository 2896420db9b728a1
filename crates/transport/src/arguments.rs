//! Argument types of the trait: wait policy, local work, guarantees of standard sends, buffers of
//! collectives.

use crate::reduce_op::ReduceOp;

/// How to wait for a point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitPolicy {
    /// Spin, for the shortest delay.
    Spin,
    /// Sleep, which leaves the core to others.
    Sleep,
}

/// Local work of a rank between messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// This number of bytes was copied from one contiguous buffer to another.
    Copy(usize),
    /// This number of elements was copied one by one from or to addresses that are not contiguous.
    Strided(usize),
    /// This number of bytes was combined with as many others.
    Reduce(usize),
    /// This number of elements of y += a x was computed.
    Daxpy(usize),
    /// This number of bytes of a file was written or read.
    File(usize),
}

/// What a standard send guarantees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandardSend {
    /// It never waits for the receiver.
    Buffered,
    /// It does not wait for the receiver up to this number of bytes, and may above it.
    Eager(usize),
    /// It may wait for the receiver at any size.
    Synchronous,
}

impl StandardSend {
    /// Whether both sides of an exchange of `len` bytes may send first without deadlock.
    pub fn may_send_first(self, len: usize) -> bool {
        match self {
            Self::Buffered => true,
            Self::Eager(limit) => len <= limit,
            Self::Synchronous => false,
        }
    }
}

/// The buffers of a collective.
pub struct Buffers<'a> {
    /// What this rank contributes.
    pub input: &'a [u8],
    /// What this rank receives.
    pub output: &'a mut [u8],
    /// Bytes per element.
    pub element: usize,
    /// The reduction operator, where the collective reduces.
    pub combine: ReduceOp,
}
