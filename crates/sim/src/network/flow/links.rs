//! The links that flows are on.

use panto_machine::{LinkId, Topology};
use rustc_hash::FxHashMap;

use super::FULL;
use crate::network::channels::MOST_DENSE;
use crate::slots::Slots;

/// The links that somebody uses.
#[derive(Debug)]
pub(super) struct Links {
    numbers: Numbers,
    used: Slots<Link>,
    /// Links whose share must be found anew.
    pub(super) dirty: Vec<u32>,
}

/// From a link to 1 + its slot.
#[derive(Debug)]
enum Numbers {
    Dense(Vec<u32>),
    Sparse(FxHashMap<LinkId, u32>),
}

/// A link that somebody uses.
#[derive(Debug)]
pub(super) struct Link {
    id: LinkId,
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
        Self { id: LinkId(0), users: 0, width: 1, level: FULL, flows: Vec::new(), dirty: false, slack: None }
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
        let numbers = if topology.links() <= MOST_DENSE {
            Numbers::Dense(vec![0; topology.links() as usize])
        } else {
            Numbers::Sparse(FxHashMap::default())
        };
        Self { numbers, used: Slots::default(), dirty: Vec::new() }
    }

    /// One more flow will use the link.
    #[inline]
    pub(super) fn hold(&mut self, topology: &Topology, id: LinkId) -> u32 {
        let number = match &mut self.numbers {
            Numbers::Dense(numbers) => &mut numbers[id.0 as usize],
            Numbers::Sparse(numbers) => numbers.entry(id).or_default(),
        };
        if *number == 0 {
            let slot = self.used.take();
            *number = slot + 1;
            let link = &mut self.used[slot];
            (link.id, link.width) = (id, topology.width(id));
        }
        self.used[*number - 1].users += 1;
        *number - 1
    }

    /// A flow that other links hold at `limit` begins to move over the link.
    #[inline]
    pub(super) fn join(&mut self, slot: u32, flow: u32, limit: u64) {
        let link = &mut self.used[slot];
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
        let link = &mut self.used[slot];
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
        let link = &mut self.used[slot];
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
        let link = &mut self.used[slot];
        if !link.dirty {
            link.dirty = true;
            link.slack = None;
            self.dirty.push(slot);
        }
    }

    /// Forgets the link if nobody uses it.
    #[inline]
    pub(super) fn release(&mut self, slot: u32) {
        let link = &self.used[slot];
        if link.users > 0 || link.dirty {
            return;
        }
        match &mut self.numbers {
            Numbers::Dense(numbers) => numbers[link.id.0 as usize] = 0,
            Numbers::Sparse(numbers) => {
                numbers.remove(&link.id);
            }
        }
        self.used.give_back(slot);
    }
}

impl std::ops::Index<u32> for Links {
    type Output = Link;
    #[inline]
    fn index(&self, slot: u32) -> &Link {
        &self.used[slot]
    }
}

impl std::ops::IndexMut<u32> for Links {
    #[inline]
    fn index_mut(&mut self, slot: u32) -> &mut Link {
        &mut self.used[slot]
    }
}
