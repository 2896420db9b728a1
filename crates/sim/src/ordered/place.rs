//! Where a rank is.

use std::ops::Range;

use panto_units::Time;
use smallvec::SmallVec;

use crate::engine::RequestId;
use crate::large::Large;
use crate::observe::Activity;
use crate::program::{Code, Op, Program};

/// What a rank started and did not wait for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pending {
    Nothing,
    Send { request: RequestId, channel: u32 },
    Receive { request: RequestId, channel: u32 },
    Pick { request: RequestId, pick: u32 },
}

impl Pending {
    #[inline]
    pub(super) fn request(self) -> Option<RequestId> {
        match self {
            Self::Nothing => None,
            Self::Send { request, .. } | Self::Receive { request, .. } | Self::Pick { request, .. } => {
                Some(request)
            }
        }
    }
}

/// Where a rank is in its code: in as few lines of the cache as can be.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct Place<'a> {
    /// Its operations.
    pub(super) ops: &'a [Op],
    /// The operation that it is at,
    pub(super) at: u32,
    /// and the next part of it.
    pub(super) part: u8,
    /// What its processor does, since `since`, if that was not told yet.
    pub(super) works: Option<(Activity, Time)>,
    pub(super) is_done: bool,
    /// Does the engine take its messages in the order of their arrival?
    pub(super) is_ordered: bool,
    /// Does it wait for several requests at once?
    pub(super) gathers: bool,
    /// What it waits for,
    pub(super) request: RequestId,
    /// and since when.
    pub(super) since: Time,
    /// What it repeats, the innermost last.
    pub(super) loops: SmallVec<[Loop; 2]>,
    /// Its part of all requests.
    pub(super) slots: Range<usize>,
    /// The next of its listed times.
    pub(super) listed: usize,
    /// How many calls it has begun.
    pub(super) calls: u64,
    /// How many times it has computed.
    pub(super) computed: u64,
}

/// Something that is repeated.
#[derive(Debug)]
pub(super) struct Loop {
    pub(super) at: u32,
    pub(super) back: u32,
    pub(super) left: u64,
}

impl<'a> Place<'a> {
    /// The beginning of each rank.
    pub(super) fn all(program: &'a Program) -> Large<Self> {
        let mut end = 0;
        let place = |code: &'a Code| {
            let start = end;
            end += code.slots as usize;
            Self::new(&code.ops, start..end)
        };
        Large::collect(program.codes.iter().map(place))
    }

    fn new(ops: &'a [Op], slots: Range<usize>) -> Self {
        Self {
            ops,
            at: 0,
            part: 0,
            works: None,
            is_done: false,
            is_ordered: false,
            gathers: false,
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
