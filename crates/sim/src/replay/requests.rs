//! Requests of a rank: from what starts them to what completes them.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use panto_trace::Slot;

use super::channels::Place;
use super::comms::Known;
use super::early::Spot;
use super::error::Result;
use super::persistent::Described;
use super::point::{Came, Source};
use super::rank::Walk;
use crate::program::Act;

/// The source of an operation that was cancelled.
const CANCELLED: i64 = -2;

pub(super) const NO_OUTCOME: &str = "the trace does not tell what its wild cards received";
const NO_START: &str = "it completes a request whose start is not in the trace";
const OPEN: &str = "its request is truncated: never completed nor freed before the rank ends";
const AGAIN: &str = "its request is taken for a new operation before it is completed";
const DROPPED: &str = "an operation that was cancelled, or cancelled and then freed, was never started";

/// One operation that is under way.
pub struct Part {
    /// Its place.
    pub slot: u32,
    /// The operation that starts it.
    pub op: Spot,
    /// The channel on which it counts as sent,
    pub sent: Option<u32>,
    /// or as received.
    pub received: Option<u32>,
    /// Its source will be known when it is completed: in this communicator.
    pub unknown: Option<Rc<Known>>,
    /// Does the rank wait for it?
    pub holds: bool,
}

/// Most requests have one; both halves of a send-receive have the same.
pub type Parts = SmallVec<[Part; 1]>;

/// A request.
pub(super) struct Request {
    pub parts: Parts,
    pub described: Option<Rc<Described>>,
    /// A partitioned send that has not left: it will leave at the place of this operation.
    pub leaves: Option<Box<(Spot, Act)>>,
    is_cancelled: bool,
    /// What made or started it.
    pub by: Place,
}

/// The requests of a rank.
#[derive(Default)]
pub struct Requests {
    /// By their places in the trace.
    pub(super) all: FxHashMap<u32, Request>,
    /// Messages that probes took; they are under way, unless they come from nobody.
    messages: FxHashMap<u32, (Parts, Place)>,
}

impl Requests {
    /// The first operation that may still change.
    pub fn first_open(&self) -> u64 {
        let open = self.all.values().flat_map(|request| {
            request.parts.iter().map(|part| part.op).chain(request.leaves.as_ref().map(|leaves| leaves.0))
        });
        let taken = self.messages.values().flat_map(|(parts, _)| parts).map(|part| part.op);
        open.chain(taken).map(|spot| spot.number).min().unwrap_or(u64::MAX)
    }

    /// The program asked to cancel it.
    pub fn cancel(&mut self, request: Option<Slot>) {
        if let Some(request) = request.and_then(|slot| self.all.get_mut(&slot.0)) {
            request.is_cancelled = true;
        }
    }

    /// A probe took a message.
    pub fn take_message(&mut self, message: Option<Slot>, parts: Parts, by: Place) {
        if let Some(message) = message {
            self.messages.insert(message.0, (parts, by));
        }
    }

    /// It is received; none if there is no such message.
    pub fn give_message(&mut self, message: Option<Slot>) -> Option<Parts> {
        self.messages.remove(&message?.0).map(|(parts, _)| parts)
    }

    /// Nobody will ask for them.
    pub fn forget_all(&mut self) {
        self.all.clear();
        self.messages.clear();
    }
}

impl Request {
    fn new(parts: Parts, described: Option<Rc<Described>>, by: Place) -> Self {
        Self { parts, described, leaves: None, is_cancelled: false, by }
    }

    pub fn is_open(&self) -> bool {
        !self.parts.is_empty() || self.leaves.is_some()
    }
}

impl Walk<'_, '_> {
    /// Something was started that has a request.
    pub(super) fn open(&mut self, request: Option<Slot>, parts: Parts) -> Result<()> {
        self.add(request, Request::new(parts, None, self.now))
    }

    /// Something was described that can be started.
    pub(super) fn describe(&mut self, request: Option<Slot>, described: Described) -> Result<()> {
        self.add(request, Request::new(Parts::new(), Some(Rc::new(described)), self.now))
    }

