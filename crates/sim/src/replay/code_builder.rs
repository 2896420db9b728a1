//! The code of one rank or helper while it is built.
//!
//! Which message a receive with wildcards matched, and whether an operation was cancelled, is known
//! only when it is completed. So recent operations are kept as they are, to be corrected; those
//! that cannot change any more are folded into loops.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use panto_units::Time;

use super::call_times::CallTimes;
use super::early_starts::{EarlyStarts, OpPosition};
use super::loops::LoopFolder;
use super::slot_allocator::SlotAllocator;
use crate::program::{Code, MAX_SLOTS, Op, PackedOp};

/// The first slot of collectives while code is built: until the number of the rank's own slots is
/// known, the same collective then has the same operations whatever else is pending.
pub const COLLECTIVE_SLOTS: u32 = MAX_SLOTS / 2;

/// The number of operations that are collected before any are folded.
const FOLD_THRESHOLD: usize = 1 << 14;

/// The most repeated operations that are copied instead of being folded at once.
const MAX_COPIED: u64 = 512;

/// The number of operations in new bodies of collectives after which the memory limit is checked.
const MAX_NEW_BODY_OPS: usize = 1 << 22;

/// An operation that does nothing, in place of one that was removed or is not known yet.
const NO_OP: Op = Op::Compute(Time::ZERO);

/// What identifies the expansion of a collective: communicator, number of the agreed instance, and
/// whether it is in place.
pub type ExpansionKey = (u32, u32, bool);

/// Builds the code of one rank or helper.
#[derive(Default)]
pub struct CodeBuilder {
    /// The operations that were not folded yet.
    recent: Vec<PackedOp>,
    /// The number of operations that were folded.
    folded: u64,
    /// The number of recent operations at which to fold.
    fold_at: usize,
    /// The length of all bodies at the last fold.
    bodies_len: usize,
    folder: LoopFolder,
    /// The computation before each call.
    times: CallTimes,
    /// The slots of the rank's own requests.
    slots: SlotAllocator,
    /// With several threads: operations that began before those of other threads.
    early: EarlyStarts,
    /// The number of slots that collectives need.
    collective_slots: u32,
    /// The expansions of collectives: one operation each, or none; all operations if online.
    expansions: FxHashMap<ExpansionKey, SmallVec<[PackedOp; 1]>>,
    /// Whether operations are taken as they are made: without loops, each call with its time.
    is_online: bool,
}

impl CodeBuilder {
    /// Builds code whose operations are [taken](Self::take_ops) as they are made.
    pub fn online() -> Self {
        Self { is_online: true, ..Self::default() }
    }

    /// Builds code of another rank or helper in the same way.
    pub fn sibling(&self) -> Self {
        Self { is_online: self.is_online, ..Self::default() }
    }

    /// Returns whether operations are taken as they are made.
    pub fn is_online(&self) -> bool {
        self.is_online
    }

    /// Takes the operations since the last time; they are final then. Slots of the rank's own
    /// requests become even, those of collectives odd.
    pub fn take_ops(&mut self, ops: &mut Vec<PackedOp>) {
        let slot =
            |slot: u32| if slot >= COLLECTIVE_SLOTS { (slot - COLLECTIVE_SLOTS) * 2 + 1 } else { slot * 2 };
        ops.extend(real(&self.recent).map(|op| with_slot(*op, slot)));
        self.folded += self.recent.len() as u64;
        self.recent.clear();
    }

    /// Appends an operation; returns its position.
    #[inline]
    pub fn push(&mut self, act: Op) -> OpPosition {
        self.recent.push(act.into());
        OpPosition { number: self.number() - 1, early: 0 }
    }

    /// Adds an operation that starts a request, perhaps before what other threads have done since.
    #[inline]
    pub fn start(&mut self, act: Op) -> OpPosition {
        match self.early.insert_at {
            None => self.push(act),
            Some(number) => self.early.insert(number, act.into()),
        }
    }

    /// The number of the next operation.
    #[inline]
    pub fn number(&self) -> u64 {
        self.folded + self.recent.len() as u64
    }

    /// Inserts the operations that start requests from now on before the operation with this
    /// number; at the end if `None`.
    pub fn start_at(&mut self, number: Option<u64>) {
        self.early.insert_at = number;
        self.early.is_used |= number.is_some();
    }

    /// Returns whether requests are started before what other threads have done since.
    #[inline]
    pub fn starts_early(&self) -> bool {
        self.early.insert_at.is_some()
    }

