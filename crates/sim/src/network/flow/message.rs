//! A message under way.

use smallvec::SmallVec;

use super::FULL;
use super::agenda::Entry;
use super::links::Links;
use crate::network::Ticket;

/// How far a flow is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It has its links to itself, from its start to its end.
    #[default]
    Alone,
    /// It shares links, and does not move yet,
    Waiting,
    /// or does.
    Moving,
}

/// A message under way.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Flow {
    pub(super) ticket: Ticket,
    pub(super) state: State,
    /// Its rate may have changed.
    pub(super) touched: bool,
    pub(super) order: u64,
    /// When it begins to move, if it waits, or has moved.
    pub(super) when: u64,
    /// Since when it moves at its rate; alone: will move.
    pub(super) since: u64,
    /// Its links: alone by their places, else by their slots.
    pub(super) links: SmallVec<[u32; 6]>,
    /// What is used only if it is not alone.
    pub(super) share: Share,
}

/// What a flow has of links that it shares.
#[derive(Debug, Default)]
pub(super) struct Share {
    /// The time that its bytes take alone.
    pub(super) alone: u64,
    /// The lowest level of its links, and the lowest of the others, both at most [`FULL`].
    pub(super) lowest: u64,
    pub(super) second: u64,
    /// How fast it moves.
    pub(super) rate: u64,
    /// What is left to move of `alone`, in parts of full speed.
    pub(super) rest: u128,
}

// A flow that meets nobody touches one line of the cache.
const _: () = assert!(size_of::<Flow>() == 128 && std::mem::offset_of!(Flow, share) == 64);

impl Flow {
    /// Is this what happens to it next?
    #[inline]
    pub(super) fn expects(&self, entry: &Entry) -> bool {
        (self.when, self.order) == (entry.time, entry.order)
    }

    /// Nothing happens to it any more.
    #[inline]
    pub(super) fn forget(&mut self) {
        self.order = u64::MAX;
    }

    /// Finds the lowest levels of its links.
    pub(super) fn look_at(&mut self, links: &Links) {
        let share = &mut self.share;
        (share.lowest, share.second) = (FULL, FULL);
        for link in &self.links {
            let level = links[*link].level;
            share.second = share.second.min(level.max(share.lowest));
            share.lowest = share.lowest.min(level);
        }
    }
}

impl Share {
    /// What the links other than one of this level let the flow have.
    #[inline]
    pub(super) fn limit(&self, level: u64) -> u64 {
        if level == self.lowest { self.second } else { self.lowest }
    }
}
