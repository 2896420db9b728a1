//! The operations of one rank or helper, while they are gathered.
//!
//! What a receive with wild cards got, and whether an operation was cancelled, is known only when it is completed. So the newest operations
//! are kept as they are, to be corrected; what cannot change any more is folded into loops.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use panto_units::Time;

use super::early::{Early, Spot};
use super::fold::Fold;
use super::slots::Slots;
use crate::program::{Act, Code, MOST_SLOTS, Op};

/// Places for requests of collectives count from here until it is known how many others there are: the same collective is then the same
/// operations, whatever else is under way.
pub const TEAM: u32 = MOST_SLOTS / 2;

/// So many operations are gathered before any are folded.
const GATHERED: usize = 1 << 14;

/// So many operations in bodies of collectives are made before it is seen whether all fits in memory.
const MOST_NEW: usize = 1 << 22;

/// Does nothing: what an operation becomes that never was.
const NOTHING: Act = Act::Compute(Time::ZERO);

/// A collective of a rank: the communicator, which one of those agreed on, and whether the data are in place.
pub type Part = (u32, u32, bool);

/// The operations of one rank or helper.
#[derive(Default)]
pub struct Builder {
    fresh: Vec<Op>,
    /// How many were folded.
    folded: u64,
    /// Folds when there are so many fresh ones.
    full: usize,
    /// How long bodies were then.
    bodies: usize,
    fold: Fold,
    times: Vec<Time>,
    /// Places of the rank's own requests.
    slots: Slots,
    /// Where several threads call: what they started before others went on.
    early: Early,
    /// How many places collectives need.
    team: u32,
    /// What collectives became: one operation, or none.
    parts: FxHashMap<Part, SmallVec<[Op; 1]>>,
}

impl Builder {
    /// Adds an operation; answers where it is.
    #[inline]
    pub fn push(&mut self, act: Act) -> Spot {
        self.fresh.push(act.into());
        Spot { number: self.number() - 1, early: 0 }
    }

    /// Adds an operation that starts something: perhaps before what other threads have done since.
    #[inline]
    pub fn start(&mut self, act: Act) -> Spot {
        match self.early.place {
            None => self.push(act),
            Some(place) => self.early.add(place, act.into()),
        }
    }

    /// The number of the next operation.
    #[inline]
    pub fn number(&self) -> u64 {
        self.folded + self.fresh.len() as u64
    }

    /// What is started from now on was started there, before what other threads have done since.
    pub fn start_at(&mut self, place: Option<u64>) {
        self.early.place = place;
        self.early.is_used |= place.is_some();
    }

    /// Are things started before what other threads have done since?
    #[inline]
    pub fn is_early(&self) -> bool {
        self.early.place.is_some()
    }

    /// Takes a place for a request.
    #[inline]
    pub fn take_slot(&mut self) -> u32 {
        let now = self.early.place.unwrap_or(u64::MAX);
        self.early.rested(now).unwrap_or_else(|| self.slots.take())
    }

    /// The place of a request is free again.
    #[inline]
    pub fn give_slot(&mut self, slot: u32) {
        if self.early.is_used {
            self.early.resting.push_back((self.number(), slot));
        } else {
            self.slots.give(slot);
        }
    }

    /// How many places were ever needed.
    pub fn slots(&self) -> u32 {
        self.slots.most()
    }

    /// A call begins, after a computation.
    #[inline]
    pub fn call(&mut self, call: u32, before: Time) {
        self.times.push(before);
        self.push(Act::CallListed { call });
    }

    /// Puts another operation in the place of one that was not folded yet.
    pub fn replace(&mut self, spot: Spot, act: Act) {
        if spot.early == 0 {
            self.fresh[(spot.number - self.folded) as usize] = act.into();
        } else {
            self.early.ops.insert(spot, act.into());
        }
    }

    /// An operation that was not folded yet was never carried out.
    pub fn remove(&mut self, spot: Spot) {
        self.replace(spot, NOTHING);
    }

    /// Keeps a place for an operation that starts something, and that comes later.
    pub fn keep_place(&mut self) -> Spot {
        self.start(NOTHING)
    }

    /// Carries out a collective that was there before; false if it was not.
    pub fn push_part(&mut self, part: &Part) -> bool {
        let known = self.parts.get(part);
        self.fresh.extend(known.into_iter().flatten());
        known.is_some()
    }

    /// Keeps what a collective became, and carries it out.
    pub fn keep_part(&mut self, part: Part, body: &Body) {
        let ops = self.kept_body(body);
        self.fresh.extend(&ops);
        self.parts.insert(part, ops);
    }

    /// Carries out a body.
    pub fn push_body(&mut self, body: &Body) {
        let ops = self.kept_body(body);
        self.fresh.extend(ops);
    }

