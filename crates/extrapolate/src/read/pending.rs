//! The requests of a rank that are not complete.

use std::collections::BTreeMap;

use panto_trace::Slot;

use super::Takes;
use crate::call::What;

/// Requests that a completion lists one by one; of more it is only known that they are all.
const MOST_LISTED: usize = 64;

#[derive(Debug, Clone, Copy)]
struct Request {
    symbol: u32,
    /// When it was made, or started the last time.
    since: u64,
    is_persistent: bool,
    is_active: bool,
}

/// The requests of a rank by their slots.
#[derive(Debug, Default)]
pub struct Pending {
    requests: BTreeMap<u32, Request>,
    active: usize,
    now: u64,
    has_unknown: bool,
}

impl Pending {
    /// Adds a request.
    pub fn make(&mut self, slot: Slot, symbol: u32, is_persistent: bool) {
        self.now += 1;
        let request = Request { symbol, since: self.now, is_persistent, is_active: !is_persistent };
        self.active += usize::from(request.is_active);
        if let Some(old) = self.requests.insert(slot.0, request) {
            self.active -= usize::from(old.is_active);
        }
    }

    /// Whether a call referred to a request that no call had made.
    pub fn has_unknown(&self) -> bool {
        self.has_unknown
    }

    /// Starts, completes or frees requests.
    pub fn take(&mut self, what: What, slots: &[i64]) -> Takes {
        match what {
            What::Start => self.start(slots),
            What::Complete { .. } => self.complete(slots),
            What::Free => {
                let takes = self.describe(slots, false);
                for slot in slots {
                    self.remove(*slot);
                }
                takes
            }
            _ => Takes::default(),
        }
    }

    fn start(&mut self, slots: &[i64]) -> Takes {
        let idle = self.requests.len() - self.active;
        let takes = self.describe(slots, slots.len() == idle);
        for slot in slots {
            self.now += 1;
            let Some(request) = self.get(*slot) else { continue };
            let was_active = std::mem::replace(&mut request.is_active, true);
            self.active += usize::from(!was_active);
        }
        takes
    }

    fn complete(&mut self, slots: &[i64]) -> Takes {
        let takes = self.describe(slots, slots.len() == self.active);
        for slot in slots {
            self.remove(*slot);
        }
        takes
    }

    /// Removes a request, or ends its operation if it is persistent.
    fn remove(&mut self, slot: i64) {
        let Some(request) = self.get(slot) else { return };
        let was_active = std::mem::replace(&mut request.is_active, false);
        let stays = request.is_persistent && was_active;
        self.active -= usize::from(was_active);
        if !stays {
            self.requests.remove(&(slot as u32));
        }
    }

    fn get(&mut self, slot: i64) -> Option<&mut Request> {
        let request = u32::try_from(slot).ok().and_then(|slot| self.requests.get_mut(&slot));
        self.has_unknown |= request.is_none();
        request
    }

    fn describe(&mut self, slots: &[i64], is_all: bool) -> Takes {
        if is_all && slots.len() > MOST_LISTED {
            return Takes { is_all, requests: Vec::new() };
        }
        let taken: Vec<Request> = slots.iter().filter_map(|slot| self.get(*slot).copied()).collect();
        let earlier = |request: &Request| {
            let same = self.requests.values().filter(|other| other.symbol == request.symbol);
            same.filter(|other| other.since < request.since).count() as u32
        };
        Takes { is_all, requests: taken.iter().map(|request| (request.symbol, earlier(request))).collect() }
    }
}
