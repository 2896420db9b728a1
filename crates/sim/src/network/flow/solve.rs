//! The incremental max-min solver.
//!
//! Progressive filling gives every link a *level*, the largest rate that it allows a flow. Shares
//! are rounded down to whole units, and links that saturate at the same share saturate together.
//! Then:
//!
//! - the rate of a flow is the minimum of its largest rate and the levels of its links;
//! - the level of a link is the capacity that remains after the flows that other links limit to
//!   less, divided among the rest.
//!
//! These equations have one solution, that of progressive filling: the least level is the minimum
//! of capacity / flows, whatever the others are; with its flows removed, the same holds for the
//! next. Hence, after a change, the new solution follows from the old one by correcting links that
//! violate their equation until there are none. The order of corrections does not matter, and a
//! correction affects only links with a higher level.

use super::shared_links::SharedLinks;
use super::state::Flow;
use super::{FULL, Flows};
use crate::slab::Slab;

/// Scratch vectors, kept for their allocation.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The rates that other links allow the flows of a link.
    limits: Vec<u64>,
    /// The limits of the flows that [`fill`] has not fixed yet.
    unfixed: Vec<u64>,
    /// Flows whose rate may have changed.
    marked: Vec<u32>,
}

impl Flows {
    /// Returns whether flows have begun or ended since the last solution.
    #[inline]
    pub(super) fn is_unsolved(&self) -> bool {
        !self.unrated.is_empty() || !self.links.dirty.is_empty()
    }

    /// Updates all rates if anything has changed.
    #[inline]
    pub(super) fn solve(&mut self) {
        if self.is_unsolved() {
            self.update();
        }
    }

    fn update(&mut self) {
        let Self { messages, links, scratch, .. } = self;
        let mut at = 0;
        while at < links.dirty.len() {
            let slot = links.dirty[at];
            at += 1;
            correct(links, messages, scratch, slot);
            links.release(slot);
        }
        links.dirty.clear();
        while let Some(slot) = self.scratch.marked.pop() {
            self.messages[slot].is_marked = false;
            self.update_rate(slot);
        }
        while let Some(slot) = self.unrated.pop() {
            self.update_rate(slot);
        }
    }

    /// Updates the rate and the end of a flow.
    #[inline]
    fn update_rate(&mut self, slot: u32) {
        let flow = &mut self.messages[slot];
        let share = &mut flow.share;
        let rate = share.lowest;
        if rate == share.rate {
            return;
        }
        if share.rate == 0 {
            share.remaining = u128::from(share.duration) * u128::from(FULL);
        } else {
            let moved = u128::from(share.rate) * u128::from(self.clock - flow.since);
            share.remaining = share.remaining.saturating_sub(moved);
        }
        // Most flows have their largest rate, and a 128-bit division costs as much as the rest of
        // this function.
        let is_alone = share.rate == 0 && rate == share.most;
        let time = if is_alone { share.alone } else { time(share.remaining, rate) };
        share.rate = rate;
        (flow.since, flow.next_event) = (self.clock, self.clock.saturating_add(time));
        self.events.schedule(slot, flow);
    }
}

/// The time of work at a rate, rounded up to whole picoseconds.
#[inline]
fn time(work: u128, rate: u64) -> u64 {
    match u64::try_from(work) {
        Ok(work) => work.div_ceil(rate),
        Err(_) => u64::try_from(work.div_ceil(rate.into())).unwrap_or(u64::MAX),
    }
}

/// Corrects the level of a link, and marks the flows and links that it affects.
fn correct(links: &mut SharedLinks, flows: &mut Slab<Flow>, scratch: &mut Scratch, slot: u32) {
    let old = links[slot].level;
    let new = level(links, flows, scratch, slot);
    let link = &mut links[slot];
    link.dirty = false;
    if old == new {
        return;
    }
    link.level = new;
    let least = old.min(new);
    // The list is taken out while other links are modified; no flow joins or leaves meanwhile.
    let members = std::mem::take(&mut link.flows);
    for (member, limit) in members.iter().zip(&scratch.limits) {
        let flow = &mut flows[*member];
        let share = &mut flow.share;
        if new <= *limit {
            (share.lowest, share.second) = (new, *limit);
        } else if share.second < old && *limit < old {
            // Both lowest levels are those of other links.
            share.second = share.second.min(new);
        } else {
            flow.update_limits(links);
        }
        // Flows that other links limit to `least` or below are not affected by this one.
        if *limit <= least {
            continue;
        }
        if !flow.is_marked {
            flow.is_marked = true;
            scratch.marked.push(*member);
        }
        let (from, to) = (old.min(*limit), new.min(*limit));
        for other in flow.links.iter().filter(|other| **other != slot) {
            links.limit_changed(*other, from, to);
        }
    }
    links[slot].flows = members;
}

/// The level of a link, from those of the other links of its flows, which are left in `limits`.
#[inline]
fn level(links: &mut SharedLinks, flows: &Slab<Flow>, scratch: &mut Scratch, slot: u32) -> u64 {
    let link = &links[slot];
    let Scratch { limits, unfixed, .. } = scratch;
    limits.clear();
    limits.extend(link.flows.iter().map(|flow| flows[*flow].share.limit(link.level)));
    let link = &mut links[slot];
    if !link.is_shared() {
        return FULL;
    }
    if link.is_port {
        // A processor is as fast as the fastest of its flows.
        link.capacity = link.flows.iter().map(|flow| flows[*flow].share.most).max().unwrap_or(FULL);
    }
    link.set_slack(limits.iter().sum());
    if link.slack.is_some() {
        return FULL;
    }
    unfixed.clone_from(limits);
    fill(link.capacity, unfixed)
}

/// Divides `capacity` among flows with these limits by progressive filling; returns the level.
fn fill(mut capacity: u64, limits: &mut Vec<u64>) -> u64 {
    loop {
        let Some(share) = capacity.checked_div(limits.len() as u64) else { return FULL };
        let before = limits.len();
        limits.retain(|limit| {
            let stays = *limit >= share;
            if !stays {
                capacity -= limit;
            }
            stays
        });
        if limits.len() == before {
            return share.min(FULL);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_shares_are_redistributed() {
        let fill = |capacity, limits: &[u64]| fill(capacity, &mut limits.to_vec());
        assert_eq!(fill(100, &[200, 200]), 50);
        assert_eq!(fill(100, &[20, 200, 200]), 40);
        assert_eq!(fill(100, &[20, 35, 200]), 45);
        assert_eq!(fill(100, &[20, 30]), FULL);
        assert_eq!(fill(100, &[33, 200, 200]), 33);
        assert_eq!(fill(100, &[32, 200, 200]), 34);
    }

    #[test]
    fn times_round_up_to_whole_picoseconds() {
        assert_eq!(time(u128::from(FULL) * 7, FULL), 7);
        assert_eq!(time(u128::from(FULL) * 7, FULL / 2), 14);
        assert_eq!(time(u128::from(FULL) * 7 + 1, FULL), 8);
        assert_eq!(time(u128::from(u64::MAX) * u128::from(FULL), 1), u64::MAX);
    }
}
