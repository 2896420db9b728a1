//! The steps of a schedule, on spans of three buffers.

use std::fmt;

/// One of a rank's three buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Buffer {
    /// The caller's input; never written.
    Input,
    /// The caller's output.
    Output,
    /// Working space of the size that [`Schedule::scratch`](crate::Schedule::scratch) returns.
    Scratch,
}

/// A run of elements in one buffer. The executor multiplies by the size of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The buffer.
    pub buffer: Buffer,
    /// The first element.
    pub start: usize,
    /// Number of elements; a message of 0 elements is still a message.
    pub len: usize,
}

/// The operand order of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// Computes `into = from op into`.
    FromFirst,
    /// Computes `into = into op from`.
    IntoFirst,
}

/// One step of a rank.
///
/// The k-th message sent from one rank to another matches the k-th receive that the other posts for
/// it, whether the two are blocking or started. A send may be synchronous: it need not complete
/// before its receive is posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Sends and blocks until the span may be reused.
    Send {
        /// The receiving rank.
        to: usize,
        /// The data to send.
        span: Span,
    },
    /// Receives and blocks until the data has arrived.
    Receive {
        /// The sending rank.
        from: usize,
        /// The receive buffer.
        span: Span,
    },
    /// Starts a send that a later [`Step::WaitAll`] completes.
    StartSend {
        /// The receiving rank.
        to: usize,
        /// The data to send; must not change before the wait.
        span: Span,
    },
    /// Starts a receive that a later [`Step::WaitAll`] completes.
    StartReceive {
        /// The sending rank.
        from: usize,
        /// The receive buffer; must not be accessed before the wait.
        span: Span,
    },
    /// Waits for all messages started so far.
    WaitAll,
    /// Copies locally; the spans have equal length and do not overlap.
    Copy {
        /// The source.
        from: Span,
        /// The destination.
        to: Span,
    },
    /// Combines element by element; the spans have equal length and do not overlap.
    Reduce {
        /// The operand that is only read.
        from: Span,
        /// The operand that becomes the result.
        into: Span,
        /// The operand order.
        order: Order,
    },
}

impl Span {
    /// The empty span, for messages that only synchronise.
    pub const EMPTY: Span = Span { buffer: Buffer::Scratch, start: 0, len: 0 };

    /// Returns `len` elements of the input from `start`.
    pub const fn input(start: usize, len: usize) -> Span {
        Span { buffer: Buffer::Input, start, len }
    }

    /// Returns `len` elements of the output from `start`.
    pub const fn output(start: usize, len: usize) -> Span {
        Span { buffer: Buffer::Output, start, len }
    }

    /// Returns `len` elements of the scratch space from `start`.
    pub const fn scratch(start: usize, len: usize) -> Span {
        Span { buffer: Buffer::Scratch, start, len }
    }

    /// Returns the index one past the last element, or `None` on overflow.
    pub const fn end(self) -> Option<usize> {
        self.start.checked_add(self.len)
    }

    /// Returns whether the two spans share an element.
    pub fn overlaps(self, other: Span) -> bool {
        self.buffer == other.buffer
            && self.len > 0
            && other.len > 0
            && self.start < other.start.saturating_add(other.len)
            && other.start < self.start.saturating_add(self.len)
    }

    /// Returns the `len` elements that begin `offset` elements into this span.
    pub(crate) const fn part(self, offset: usize, len: usize) -> Span {
        Span { buffer: self.buffer, start: self.start + offset, len }
    }
}

impl fmt::Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Buffer::Input => "input",
            Buffer::Output => "output",
            Buffer::Scratch => "scratch",
        })
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}; {}]", self.buffer, self.start, self.len)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Send { to, span } => write!(f, "send {span} to {to}"),
            Step::Receive { from, span } => write!(f, "receive {span} from {from}"),
            Step::StartSend { to, span } => write!(f, "start to send {span} to {to}"),
            Step::StartReceive { from, span } => write!(f, "start to receive {span} from {from}"),
            Step::WaitAll => f.write_str("wait for all"),
            Step::Copy { from, to } => write!(f, "copy {from} to {to}"),
            Step::Reduce { from, into, order: Order::FromFirst } => write!(f, "reduce {from} before {into}"),
            Step::Reduce { from, into, order: Order::IntoFirst } => write!(f, "reduce {from} behind {into}"),
        }
    }
}
