//! The requests of a rank that is generated.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::call::What;
use crate::program::Takes;

#[derive(Debug, Clone, Copy)]
struct Request {
    slot: u32,
    class: usize,
    is_persistent: bool,
    is_active: bool,
}

/// Requests in the order in which they were made. A request has the lowest free slot.
#[derive(Debug, Default)]
pub struct Requests {
    live: Vec<Request>,
    free: BinaryHeap<Reverse<u32>>,
    slots: u32,
}

impl Requests {
    /// Makes a request and returns its slot.
    pub fn make(&mut self, class: usize, is_persistent: bool) -> u32 {
        let slot = self.free.pop().map_or_else(
            || {
                self.slots += 1;
                self.slots - 1
            },
            |Reverse(slot)| slot,
        );
        self.live.push(Request { slot, class, is_persistent, is_active: !is_persistent });
        slot
    }

    /// Starts, completes or frees requests; returns their slots.
    pub fn take(&mut self, takes: &Takes, what: What) -> Vec<i64> {
        let wants_active = what != What::Start;
        let is_wanted = |request: &Request| what == What::Free || request.is_active == wants_active;
        let chosen: Vec<u32> = if takes.is_all {
            self.live.iter().filter(|request| is_wanted(request)).map(|request| request.slot).collect()
        } else {
            let of = |(class, place): &(usize, u32)| {
                let same = self.live.iter().filter(|request| request.class == *class);
                same.map(|request| request.slot).nth(*place as usize)
            };
            takes.requests.iter().filter_map(of).collect()
        };
        self.change(&chosen, what);
        chosen.into_iter().map(i64::from).collect()
    }

    fn change(&mut self, chosen: &[u32], what: What) {
        let mut is_chosen = vec![false; self.slots as usize];
        for slot in chosen {
            is_chosen[*slot as usize] = true;
        }
        let free = &mut self.free;
        self.live.retain_mut(|request| {
            if !is_chosen[request.slot as usize] {
                return true;
            }
            let stays = what == What::Start || (request.is_persistent && what != What::Free);
            request.is_active = what == What::Start;
            if !stays {
                free.push(Reverse(request.slot));
            }
            stays
        });
    }
}
