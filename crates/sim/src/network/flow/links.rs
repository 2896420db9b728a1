//! The links that flows are on.

use panto_machine::Topology;

use super::FULL;
use super::places::{Places, Users};
use crate::slots::Slots;

/// The links that flows use, and what is known of those that several use.
#[derive(Debug)]
pub(super) struct Links {
    topology: Topology,
    pub(super) places: Places,
    shared: Slots<Link>,
    /// Links whose share must be found anew.
    pub(super) dirty: Vec<u32>,
}

/// A link that several flows use, or did until one was left.
#[derive(Debug)]
pub(super) struct Link {
    place: u32,
    /// How many flows have it on their route.
    users: u32,
    pub(super) width: u32,
    /// The most that it lets a flow have.
    pub(super) level: u64,
    /// Flows that move.
    pub(super) flows: Vec<u32>,
    pub(super) dirty: bool,
    /// It is shared, but others hold its flows so low that it holds nobody: then the sum of those limits is kept up to date, so
    /// that most changes elsewhere need no second look.
    pub(super) slack: Option<u64>,
}

impl Default for Link {
    fn default() -> Self {
        Self { place: 0, users: 0, width: 1, level: FULL, flows: Vec::new(), dirty: false, slack: None }
    }
}

impl Link {
    /// Can its flows slow each other down?
    #[inline]
    pub(super) fn is_shared(&self) -> bool {
        self.flows.len() > self.width as usize
    }

    /// What it can carry.
    #[inline]
    pub(super) fn capacity(&self) -> u64 {
        u64::from(self.width).saturating_mul(FULL)
    }

    /// `sum` is that of its flows' limits. A part of a share is lost for each of them at most.
    #[inline]
    pub(super) fn set_slack(&mut self, sum: u64) {
        self.slack = (sum.saturating_add(self.flows.len() as u64) <= self.capacity()).then_some(sum);
    }
}

impl Links {
    pub(super) fn new(topology: &Topology) -> Self {
        Self {
            topology: topology.clone(),
            places: Places::new(topology),
            shared: Slots::default(),
            dirty: Vec::new(),
        }
    }

    /// One more flow will use the link of this place, of which no flow thinks that it has it to itself. The answer is its slot.
    pub(super) fn hold(&mut self, place: u32) -> u32 {
        let slot = match self.places.users(place) {
            Users::Many(slot) => slot,
            Users::Nobody | Users::One(_) => {
                let slot = self.shared.take();
                let link = &mut self.shared[slot];
                (link.place, link.width) = (place, self.topology.width(self.places.link(place)));
                self.places.set(place, Users::Many(slot));
                slot
            }
        };
        self.shared[slot].users += 1;
        slot
    }

    /// A flow that other links hold at `limit` begins to move over the link.
    #[inline]
    pub(super) fn join(&mut self, slot: u32, flow: u32, limit: u64) {
        let link = &mut self.shared[slot];
        link.flows.push(flow);
        if let Some(sum) = link.slack {
            link.set_slack(sum + limit);
        }
        if link.is_shared() && link.slack.is_none() {
            self.soil(slot);
        }
    }

    /// A flow has moved at this rate, and uses the link no more.
    #[inline]
    pub(super) fn leave(&mut self, slot: u32, flow: u32, rate: u64) {
        let link = &mut self.shared[slot];
        let was_shared = link.is_shared();
        if let Some(at) = link.flows.iter().position(|other| *other == flow) {
            link.flows.swap_remove(at);
        }
        link.users -= 1;
        if let Some(sum) = link.slack {
            // It held nobody, so the rate was the limit.
            link.slack = link.is_shared().then(|| sum.saturating_sub(rate));
        } else if was_shared {
            self.soil(slot);
        }
        self.release(slot);
    }

    /// The limit of a flow of this link went from one level to another.
    #[inline]
    pub(super) fn shift(&mut self, slot: u32, from: u64, to: u64) {
        let link = &mut self.shared[slot];
        if let Some(sum) = link.slack {
            link.set_slack((sum + to).saturating_sub(from));
        }
        if link.is_shared() && link.slack.is_none() {
            self.soil(slot);
        }
    }

    /// The link's share must be found anew.
    #[inline]
    fn soil(&mut self, slot: u32) {
        let link = &mut self.shared[slot];
        if !link.dirty {
            link.dirty = true;
            link.slack = None;
            self.dirty.push(slot);
        }
    }

    /// Forgets the link if nobody uses it.
    #[inline]
    pub(super) fn release(&mut self, slot: u32) {
        let link = &self.shared[slot];
        if link.users > 0 || link.dirty {
            return;
        }
        self.places.free(link.place);
        self.shared.give_back(slot);
    }
}

impl std::ops::Index<u32> for Links {
    type Output = Link;
    #[inline]
    fn index(&self, slot: u32) -> &Link {
        &self.shared[slot]
    }
}

impl std::ops::IndexMut<u32> for Links {
    #[inline]
    fn index_mut(&mut self, slot: u32) -> &mut Link {
        &mut self.shared[slot]
    }
}