    /// Takes a slot for a request.
    #[inline]
    pub fn take_slot(&mut self) -> u32 {
        let now = self.early.insert_at.unwrap_or(u64::MAX);
        self.early.take_freed_slot(now).unwrap_or_else(|| self.slots.take())
    }

    /// Frees the slot of a request.
    #[inline]
    pub fn free_slot(&mut self, slot: u32) {
        if self.early.is_used {
            self.early.freed_slots.push_back((self.number(), slot));
        } else {
            self.slots.free(slot);
        }
    }

    /// The number of slots that were ever needed.
    pub fn slots(&self) -> u32 {
        self.slots.high_water()
    }

    /// Returns whether no request is pending, so that all operations are final.
    #[inline]
    pub fn is_quiet(&self) -> bool {
        self.slots.is_unused() && !self.early.is_used
    }

    /// Returns the operations from the one with this number on; `None` if they were folded.
    pub fn ops_since(&self, number: u64) -> Option<&[PackedOp]> {
        let first = number.checked_sub(self.folded)?;
        self.recent.get(first as usize..)
    }

    /// Appends the operations from the one with this number on `times` more times. They must be
    /// final, and not folded.
    pub fn repeat_since(&mut self, number: u64, times: u64) {
        let first = (number - self.folded) as usize;
        let end = self.recent.len();
        let added = (end - first) as u64 * times;
        if added <= MAX_COPIED {
            (0..times).for_each(|_| self.recent.extend_from_within(first..end));
            return;
        }
        let body: Vec<PackedOp> = real(&self.recent[first..]).copied().collect();
        self.fold(u64::MAX);
        self.folder.repeat(&body, times);
        self.folded += added;
    }

    /// Appends the computation before a call that is appended otherwise.
    #[inline]
    pub fn push_time(&mut self, before: Time) {
        self.times.push(before);
    }

    /// Appends a call and the computation before it.
    #[inline]
    pub fn call(&mut self, call: u32, before: Time) {
        if self.is_online {
            self.push(Op::Call { call, before });
            return;
        }
        self.times.push(before);
        self.push(Op::CallListed { call });
    }

    /// Replaces an operation that was not folded yet.
    pub fn replace(&mut self, position: OpPosition, act: Op) {
        if position.early == 0 {
            self.recent[(position.number - self.folded) as usize] = act.into();
        } else {
            self.early.ops.insert(position, act.into());
        }
    }

    /// Removes an operation that was not folded yet.
    pub fn remove(&mut self, position: OpPosition) {
        self.replace(position, NO_OP);
    }

    /// Reserves a position for an operation that starts a request and is not known yet.
    pub fn reserve(&mut self) -> OpPosition {
        self.start(NO_OP)
    }

    /// Appends the stored expansion of a collective; returns false if there is none.
    pub fn push_expansion(&mut self, key: &ExpansionKey) -> bool {
        let known = self.expansions.get(key);
        self.recent.extend(known.into_iter().flatten());
        known.is_some()
    }

    /// Stores the expansion of a collective, and appends it.
    pub fn store_expansion(&mut self, key: ExpansionKey, body: &Body) {
        let ops = self.kept_body(body);
        self.recent.extend(&ops);
        self.expansions.insert(key, ops);
    }

    /// Appends a body.
    pub fn push_body(&mut self, body: &Body) {
        let ops = self.kept_body(body);
        self.recent.extend(ops);
    }

    fn kept_body(&mut self, body: &Body) -> SmallVec<[PackedOp; 1]> {
        self.collective_slots = self.collective_slots.max(body.max_started);
        if self.is_online {
            return SmallVec::from_slice(&body.ops);
        }
        match body.ops[..] {
            [] => SmallVec::new(),
            [op] => SmallVec::from_buf([op]),
            _ => SmallVec::from_buf([
                Op::Repeat { at: self.folder.bodies.position(&body.ops), times: 1 }.into()
            ]),
        }
    }

