//! The requests of a rank, from start to completion.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use panto_trace::{CommInfo, Slot};

use super::channels::CallSite;
use super::early_starts::OpPosition;
use super::error::Result;
use super::persistent::PersistentOp;
use super::point_to_point::{Source, WildcardMatch};
use super::rank_reader::RankReader;
use crate::program::Op;

/// The trace's code for the source of a cancelled operation.
const CANCELLED: i64 = -2;

pub(super) const NO_OUTCOME: &str = "the trace does not record what MPI_ANY_SOURCE or MPI_ANY_TAG matched";
const NO_START: &str = "completes a request whose start is not in the trace";
const OPEN: &str = "the request is neither completed nor freed before the rank ends";
const AGAIN: &str = "the request is reused before it is completed";
const DROPPED: &str = "cancelled operations are not simulated";

/// A message of a channel, by its number from 0.
#[derive(Debug, Clone, Copy)]
pub struct ChannelMessage {
    pub channel: u32,
    pub nth: u64,
}

/// A started operation that is not completed.
pub struct PendingOp {
    /// Its slot.
    pub slot: u32,
    /// The position of the operation that starts it.
    pub start: OpPosition,
    /// The channel that counts it as a send.
    pub sent: Option<u32>,
    /// The message that it receives.
    pub received: Option<ChannelMessage>,
    /// The communicator in which its source is resolved when it is completed.
    pub unresolved: Option<Rc<CommInfo>>,
    /// Whether the rank blocks until it is complete.
    pub blocks: bool,
}

/// The pending operations of a request: most have one, a send-receive has two.
pub type PendingOps = SmallVec<[PendingOp; 1]>;

/// A request of the traced program.
pub(super) struct Request {
    pub pending: PendingOps,
    pub persistent: Option<Rc<PersistentOp>>,
    /// A partitioned send that has not started, with the position at which it will.
    pub deferred: Option<Box<(OpPosition, Op)>>,
    is_cancelled: bool,
    /// The call that created or started it.
    pub site: CallSite,
}

/// The requests of a rank.
#[derive(Default)]
pub struct Requests {
    /// By their slots in the trace.
    pub(super) all: FxHashMap<u32, Request>,
    /// Messages that matching probes found, by their slots in the trace.
    messages: FxHashMap<u32, (PendingOps, CallSite)>,
    /// The slot of the last blocking receive with wildcards.
    pub(super) blocking_wildcard: Option<u32>,
}

impl Requests {
    /// The number of the first operation that may still change.
    pub fn first_open(&self) -> u64 {
        let open = self.all.values().flat_map(|request| {
            request
                .pending
                .iter()
                .map(|pending| pending.start)
                .chain(request.deferred.as_ref().map(|deferred| deferred.0))
        });
        let taken = self.messages.values().flat_map(|(pending, _)| pending).map(|pending| pending.start);
        open.chain(taken).map(|position| position.number).min().unwrap_or(u64::MAX)
    }

    /// Returns the slots of the started operations of a request, by its slot in the trace.
    pub fn pending_slots(&self, request: u32) -> impl Iterator<Item = u32> {
        self.all.get(&request).into_iter().flat_map(|request| &request.pending).map(|pending| pending.slot)
    }

    /// Returns the request that has started an operation in a slot, by its slot in the trace.
    pub fn of_pending_slot(&self, slot: u32) -> Option<u32> {
        let has_it = |request: &Request| request.pending.iter().any(|pending| pending.slot == slot);
        self.all.iter().find(|(_, request)| has_it(request)).map(|(number, _)| *number)
    }

    /// Marks a request as cancelled.
    pub fn cancel(&mut self, request: Option<Slot>) {
        if let Some(request) = request.and_then(|slot| self.all.get_mut(&slot.0)) {
            request.is_cancelled = true;
        }
    }

    /// Forgets the started operations of a request; returns their slots.
    pub fn withdraw(&mut self, request: u32) -> Vec<u32> {
        let pending = self.all.get_mut(&request).map(|request| std::mem::take(&mut request.pending));
        pending.into_iter().flatten().map(|pending| pending.slot).collect()
    }

    /// Stores the message that a matching probe found.
    pub fn store_message(&mut self, message: Option<Slot>, pending: PendingOps, site: CallSite) {
        if let Some(message) = message {
            self.messages.insert(message.0, (pending, site));
        }
    }

    /// Takes the message that a matching probe found.
    pub fn take_message(&mut self, message: Option<Slot>) -> Option<PendingOps> {
        self.messages.remove(&message?.0).map(|(pending, _)| pending)
    }

    /// Drops all requests.
    pub fn clear(&mut self) {
        self.all.clear();
        self.messages.clear();
    }
}

impl Request {
    fn new(pending: PendingOps, persistent: Option<Rc<PersistentOp>>, site: CallSite) -> Self {
        Self { pending, persistent, deferred: None, is_cancelled: false, site }
    }

    pub fn is_open(&self) -> bool {
        !self.pending.is_empty() || self.deferred.is_some()
    }
}

impl RankReader<'_, '_> {
    /// Opens a request for started operations.
    pub(super) fn open(&mut self, request: Option<Slot>, pending: PendingOps) -> Result<()> {
        self.add(request, Request::new(pending, None, self.now))
    }

    /// Opens a request for a persistent operation.
    pub(super) fn define_persistent(
        &mut self,
        request: Option<Slot>,
        persistent: PersistentOp,
    ) -> Result<()> {
        self.add(request, Request::new(PendingOps::new(), Some(Rc::new(persistent)), self.now))
    }

