//! The links that several flows share, and their levels.
//!
//! The *level* of a link is the largest rate that it allows a flow (see [`solve`](super::solve)). A
//! link is *dirty* when its level may have changed.

use panto_machine::Topology;

use super::FULL;
use super::link_table::{LinkTable, LinkUse};
use crate::slab::Slab;

/// The users of all links, and the state of those that flows share.
#[derive(Debug)]
pub(super) struct SharedLinks {
    topology: Topology,
    pub(super) table: LinkTable,
    shared: Slab<SharedLink>,
    /// Links whose level must be recomputed.
    pub(super) dirty: Vec<u32>,
}

/// A link that several flows use, or one flow that shared it before.
#[derive(Debug)]
pub(super) struct SharedLink {
    /// Its index in the table.
    index: u32,
    /// The number of flows that have it on their route.
    users: u32,
    width: u32,
    /// Whether it is the link between a processor and its switch, whose flows are limited by the
    /// processor.
    pub(super) is_port: bool,
    /// The sum of the rates that it can carry.
    pub(super) capacity: u64,
    /// The largest rate that it allows a flow.
    pub(super) level: u64,
    /// The flows that transfer data over it.
    pub(super) flows: Vec<u32>,
    pub(super) dirty: bool,
    /// The sum of its flows' limits elsewhere, if they are so low that this link is no bottleneck.
    /// It is kept up to date, so that most changes elsewhere do not make the link dirty.
    pub(super) slack: Option<u64>,
}

impl Default for SharedLink {
    fn default() -> Self {
        Self {
            index: 0,
            users: 0,
            width: 1,
            is_port: false,
            capacity: FULL,
            level: FULL,
            flows: Vec::new(),
            dirty: false,
            slack: None,
        }
    }
}

impl SharedLink {
    /// Returns whether its flows can slow each other down.
    #[inline]
    pub(super) fn is_shared(&self) -> bool {
        self.flows.len() > self.width as usize
    }

    /// Sets the slack if the sum of its flows' limits fits. Rounding loses at most one unit for
    /// each flow.
    #[inline]
    pub(super) fn set_slack(&mut self, sum: u64) {
        self.slack = (sum.saturating_add(self.flows.len() as u64) <= self.capacity).then_some(sum);
    }
}

impl SharedLinks {
    pub(super) fn new(topology: &Topology) -> Self {
        Self {
            topology: topology.clone(),
            table: LinkTable::new(topology),
            shared: Slab::default(),
            dirty: Vec::new(),
        }
    }

    /// Adds a user to the links of a route, which no flow has exclusively any more, and replaces
    /// their indices by their slots. With ports, the first and the last link are those of
    /// processors.
    pub(super) fn add_route(&mut self, route: &mut [u32], has_ports: bool) {
        let last = route.len().saturating_sub(1);
        for (at, link) in route.iter_mut().enumerate() {
            *link = self.add_user(*link, has_ports && (at == 0 || at == last));
        }
    }

    fn add_user(&mut self, index: u32, is_port: bool) -> u32 {
        let slot = match self.table.users(index) {
            LinkUse::Shared(slot) => slot,
            LinkUse::Idle | LinkUse::Exclusive(_) => {
                let slot = self.shared.reserve();
                let link = &mut self.shared[slot];
                let width = if is_port { 1 } else { self.topology.width(self.table.link(index)) };
                (link.index, link.width, link.is_port) = (index, width, is_port);
                link.capacity = u64::from(width).saturating_mul(FULL);
                self.table.set(index, LinkUse::Shared(slot));
                slot
            }
        };
        self.shared[slot].users += 1;
        slot
    }

    /// Adds a flow that begins to transfer data and that other links limit to `limit`.
    #[inline]
    pub(super) fn join(&mut self, slot: u32, flow: u32, limit: u64) {
        let link = &mut self.shared[slot];
        link.flows.push(flow);
        if let Some(sum) = link.slack {
            link.set_slack(sum + limit);
        }
        if link.is_shared() && link.slack.is_none() {
            self.mark_dirty(slot);
        }
    }

    /// Removes a flow that had this rate.
    #[inline]
    pub(super) fn leave(&mut self, slot: u32, flow: u32, rate: u64) {
        let link = &mut self.shared[slot];
        let was_shared = link.is_shared();
        if let Some(at) = link.flows.iter().position(|other| *other == flow) {
            link.flows.swap_remove(at);
        }
        link.users -= 1;
        if link.is_port && was_shared {
            // The fastest flow may have left.
            self.mark_dirty(slot);
        } else if let Some(sum) = link.slack {
            // The link was no bottleneck, so the rate was the limit.
            link.slack = link.is_shared().then(|| sum.saturating_sub(rate));
        } else if was_shared {
            self.mark_dirty(slot);
        }
        self.release(slot);
    }

    /// Notes that the limit of a flow of this link elsewhere has changed.
    #[inline]
    pub(super) fn limit_changed(&mut self, slot: u32, from: u64, to: u64) {
        let link = &mut self.shared[slot];
        if let Some(sum) = link.slack {
            link.set_slack((sum + to).saturating_sub(from));
        }
        if link.is_shared() && link.slack.is_none() {
            self.mark_dirty(slot);
        }
    }

    /// Marks the level of a link for recomputation.
    #[inline]
    fn mark_dirty(&mut self, slot: u32) {
        let link = &mut self.shared[slot];
        if !link.dirty {
            link.dirty = true;
            link.slack = None;
            self.dirty.push(slot);
        }
    }

    /// Frees a link that has no users.
    #[inline]
    pub(super) fn release(&mut self, slot: u32) {
        let link = &self.shared[slot];
        if link.users > 0 || link.dirty {
            return;
        }
        self.table.free(link.index);
        self.shared.free(slot);
    }
}

impl std::ops::Index<u32> for SharedLinks {
    type Output = SharedLink;
    #[inline]
    fn index(&self, slot: u32) -> &SharedLink {
        &self.shared[slot]
    }
}

impl std::ops::IndexMut<u32> for SharedLinks {
    #[inline]
    fn index_mut(&mut self, slot: u32) -> &mut SharedLink {
        &mut self.shared[slot]
    }
}
