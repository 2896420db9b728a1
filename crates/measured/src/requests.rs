//! The requests of a rank.

use std::rc::Rc;

use panto_trace::{CommInfo, Slot};
use panto_units::Time;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::collectives::{Awaited, CollectiveId};
use crate::needs::Need;
use crate::transfers::{ChannelKey, TransferId};

/// What the completion of a request needs.
#[derive(Debug, Clone)]
pub enum Pending {
    /// This.
    Known(Need),
    /// A message from whom its completion tells; its receive was posted then.
    Wildcard(Rc<CommInfo>, Time),
}

/// What a start of a persistent request does.
#[derive(Debug, Clone)]
pub enum Persistent {
    Send(ChannelKey, u64),
    Receive(ChannelKey),
    Wildcard(Rc<CommInfo>),
    Collective {
        id: CollectiveId,
        is_root: bool,
        awaited: Awaited,
        size: u32,
    },
    /// With `MPI_PROC_NULL`, or of a kind that has no messages here.
    Nothing,
}

/// A request.
#[derive(Debug, Default)]
pub struct Request {
    pub pending: SmallVec<[Pending; 2]>,
    pub persistent: Option<Persistent>,
}

/// The requests of a rank, and the messages that matched probes took.
#[derive(Default)]
pub struct Requests {
    requests: FxHashMap<Slot, Request>,
    taken: FxHashMap<Slot, TransferId>,
}

impl Requests {
    /// A request begins.
    pub fn open(&mut self, slot: Option<Slot>, pending: impl IntoIterator<Item = Pending>) {
        if let Some(slot) = slot {
            let pending = pending.into_iter().collect();
            self.requests.insert(slot, Request { pending, persistent: None });
        }
    }

    /// A persistent request is defined.
    pub fn define(&mut self, slot: Option<Slot>, persistent: Persistent) {
        if let Some(slot) = slot {
            self.requests.insert(slot, Request { pending: SmallVec::new(), persistent: Some(persistent) });
        }
    }

    /// Returns a request.
    pub fn get(&mut self, slot: Slot) -> Option<&mut Request> {
        self.requests.get_mut(&slot)
    }

    /// A request is complete: returns what it needed. One that is not persistent ends.
    pub fn complete(&mut self, slot: Slot) -> Option<SmallVec<[Pending; 2]>> {
        let request = self.requests.get_mut(&slot)?;
        let pending = std::mem::take(&mut request.pending);
        if request.persistent.is_none() {
            self.requests.remove(&slot);
        }
        Some(pending)
    }

    /// A request is freed: returns what it would have needed.
    pub fn free(&mut self, slot: Slot) -> Option<SmallVec<[Pending; 2]>> {
        Some(self.requests.remove(&slot)?.pending)
    }

    /// A matched probe took a message.
    pub fn take(&mut self, slot: Option<Slot>, id: TransferId) {
        if let Some(slot) = slot {
            self.taken.insert(slot, id);
        }
    }

    /// A message that a matched probe took is received.
    pub fn taken(&mut self, slot: Option<Slot>) -> Option<TransferId> {
        self.taken.remove(&slot?)
    }
}
