//! Calls that complete requests, or look whether they are complete.

use std::ffi::c_int;

use panto_trace::{Action, Key, Name, Slot, Until};
use smallvec::SmallVec;

use crate::at::{At, int_at, pair};
use crate::patience;
use crate::rank::{self, Rank};
use crate::wrap::{calls, prepared_calls};

/// The requests that a call was given, and room for what it tells of them.
pub struct Pending {
    /// Those that are known and under way: their place in the program's list, and their own. Places ascend.
    requests: SmallVec<[(u32, Slot); 8]>,
    statuses: usize,
    /// In place of the program's, which wants none.
    own: Vec<u64>,
    /// MPI tells of each what came.
    has_statuses: bool,
}

impl Pending {
    fn new(count: usize, list: usize, statuses: usize) -> Self {
        let mut pending = Self { requests: SmallVec::new(), statuses, own: Vec::new(), has_statuses: false };
        rank::with(|rank| pending.fill(rank, (count as c_int).max(0) as usize, list));
        pending
    }

    fn fill(&mut self, rank: &mut Rank, count: usize, list: usize) {
        let mut is_worth_knowing = false;
        for place in 0..count {
            // SAFETY: the program's list has so many.
            let handle = unsafe { rank.mpi.handle_at(list, place) };
            let Some(slot) = rank.requests.take(handle) else { continue };
            let request = rank.requests.get(slot);
            if request.is_active {
                is_worth_knowing |= request.is_wild || request.is_cancelled;
                self.requests.push((place as u32, slot));
            } else {
                rank.requests.give_back(slot);
            }
        }
        let constants = &rank.mpi.constants;
        let is_ignored = [constants.status_ignore, constants.statuses_ignore].contains(&self.statuses);
        if is_worth_knowing && is_ignored {
            self.own = vec![0; (count * constants.status.size).div_ceil(8)];
        }
        self.has_statuses = is_worth_knowing || !is_ignored;
    }

    /// The places of the requests, as an action has them.
    fn slots(&self) -> SmallVec<[i64; 16]> {
        self.requests.iter().map(|(_, slot)| slot.0.into()).collect()
    }

    fn statuses(&mut self) -> usize {
        if self.own.is_empty() { self.statuses } else { self.own.as_mut_ptr() as usize }
    }

    /// The position of a place of the program's list among the requests under way.
    fn position(&self, place: c_int) -> Option<usize> {
        let place = u32::try_from(place).ok()?;
        self.requests.binary_search_by_key(&place, |(place, _)| *place).ok()
    }

    /// Positions of what is complete, each with the place of its status.
    fn done(&self, done: &Done) -> SmallVec<[(usize, usize); 16]> {
        match *done {
            Done::Nothing => SmallVec::new(),
            Done::All => self.requests.iter().map(|(place, _)| *place as usize).enumerate().collect(),
            Done::One(index) => self.position(index).map(|position| (position, 0)).into_iter().collect(),
            Done::Some(count, indices) => (0..count.max(0) as usize)
                .filter_map(|status| {
                    // SAFETY: MPI wrote so many places there.
                    let index = unsafe { *(indices as *const c_int).add(status) };
                    self.position(index).map(|position| (position, status))
                })
                .collect(),
        }
    }

    /// What identifies a call that completed all of these, if they are not many: their places.
    #[inline]
    fn key(&self, name: Name) -> Option<Key> {
        let mut key = [0; 6];
        key[0] = pair(name.0, self.requests.len() as u32);
        for (position, (_, slot)) in self.requests.iter().enumerate() {
            let place = u16::try_from(slot.0).ok()?;
            *key.get_mut(1 + position / 4)? |= u64::from(place) << (position % 4 * 16);
        }
        Some(key)
    }
}

/// What MPI says is complete.
enum Done {
    All,
    Nothing,
    /// The request at this place of the program's list. There is one status.
    One(c_int),
    /// So many; their places are in a list at this address.
    Some(c_int, usize),
}