    fn kept_body(&mut self, body: &Body) -> SmallVec<[Op; 1]> {
        self.team = self.team.max(body.most);
        match body.ops[..] {
            [] => SmallVec::new(),
            [op] => SmallVec::from_buf([op]),
            _ => SmallVec::from_buf([Act::Repeat { at: self.fold.bodies.place(&body.ops), times: 1 }.into()]),
        }
    }

    /// Are there enough fresh operations to fold some, or many new bodies of collectives?
    #[inline]
    pub fn is_full(&self) -> bool {
        self.fresh.len() >= self.full.max(GATHERED) || self.fold.bodies.len() >= self.bodies + MOST_NEW
    }

    /// Folds what comes before the operation with this number.
    pub fn fold(&mut self, end: u64) {
        let count = ((end.max(self.folded) - self.folded) as usize).min(self.fresh.len());
        let mut from = 0;
        while let Some((spot, op)) = self.early.first_before(end) {
            let place = (spot.number - self.folded) as usize;
            self.fold.extend(real(&self.fresh[from..place]));
            self.fold.extend(real(&[op]));
            from = place;
        }
        self.fold.extend(real(&self.fresh[from..count]));
        self.fresh.drain(..count);
        self.folded += count as u64;
        // If little could be folded, the next try is not soon: else each operation would be moved again and again.
        self.full = 2 * self.fresh.len();
        self.bodies = self.fold.bodies.len();
    }

    /// How many operations it holds.
    pub fn len(&self) -> usize {
        self.fresh.len() + self.fold.len()
    }

    /// The rank's code.
    pub fn finish(mut self) -> Code {
        self.fold(u64::MAX);
        let (mut ops, bodies) = self.fold.finish();
        ops.push(Act::End.into());
        let own = self.slots.most();
        let same = self.times.first().copied().filter(|first| self.times.iter().all(|time| time == first));
        let moved = Moved { by: ops.len() as u32, own, before: same };
        ops.extend(bodies.into_ops());
        for op in &mut ops {
            moved.settle(op);
        }
        ops.shrink_to_fit();
        let mut times = if same.is_some() { Vec::new() } else { self.times };
        times.shrink_to_fit();
        Code { ops, times, slots: own + self.team }
    }
}

/// Operations that are more than places for others.
fn real(ops: &[Op]) -> impl Iterator<Item = &Op> {
    let nothing = Op::from(NOTHING);
    ops.iter().filter(move |op| **op != nothing)
}

/// What is known at the end.
struct Moved {
    /// Bodies come behind so many operations.
    by: u32,
    /// The rank's own requests need so many places.
    own: u32,
    /// All computations took this time.
    before: Option<Time>,
}

impl Moved {
    fn settle(&self, op: &mut Op) {
        let slot = |slot: u32| if slot >= TEAM { slot - TEAM + self.own } else { slot };
        *op = match (op.act(), self.before) {
            (Act::Repeat { at, times }, _) => Act::Repeat { at: at + self.by, times }.into(),
            (Act::CallListed { call }, Some(before)) => Act::Call { call, before }.into(),
            (Act::StartSend { sending, slot: at, channel, bytes }, _) => {
                Act::StartSend { sending, slot: slot(at), channel, bytes }.into()
            }
            (Act::StartReceive { slot: at, channel }, _) => {
                Act::StartReceive { slot: slot(at), channel }.into()
            }
            (Act::Wait { slot: at }, _) => Act::Wait { slot: slot(at) }.into(),
            _ => return,
        };
    }
}

/// What a collective is to one rank.
#[derive(Default)]
pub struct Body {
    ops: Vec<Op>,
    /// So many are started and not waited for.
    started: u32,
    most: u32,
}

impl Body {
    /// Adds an operation without a request.
    pub fn push(&mut self, act: Act) {
        self.ops.push(act.into());
    }

    /// Adds an operation with one.
    pub fn start(&mut self, act: impl FnOnce(u32) -> Act) {
        self.ops.push(act(TEAM + self.started).into());
        self.started += 1;
        self.most = self.most.max(self.started);
    }

    /// Waits for all that was started.
    pub fn wait_all(&mut self) {
        self.ops.extend((0..self.started).map(|slot| Op::from(Act::Wait { slot: TEAM + slot })));
        self.started = 0;
    }

    /// Copies; nothing costs nothing.
    pub fn copy(&mut self, bytes: u64) {
        if bytes > 0 {
            self.push(Act::Copy { bytes });
        }
    }

    /// Combines with others; likewise.
    pub fn reduce(&mut self, bytes: u64) {
        if bytes > 0 {
            self.push(Act::Reduce { bytes });
        }
    }
}
