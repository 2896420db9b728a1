//! The execution state of a rank.

use std::ops::Range;

use panto_units::Time;
use smallvec::SmallVec;

use crate::engine::RequestId;
use crate::observe::Activity;
use crate::program::{Code, PackedOp, Program};
use panto_memory::HugeVec;

/// A slot of a rank: the operation that was started there and not waited for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pending {
    Empty,
    Send { request: RequestId, channel: u32 },
    Receive { request: RequestId, channel: u32 },
    Wildcard { request: RequestId, wildcard: u32 },
}

impl Pending {
    #[inline]
    pub(super) fn request(self) -> Option<RequestId> {
        match self {
            Self::Empty => None,
            Self::Send { request, .. } | Self::Receive { request, .. } | Self::Wildcard { request, .. } => {
                Some(request)
            }
        }
    }
}

/// The execution state of a rank, in as few cache lines as possible.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct RankState<C> {
    /// The operations of the rank: a list, borrowed or its own.
    pub(super) ops: C,
    /// The program counter: the index of the current operation.
    pub(super) pc: u32,
    /// The next stage of the current operation.
    pub(super) stage: u8,
    /// What its shared processor computes since `since`, if that has not been reported yet.
    pub(super) pending_work: Option<(Activity, Time)>,
    pub(super) is_done: bool,
    /// Whether the engine matches its messages in the order of arrival.
    pub(super) is_ordered: bool,
    /// Whether it waits for several requests at once.
    pub(super) waits_all: bool,
    /// The request that it waits for.
    pub(super) request: RequestId,
    /// The begin of the current wait or work.
    pub(super) since: Time,
    /// The active loops, the innermost last.
    pub(super) loops: SmallVec<[Loop; 2]>,
    /// Its slots, as a range of those of all ranks.
    pub(super) slots: Range<usize>,
    /// The index of its next listed time.
    pub(super) listed: usize,
    /// The number of calls that it has begun.
    pub(super) calls: u64,
    /// The number of its computations so far.
    pub(super) computed: u64,
}

/// An active loop.
#[derive(Debug)]
pub(super) struct Loop {
    /// The program counter of the body.
    pub(super) start: u32,
    /// The program counter after the loop.
    pub(super) return_pc: u32,
    /// Iterations after the current one.
    pub(super) remaining: u64,
}

impl<'a> RankState<&'a [PackedOp]> {
    /// The initial state of each rank and helper.
    pub(super) fn all(program: &'a Program) -> HugeVec<Self> {
        let mut end = 0;
        let state = |code: &'a Code| {
            let start = end;
            end += code.slots as usize;
            Self::new(code.ops.as_slice(), start..end)
        };
        HugeVec::collect(program.codes.iter().map(state))
    }
}

impl<C> RankState<C> {
    /// The state of a rank at the beginning of its operations.
    pub(super) fn new(ops: C, slots: Range<usize>) -> Self {
        Self {
            ops,
            pc: 0,
            stage: 0,
            pending_work: None,
            is_done: false,
            is_ordered: false,
            waits_all: false,
            request: 0,
            since: Time::ZERO,
            loops: SmallVec::new(),
            slots,
            listed: 0,
            calls: 0,
            computed: 0,
        }
    }
}