    fn add(&mut self, request: Option<Slot>, made: Request) -> Result<()> {
        let Some(slot) = request else {
            // The library gave no handle: it was complete at once.
            made.parts.iter().for_each(|part| self.wait(part));
            return Ok(());
        };
        match self.requests.all.insert(slot.0, made) {
            Some(old) if old.is_open() => {
                self.lack_at(old.by, AGAIN)?;
                self.let_go(old)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn complete(&mut self, requests: &[i64], completed: &[i64], outcomes: &[i64]) -> Result<()> {
        let mut outcomes = outcomes.chunks_exact(4).peekable();
        for position in completed {
            let slot = usize::try_from(*position).ok().and_then(|position| requests.get(position));
            let request = slot.and_then(|slot| self.requests.all.remove(&u32::try_from(*slot).ok()?));
            let came = outcomes.next_if(|outcome| outcome[0] == *position);
            let came = came.map(|outcome| (outcome[1], outcome[2]));
            match (slot, request) {
                (Some(slot), Some(request)) => self.complete_one(*slot as u32, request, came)?,
                _ => self.lack(NO_START)?,
            }
        }
        Ok(())
    }

    fn complete_one(&mut self, slot: u32, mut request: Request, came: Option<Came>) -> Result<()> {
        self.leave(&mut request);
        for part in std::mem::take(&mut request.parts) {
            match came {
                Some((CANCELLED, _)) => self.drop_part(&part),
                _ => self.complete_part(&part, came)?,
            }
        }
        if request.described.is_some() {
            request.is_cancelled = false;
            self.requests.all.insert(slot, request);
        }
        Ok(())
    }

    fn complete_part(&mut self, part: &Part, came: Option<Came>) -> Result<()> {
        if let Some(comm) = &part.unknown {
            let came = came.unwrap_or((-1, -1));
            match self.resolved(comm, came)? {
                Source::Channel(channel) => {
                    self.received(channel);
                    self.code.replace(part.op, Act::StartReceive { slot: part.slot, channel });
                }
                Source::Nobody => {
                    self.code.give_slot(part.slot);
                    return Ok(());
                }
                Source::Pick(_) | Source::Unknown(_) => {
                    self.code.give_slot(part.slot);
                    return self.lack(NO_OUTCOME);
                }
            }
        }
        self.wait(part);
        Ok(())
    }

    /// A partitioned send leaves where its last part was ready.
    fn leave(&mut self, request: &mut Request) {
        if let Some((place, act)) = request.leaves.take().map(|leaves| *leaves) {
            self.code.replace(place, act);
            request.parts.iter_mut().for_each(|part| part.op = place);
        }
    }

    /// An operation was never started.
    fn drop_part(&mut self, part: &Part) {
        self.shared.notes.assume(DROPPED);
        self.code.remove(part.op);
        self.code.give_slot(part.slot);
        if let Some(channel) = part.sent {
            self.shared.channels.traffic(channel).sends.take_back();
        }
        if let Some(channel) = part.received {
            self.shared.channels.traffic(channel).receives.take_back();
        }
    }

    pub(super) fn free(&mut self, request: Option<Slot>) -> Result<()> {
        let Some(slot) = request else { return Ok(()) };
        match self.requests.all.remove(&slot.0) {
            Some(request) => self.let_go(request),
            None => self.lack("it frees a request whose start is not in the trace"),
        }
    }

    /// Nobody will wait for it.
    fn let_go(&mut self, mut request: Request) -> Result<()> {
        self.leave(&mut request);
        for part in std::mem::take(&mut request.parts) {
            if request.is_cancelled {
                self.drop_part(&part);
            } else if part.unknown.is_some() {
                self.drop_part(&part);
                self.lack_at(request.by, NO_OUTCOME)?;
            } else {
                self.code.push(Act::Free { slot: part.slot });
                self.code.give_slot(part.slot);
            }
        }
        Ok(())
    }

    /// The rank ends: nothing may be under way but what was cancelled.
    pub(super) fn end_requests(&mut self) -> Result<()> {
        let mut open: Vec<Request> = std::mem::take(&mut self.requests.all).into_values().collect();
        let taken = std::mem::take(&mut self.requests.messages).into_values();
        open.extend(taken.map(|(parts, by)| Request::new(parts, None, by)));
        open.retain(Request::is_open);
        open.sort_unstable_by_key(|request| (request.by.position, request.parts.first().map(|part| part.op)));
        for request in open {
            if !request.is_cancelled {
                self.lack_at(request.by, OPEN)?;
            }
            self.let_go(request)?;
        }
        Ok(())
    }
}
