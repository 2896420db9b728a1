//! The state of a flow.

use smallvec::SmallVec;

use super::event_list::Entry;
use super::shared_links::SharedLinks;
use crate::network::Ticket;

/// The phase of a flow.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It has its links to itself, from its start to its end.
    #[default]
    Exclusive,
    /// It shares links, and its data does not move yet: header and start-ups pass first.
    Waiting,
    /// It shares links, and its data moves.
    Moving,
}

/// A message in the network.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Flow {
    pub(super) ticket: Ticket,
    pub(super) state: State,
    /// Whether its rate may have changed.
    pub(super) is_marked: bool,
    pub(super) order: u64,
    /// The time of its next event: when its data begins to move, or has moved.
    pub(super) next_event: u64,
    /// When its data began to move at its current rate; while it is exclusive, when it begins to
    /// move.
    pub(super) since: u64,
    /// Its links: while it is exclusive by index in the table, else by slot of the shared links.
    pub(super) links: SmallVec<[u32; 6]>,
    /// Used only while it shares links.
    pub(super) share: Share,
}

/// The share of a flow that is not exclusive; rates in units of [`FULL`](super::FULL).
#[derive(Debug, Default)]
pub(super) struct Share {
    /// The time of its data at full speed, in picoseconds.
    pub(super) duration: u64,
    /// The time of its data at its largest rate, in picoseconds.
    pub(super) alone: u64,
    /// Its largest rate, at most [`FULL`](super::FULL).
    pub(super) most: u64,
    /// The lowest level of its links, at most its largest rate.
    pub(super) lowest: u64,
    /// The lowest level of its other links, at most its largest rate.
    pub(super) second: u64,
    /// Its rate.
    pub(super) rate: u64,
    /// The remaining work: picoseconds at full speed, times [`FULL`](super::FULL).
    pub(super) remaining: u128,
}

// An exclusive flow accesses one cache line only.
const _: () = assert!(size_of::<Flow>() == 128 && std::mem::offset_of!(Flow, share) == 64);

impl Flow {
    /// Returns whether an entry of the event list is this flow's current one.
    #[inline]
    pub(super) fn is_current(&self, entry: &Entry) -> bool {
        (self.next_event, self.order) == (entry.time, entry.order)
    }

    /// Invalidates all of its entries in the event list.
    #[inline]
    pub(super) fn invalidate(&mut self) {
        self.order = u64::MAX;
    }

    /// Determines the lowest levels of its links.
    pub(super) fn update_limits(&mut self, links: &SharedLinks) {
        let share = &mut self.share;
        (share.lowest, share.second) = (share.most, share.most);
        for link in &self.links {
            let level = links[*link].level;
            share.second = share.second.min(level.max(share.lowest));
            share.lowest = share.lowest.min(level);
        }
    }
}

impl Share {
    /// The rate that its links allow, except for one of this level.
    #[inline]
    pub(super) fn limit(&self, level: u64) -> u64 {
        if level == self.lowest { self.second } else { self.lowest }
    }
}
