//! Looks ahead, for the sake of the cache.
//!
//! What many ranks need does not fit near the processor. It is asked for some turns before, in steps, since each is found by the
//! one before: the ranks themselves; their operations and requests; where those lead; the engine's channels; and what waits there.

use super::Run;
use super::place::Place;
use crate::observe::Observer;
use crate::prefetch;

/// What so few ranks need is near anyway.
const FEW: usize = 1_024;
/// Of no rank are more operations looked at.
const MOST_OPERATIONS: usize = 32;
/// So many operations are in a line of the cache.
const IN_A_LINE: usize = 4;
/// So many requests, at least.
const REQUESTS: usize = 5;

/// Where the next ranks lead: first by channels, then by the engine's names for them.
pub(super) type Leads = [Vec<u32>; 3];

impl<O: Observer> Run<'_, O> {
    /// Before a turn, asks for what coming turns need.
    #[inline]
    pub(super) fn touch_next(&mut self) {
        if self.places.len() <= FEW {
            return;
        }
        if let Some(rank) = self.engine.coming(5) {
            self.engine.touch_rank(rank);
            prefetch::soon(self.places.get(rank as usize));
        }
        if let Some(rank) = self.engine.coming(4) {
            self.touch_operations(&self.places[rank as usize]);
        }
        if let Some(rank) = self.engine.coming(2) {
            self.touch_requests(&self.places[rank as usize]);
        }
        let Self { engine, places, routes, leads, .. } = self;
        leads.rotate_right(1);
        let [third, second, first] = leads;
        third.clear();
        if let Some(rank) = engine.coming(3) {
            each_channel(&places[rank as usize], |channel| {
                routes.touch(channel);
                third.push(channel);
            });
        }
        for lead in second {
            let route = routes.get(*lead);
            engine.touch_channel(route.way);
            engine.touch_rank(route.to);
            *lead = route.way;
        }
        for way in first {
            engine.touch_waiting(*way);
        }
    }

    /// A rank's next operations, also those to which it goes back, and its requests.
    #[inline]
    fn touch_operations(&self, place: &Place) {
        let starts = place.loops.last().map(|innermost| innermost.at).into_iter().chain([place.at]);
        for start in starts {
            for line in 0..MOST_OPERATIONS / IN_A_LINE {
                prefetch::soon(place.ops.get(start as usize + line * IN_A_LINE));
            }
        }
        for slot in place.slots.clone().step_by(REQUESTS).take(MOST_OPERATIONS / REQUESTS) {
            prefetch::soon(self.slots.get(slot));
        }
    }

    #[inline]
    fn touch_requests(&self, place: &Place) {
        let pending = self.slots[place.slots.clone()].iter().take(MOST_OPERATIONS);
        for request in pending.filter_map(|pending| pending.request()) {
            self.engine.touch_request(request);
        }
    }
}

/// The channels of a rank's next operations.
#[inline]
fn each_channel(place: &Place, mut touch: impl FnMut(u32)) {
    let mut at = place.at as usize;
    for _ in 0..MOST_OPERATIONS {
        let Some(&op) = place.ops.get(at) else { return };
        if let Some(channel) = op.channel() {
            touch(channel);
        }
        at = match place.loops.last() {
            // Behind the end of a loop it most likely begins again.
            Some(innermost) if op.is_end() => innermost.at as usize,
            _ => at + 1,
        };
    }
}