    /// Returns whether there are enough recent operations or new bodies to fold.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.recent.len() >= self.fold_at.max(FOLD_THRESHOLD)
            || self.folder.bodies.len() >= self.bodies_len + MAX_NEW_BODY_OPS
    }

    /// Folds the operations before the one with this number.
    pub fn fold(&mut self, end: u64) {
        let count = ((end.max(self.folded) - self.folded) as usize).min(self.recent.len());
        let mut from = 0;
        while let Some((position, op)) = self.early.take_first_before(end) {
            let index = (position.number - self.folded) as usize;
            self.folder.extend(real(&self.recent[from..index]));
            self.folder.extend(real(&[op]));
            from = index;
        }
        self.folder.extend(real(&self.recent[from..count]));
        self.recent.drain(..count);
        self.folded += count as u64;
        // If little could be folded, the next fold comes later: else each operation would be moved
        // many times.
        self.fold_at = 2 * self.recent.len();
        self.bodies_len = self.folder.bodies.len();
    }

    /// The number of operations it holds.
    pub fn len(&self) -> usize {
        self.recent.len() + self.folder.len()
    }

    /// Returns the code.
    pub fn finish(mut self) -> Code {
        self.fold(u64::MAX);
        let (mut ops, bodies) = self.folder.finish();
        ops.push(Op::End.into());
        let own_slots = self.slots.high_water();
        let same = self.times.uniform();
        let relocation = Relocation { bodies_at: ops.len() as u32, own_slots, uniform_time: same };
        ops.extend(bodies.into_ops());
        for op in &mut ops {
            relocation.apply(op);
        }
        ops.shrink_to_fit();
        let times = self.times.into_list();
        Code { ops, times, slots: own_slots + self.collective_slots }
    }
}

/// The operations except those that do nothing.
fn real(ops: &[PackedOp]) -> impl Iterator<Item = &PackedOp> {
    let nothing = PackedOp::from(NO_OP);
    ops.iter().filter(move |op| **op != nothing)
}

/// What is known of all operations at the end.
struct Relocation {
    /// The position of the first body.
    bodies_at: u32,
    /// The number of slots of the rank's own requests; those of collectives follow.
    own_slots: u32,
    /// The time of all computations, if they took the same.
    uniform_time: Option<Time>,
}

impl Relocation {
    fn apply(&self, op: &mut PackedOp) {
        let slot = |slot: u32| {
            if slot >= COLLECTIVE_SLOTS { slot - COLLECTIVE_SLOTS + self.own_slots } else { slot }
        };
        *op = match (op.unpack(), self.uniform_time) {
            (Op::Repeat { at, times }, _) => Op::Repeat { at: at + self.bodies_at, times }.into(),
            (Op::CallListed { call }, Some(before)) => Op::Call { call, before }.into(),
            _ => with_slot(*op, slot),
        };
    }
}

/// Returns an operation with another number for its slot.
fn with_slot(op: PackedOp, number: impl Fn(u32) -> u32) -> PackedOp {
    match op.unpack() {
        Op::StartSend { mode, slot, channel, bytes } => {
            Op::StartSend { mode, slot: number(slot), channel, bytes }.into()
        }
        Op::StartReceive { slot, channel } => Op::StartReceive { slot: number(slot), channel }.into(),
        Op::StartWildcard { slot, wildcard, blocks } => {
            Op::StartWildcard { slot: number(slot), wildcard, blocks }.into()
        }
        Op::Wait { slot } => Op::Wait { slot: number(slot) }.into(),
        Op::Free { slot } => Op::Free { slot: number(slot) }.into(),
        _ => op,
    }
}

/// The operations of one rank for a collective.
#[derive(Default)]
pub struct Body {
    ops: Vec<PackedOp>,
    /// The number of requests that are started and not waited for.
    started: u32,
    max_started: u32,
}

impl Body {
    /// Appends an operation without a request.
    pub fn push(&mut self, act: Op) {
        self.ops.push(act.into());
    }

    /// Appends an operation that starts a request, given its slot.
    pub fn start(&mut self, act: impl FnOnce(u32) -> Op) {
        self.ops.push(act(COLLECTIVE_SLOTS + self.started).into());
        self.started += 1;
        self.max_started = self.max_started.max(self.started);
    }

    /// Appends waits for all started requests.
    pub fn wait_all(&mut self) {
        self.ops
            .extend((0..self.started).map(|slot| PackedOp::from(Op::Wait { slot: COLLECTIVE_SLOTS + slot })));
        self.started = 0;
    }

    /// Appends a copy, unless it is empty.
    pub fn copy(&mut self, bytes: u64) {
        if bytes > 0 {
            self.push(Op::Copy { bytes });
        }
    }

    /// Appends a reduction, unless it is empty.
    pub fn reduce(&mut self, bytes: u64) {
        if bytes > 0 {
            self.push(Op::Reduce { bytes });
        }
    }
}