impl At<'_> {
    fn complete(&mut self, until: Until, pending: &mut Pending, done: &Done) {
        if self.succeeded() && matches!(done, Done::All) && self.are_plain(pending) {
            return self.complete_plain(until, pending);
        }
        let requests = pending.slots();
        let found_nothing = self.succeeded() && matches!(done, Done::Nothing | Done::Some(0, _));
        // After an error MPI does not say which are complete. All are taken to be: a program that goes on rarely uses them again.
        let done = pending.done(if self.succeeded() { done } else { &Done::All });
        let completed: SmallVec<[i64; 16]> = done.iter().map(|(position, _)| *position as i64).collect();
        let mut outcomes: SmallVec<[i64; 16]> = SmallVec::new();
        if self.succeeded() && pending.has_statuses {
            let statuses = pending.statuses();
            for (position, status) in &done {
                let address = statuses + status * self.rank.mpi.constants.status.size;
                self.add_outcome(*position, pending.requests[*position].1, address, &mut outcomes);
            }
        }
        self.settle(pending, &completed);
        let action =
            Action::Complete { until, requests: &requests, completed: &completed, outcomes: &outcomes };
        let is_look = matches!(until, Until::Test | Until::TestAll | Until::TestAny | Until::TestSome);
        if is_look && found_nothing {
            self.emit_failed_look(&action);
        } else {
            self.emit(&action);
        }
    }

    /// Is there nothing to tell of these requests, but that they are complete?
    #[inline]
    fn are_plain(&self, pending: &Pending) -> bool {
        pending.requests.iter().all(|(_, slot)| {
            let request = self.rank.requests.get(*slot);
            !(request.is_wild | request.is_persistent | request.is_cancelled)
        })
    }

    /// All are complete, and there is no more to tell of them.
    fn complete_plain(&mut self, until: Until, pending: &Pending) {
        for (_, slot) in &pending.requests {
            self.rank.requests.drop(*slot);
        }
        let key = pending.key(self.name());
        if key.is_some_and(|key| self.repeat(&key)) {
            return;
        }
        let requests = pending.slots();
        let completed: SmallVec<[i64; 16]> = (0..requests.len() as i64).collect();
        let action = Action::Complete { until, requests: &requests, completed: &completed, outcomes: &[] };
        match key {
            Some(key) => self.emit_with(key, &action),
            None => self.emit(&action),
        }
    }

    fn add_outcome(&self, position: usize, slot: Slot, status: usize, outcomes: &mut SmallVec<[i64; 16]>) {
        const CANCELLED: i64 = -2;
        let request = self.rank.requests.get(slot);
        if !request.is_wild && !request.is_cancelled {
            return;
        }
        // SAFETY: the call succeeded, and such requests have a status that MPI filled.
        let (mut came, is_cancelled) =
            unsafe { (self.rank.mpi.came(status), self.rank.mpi.is_cancelled(status)) };
        if is_cancelled {
            came[0] = CANCELLED;
        } else if !request.is_wild {
            return;
        }
        outcomes.push(position as i64);
        outcomes.extend_from_slice(&came);
    }

    /// Places of completed requests are free again, unless they can be started again; the others are still under way.
    fn settle(&mut self, pending: &Pending, completed: &[i64]) {
        let mut is_done: SmallVec<[bool; 16]> = SmallVec::from_elem(false, pending.requests.len());
        for position in completed {
            is_done[*position as usize] = true;
        }
        let requests = &mut self.rank.requests;
        for ((_, slot), is_done) in pending.requests.iter().zip(is_done).rev() {
            let request = requests.get_mut(*slot);
            if is_done && !request.is_persistent {
                requests.drop(*slot);
            } else {
                request.is_active = !is_done;
                requests.give_back(*slot);
            }
        }
    }

    fn all_if(&self, flag: usize) -> Done {
        if self.succeeded() && int_at(flag) != 0 { Done::All } else { Done::Nothing }
    }

    fn one_if(&self, flag: usize, index: usize) -> Done {
        if self.succeeded() && int_at(flag) != 0 { Done::One(int_at(index)) } else { Done::Nothing }
    }

    /// A look that leaves the request as it is: only waiting for it is worth a note.
    fn look(&mut self, request: usize, flag: usize) {
        let Some(slot) = self.rank.requests.peek(self.rank.mpi.handle(request)) else { return };
        if int_at(flag) == 0 {
            let requests = [i64::from(slot.0)];
            let action =
                Action::Complete { until: Until::Test, requests: &requests, completed: &[], outcomes: &[] };
            self.emit_failed_look(&action);
        }
    }
}

calls! {
    MPI_Request_get_status(request, flag, status) => |at| at.look(request, flag);
}

prepared_calls! {
    MPI_Wait(request, status)
        before {
            patience::for_all(1, request);
            Pending::new(1, request, status)
        },
        call |pending| (request, pending.statuses()),
        after |at, pending| at.complete(Until::Wait, pending, &Done::All);
    MPI_Waitall(count, requests, statuses)
        before {
            patience::for_all(count, requests);
            Pending::new(count, requests, statuses)
        },
        call |pending| (count, requests, pending.statuses()),
        after |at, pending| at.complete(Until::WaitAll, pending, &Done::All);
    MPI_Waitany(count, requests, index, status)
        before {
            patience::for_any(count, requests);
            Pending::new(count, requests, status)
        },
        call |pending| (count, requests, index, pending.statuses()),
        after |at, pending| {
            let done = Done::One(int_at(index));
            at.complete(Until::WaitAny, pending, &done);
        };
    MPI_Waitsome(count, requests, done_count, indices, statuses)
        before {
            patience::for_any(count, requests);
            Pending::new(count, requests, statuses)
        },
        call |pending| (count, requests, done_count, indices, pending.statuses()),
        after |at, pending| {
            let done = Done::Some(int_at(done_count), indices);
            at.complete(Until::WaitSome, pending, &done);
        };
    MPI_Test(request, flag, status)
        before Pending::new(1, request, status),
        call |pending| (request, flag, pending.statuses()),
        after |at, pending| {
            let done = at.all_if(flag);
            at.complete(Until::Test, pending, &done);
        };
    MPI_Testall(count, requests, flag, statuses)
        before Pending::new(count, requests, statuses),
        call |pending| (count, requests, flag, pending.statuses()),
        after |at, pending| {
            let done = at.all_if(flag);
            at.complete(Until::TestAll, pending, &done);
        };
    MPI_Testany(count, requests, index, flag, status)
        before Pending::new(count, requests, status),
        call |pending| (count, requests, index, flag, pending.statuses()),
        after |at, pending| {
            let done = at.one_if(flag, index);
            at.complete(Until::TestAny, pending, &done);
        };
    MPI_Testsome(count, requests, done_count, indices, statuses)
        before Pending::new(count, requests, statuses),
        call |pending| (count, requests, done_count, indices, pending.statuses()),
        after |at, pending| {
            let done = Done::Some(int_at(done_count), indices);
            at.complete(Until::TestSome, pending, &done);
        };
}