    fn add(&mut self, request: Option<Slot>, made: Request) -> Result<()> {
        let Some(slot) = request else {
            // The library returned no handle: the operation was complete at once.
            made.pending.iter().for_each(|pending| self.wait(pending));
            return Ok(());
        };
        match self.requests.all.insert(slot.0, made) {
            Some(old) if old.is_open() => {
                self.unsupported_at(old.site, AGAIN)?;
                self.release(old)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn complete(&mut self, requests: &[i64], completed: &[i64], outcomes: &[i64]) -> Result<()> {
        let mut outcomes = outcomes.chunks_exact(4).peekable();
        for position in completed {
            let slot = usize::try_from(*position).ok().and_then(|position| requests.get(position));
            let request = slot.and_then(|slot| self.requests.all.remove(&u32::try_from(*slot).ok()?));
            let matched = outcomes.next_if(|outcome| outcome[0] == *position);
            let matched = matched.map(|outcome| (outcome[1], outcome[2]));
            match (slot, request) {
                (Some(slot), Some(request)) => self.complete_one(*slot as u32, request, matched)?,
                _ => self.unsupported(NO_START)?,
            }
        }
        Ok(())
    }

    fn complete_one(
        &mut self,
        slot: u32,
        mut request: Request,
        matched: Option<WildcardMatch>,
    ) -> Result<()> {
        self.start_deferred(&mut request);
        for pending in std::mem::take(&mut request.pending) {
            match matched {
                Some((CANCELLED, _)) => self.drop_op(&pending),
                _ => self.complete_op(&pending, matched)?,
            }
        }
        if request.persistent.is_some() {
            request.is_cancelled = false;
            self.requests.all.insert(slot, request);
        }
        Ok(())
    }

    fn complete_op(&mut self, pending: &PendingOp, matched: Option<WildcardMatch>) -> Result<()> {
        if let Some(comm) = &pending.unresolved {
            let matched = matched.unwrap_or((-1, -1));
            match self.resolved(comm, matched)? {
                Source::Channel(channel) => {
                    let nth = self.count_receive(channel);
                    self.need(channel, nth);
                    self.code.replace(pending.start, Op::StartReceive { slot: pending.slot, channel });
                }
                Source::Null => {
                    self.code.free_slot(pending.slot);
                    return Ok(());
                }
                Source::Wildcard(_) | Source::Unresolved(_) => {
                    self.code.free_slot(pending.slot);
                    return self.unsupported(NO_OUTCOME);
                }
            }
        }
        self.wait(pending);
        Ok(())
    }

    /// Starts a partitioned send where its last partition became ready.
    fn start_deferred(&mut self, request: &mut Request) {
        if let Some((position, act)) = request.deferred.take().map(|deferred| *deferred) {
            self.code.replace(position, act);
            request.pending.iter_mut().for_each(|pending| pending.start = position);
        }
    }

    /// Removes an operation that was cancelled.
    fn drop_op(&mut self, pending: &PendingOp) {
        self.context.notes.assume(DROPPED);
        self.remove(pending);
    }

    /// Removes an operation and the message that it counts.
    fn remove(&mut self, pending: &PendingOp) {
        self.repetition.interrupt();
        self.code.remove(pending.start);
        self.code.free_slot(pending.slot);
        if let Some(channel) = pending.sent {
            self.context.channels.counts(channel).sends.remove_one();
        }
        if let Some(ChannelMessage { channel, .. }) = pending.received {
            self.context.channels.counts(channel).receives.remove_one();
        }
    }

    pub(super) fn free(&mut self, request: Option<Slot>) -> Result<()> {
        let Some(slot) = request else { return Ok(()) };
        match self.requests.all.remove(&slot.0) {
            Some(request) => self.release(request),
            None => self.unsupported("frees a request whose start is not in the trace"),
        }
    }

    /// Frees a request that will not be completed by the program.
    fn release(&mut self, mut request: Request) -> Result<()> {
        self.start_deferred(&mut request);
        for pending in std::mem::take(&mut request.pending) {
            if request.is_cancelled {
                self.drop_op(&pending);
            } else if pending.unresolved.is_some() {
                self.drop_op(&pending);
                self.unsupported_at(request.site, NO_OUTCOME)?;
            } else {
                self.code.push(Op::Free { slot: pending.slot });
                self.code.free_slot(pending.slot);
            }
        }
        Ok(())
    }

    /// Checks, at the end of a rank, that all requests are complete or cancelled.
    pub(super) fn end_requests(&mut self) -> Result<()> {
        let mut open: Vec<Request> = std::mem::take(&mut self.requests.all).into_values().collect();
        let taken = std::mem::take(&mut self.requests.messages).into_values();
        open.extend(taken.map(|(pending, site)| Request::new(pending, None, site)));
        open.retain(Request::is_open);
        open.sort_unstable_by_key(|request| {
            (request.site.position, request.pending.first().map(|pending| pending.start))
        });
        for mut request in open {
            if self.may_end_early() {
                self.remove_receives(&mut request);
            } else if !request.is_cancelled {
                self.unsupported_at(request.site, OPEN)?;
            }
            self.release(request)?;
        }
        Ok(())
    }

    /// Removes the receives of a request that the trace does not complete, because it ends too
    /// early: their messages may not have been sent.
    fn remove_receives(&mut self, request: &mut Request) {
        let is_receive = |pending: &PendingOp| pending.received.is_some() || pending.unresolved.is_some();
        for pending in request.pending.iter().filter(|pending| is_receive(pending)) {
            self.remove(pending);
        }
        request.pending.retain(|pending| !is_receive(pending));
    }
}
