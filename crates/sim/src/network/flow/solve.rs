//! Who gets how much.
//!
//! Progressive filling: all rates grow together until a link is full; its flows keep what they have; the others grow on. Where a
//! share is not a whole number of parts it is rounded down, and links that are full at the same share are full together. So
//! every link has a level, the most that it lets a flow have:
//!
//! - a flow's rate is the least of full speed and the levels of its links;
//! - a link's level is what remains of it, after the flows that others hold below that level, divided among the rest.
//!
//! These equations have one solution, that of progressive filling: the least level of all is the least of capacity / flows,
//! whatever the others are; with its flows taken away the same holds for the next. Hence a solution after a change can be found
//! from the one before it by correcting the links that do not fulfil their equation until there is none; it does not
//! matter in which order, and a correction touches only links with a higher level.

use super::links::Links;
use super::message::Flow;
use super::{FULL, Flows};
use crate::slots::Slots;

/// Memory to use again.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// What the flows of a link may have elsewhere.
    limits: Vec<u64>,
    growing: Vec<u64>,
    /// Flows whose rate may have changed.
    touched: Vec<u32>,
}

impl Flows {
    /// Has anything begun or ended since rates were found?
    #[inline]
    pub(super) fn is_unsolved(&self) -> bool {
        !self.fresh.is_empty() || !self.links.dirty.is_empty()
    }

    /// Finds the rates that hold from now on.
    #[inline]
    pub(super) fn solve(&mut self) {
        if self.is_unsolved() {
            self.find_rates();
        }
    }

    fn find_rates(&mut self) {
        let Self { messages, links, scratch, .. } = self;
        let mut at = 0;
        while at < links.dirty.len() {
            let slot = links.dirty[at];
            at += 1;
            correct(links, messages, scratch, slot);
            links.release(slot);
        }
        links.dirty.clear();
        while let Some(slot) = self.scratch.touched.pop() {
            self.messages[slot].touched = false;
            self.pace(slot);
        }
        while let Some(slot) = self.fresh.pop() {
            self.pace(slot);
        }
    }

    /// Gives a flow its rate.
    #[inline]
    fn pace(&mut self, slot: u32) {
        let flow = &mut self.messages[slot];
        let share = &mut flow.share;
        let rate = share.lowest;
        if rate == share.rate {
            return;
        }
        if share.rate == 0 {
            share.rest = u128::from(share.alone) * u128::from(FULL);
        } else {
            let moved = u128::from(share.rate) * u128::from(self.clock - flow.since);
            share.rest = share.rest.saturating_sub(moved);
        }
        // Most flows are not slowed down, and a long division costs as much as all the rest.
        let is_alone = share.rate == 0 && rate == FULL;
        let time = if is_alone { share.alone } else { time(share.rest, rate) };
        share.rate = rate;
        (flow.since, flow.when) = (self.clock, self.clock.saturating_add(time));
        self.agenda.put(slot, flow);
    }
}

/// The time of so much work at this rate, to the next whole picosecond.
#[inline]
fn time(work: u128, rate: u64) -> u64 {
    match u64::try_from(work) {
        Ok(work) => work.div_ceil(rate),
        Err(_) => u64::try_from(work.div_ceil(rate.into())).unwrap_or(u64::MAX),
    }
}

/// Makes a link fulfil its equation, and calls on those to whom that matters.
fn correct(links: &mut Links, flows: &mut Slots<Flow>, scratch: &mut Scratch, slot: u32) {
    let old = links[slot].level;
    let new = level(links, flows, scratch, slot);
    let link = &mut links[slot];
    link.dirty = false;
    if old == new {
        return;
    }
    link.level = new;
    let least = old.min(new);
    // The list is lent while other links are looked at; nobody joins or leaves meanwhile.
    let members = std::mem::take(&mut link.flows);
    for (member, limit) in members.iter().zip(&scratch.limits) {
        let flow = &mut flows[*member];
        let share = &mut flow.share;
        if new <= *limit {
            (share.lowest, share.second) = (new, *limit);
        } else if share.second < old && *limit < old {
            // The second is another link, too.
            share.second = share.second.min(new);
        } else {
            flow.look_at(links);
        }
        // Whom others hold at `least` or below has felt nothing of this link, before or after.
        if *limit <= least {
            continue;
        }
        if !flow.touched {
            flow.touched = true;
            scratch.touched.push(*member);
        }
        let (from, to) = (old.min(*limit), new.min(*limit));
        for other in flow.links.iter().filter(|other| **other != slot) {
            links.shift(*other, from, to);
        }
    }
    links[slot].flows = members;
}

/// The level of a link, from those of the other links of its flows, which are kept as `limits`.
#[inline]
fn level(links: &mut Links, flows: &Slots<Flow>, scratch: &mut Scratch, slot: u32) -> u64 {
    let link = &links[slot];
    let Scratch { limits, growing, .. } = scratch;
    limits.clear();
    limits.extend(link.flows.iter().map(|flow| flows[*flow].share.limit(link.level)));
    let link = &mut links[slot];
    if !link.is_shared() {
        return FULL;
    }
    link.set_slack(limits.iter().sum());
    if link.slack.is_some() {
        return FULL;
    }
    growing.clone_from(limits);
    fill(link.capacity(), growing)
}

/// Divides `capacity` among flows with these limits; the answer is the most that one may have.
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
    fn what_others_leave_is_divided() {
        let fill = |capacity, limits: &[u64]| fill(capacity, &mut limits.to_vec());
        assert_eq!(fill(100, &[200, 200]), 50);
        assert_eq!(fill(100, &[20, 200, 200]), 40);
        assert_eq!(fill(100, &[20, 35, 200]), 45);
        assert_eq!(fill(100, &[20, 30]), FULL);
        assert_eq!(fill(100, &[33, 200, 200]), 33);
        assert_eq!(fill(100, &[32, 200, 200]), 34);
    }

    #[test]
    fn work_ends_at_a_whole_picosecond() {
        assert_eq!(time(u128::from(FULL) * 7, FULL), 7);
        assert_eq!(time(u128::from(FULL) * 7, FULL / 2), 14);
        assert_eq!(time(u128::from(FULL) * 7 + 1, FULL), 8);
        assert_eq!(time(u128::from(u64::MAX) * u128::from(FULL), 1), u64::MAX);
    }
}
