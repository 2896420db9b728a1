//! Calls that complete requests, or test whether they are complete.

use std::ffi::c_int;

use panto_trace::{Action, CompletionKind, Key, Name, Slot};
use smallvec::SmallVec;

use crate::call_context::{CallContext, int_at, pair};
use crate::interpose::{calls, prepared_calls};
use crate::live::{self, Completion};
use crate::rank::{self, Rank};
use crate::yielding;

/// An argument that a function does not have.
const NONE: usize = 0;

/// The requests of a call that completes some, and memory for their statuses.
pub struct Pending {
    /// The requests that are known and active: the place in the program's list, ascending, and the
    /// slot.
    requests: SmallVec<[(u32, Slot); 8]>,
    statuses: usize,
    /// Statuses in place of the program's `MPI_STATUSES_IGNORE`, where what was matched is
    /// recorded.
    own: Vec<u64>,
    /// Whether MPI fills the statuses.
    has_statuses: bool,
}

impl Pending {
    unsafe fn new(count: usize, list: usize, statuses: usize) -> Self {
        let mut pending = Self { requests: SmallVec::new(), statuses, own: Vec::new(), has_statuses: false };
        rank::with(|rank| pending.fill(rank, (count as c_int).max(0) as usize, list));
        pending
    }

    /// As [`Pending::new`], in a run in virtual time after the simulation has completed requests.
    unsafe fn in_time(completion: Completion) -> Self {
        // SAFETY: as the caller promises.
        unsafe {
            let mut pending = Self::new(completion.count, completion.list, completion.statuses);
            live::complete(Completion { statuses: pending.statuses(), ..completion }, &pending.requests);
            pending
        }
    }

    unsafe fn fill(&mut self, rank: &mut Rank, count: usize, list: usize) {
        let mut is_worth_knowing = false;
        for place in 0..count {
            // SAFETY: the program's list has `count` handles.
            let handle = unsafe { rank.mpi.handle_at(list, place) };
            let Some(slot) = rank.requests.take(handle) else { continue };
            let request = rank.requests.get(slot);
            if request.is_active {
                is_worth_knowing |= request.is_wild || request.is_cancelled;
                self.requests.push((place as u32, slot));
            } else {
                rank.requests.release_slot(slot);
            }
        }
        let constants = &rank.mpi.constants;
        let is_ignored = [constants.status_ignore, constants.statuses_ignore].contains(&self.statuses);
        if is_worth_knowing && is_ignored {
            self.own = vec![0; (count * constants.status.size).div_ceil(8)];
        }
        self.has_statuses = is_worth_knowing || !is_ignored;
    }

    /// Returns the slots of the requests, as an action has them.
    fn slots(&self) -> SmallVec<[i64; 16]> {
        self.requests.iter().map(|(_, slot)| slot.0.into()).collect()
    }

    fn statuses(&mut self) -> usize {
        if self.own.is_empty() { self.statuses } else { self.own.as_mut_ptr() as usize }
    }

    /// Returns the position of a place of the program's list among the active requests.
    fn position(&self, place: c_int) -> Option<usize> {
        let place = u32::try_from(place).ok()?;
        self.requests.binary_search_by_key(&place, |(place, _)| *place).ok()
    }

    /// Returns the positions of completed requests, each with the place of its status.
    unsafe fn done(&self, done: &Done) -> SmallVec<[(usize, usize); 16]> {
        match *done {
            Done::Nothing => SmallVec::new(),
            Done::All => self.requests.iter().map(|(place, _)| *place as usize).enumerate().collect(),
            Done::One(index) => self.position(index).map(|position| (position, 0)).into_iter().collect(),
            Done::Some(count, indices) => (0..count.max(0) as usize)
                .filter_map(|status| {
                    // SAFETY: MPI wrote `count` places there.
                    let index = unsafe { *(indices as *const c_int).add(status) };
                    self.position(index).map(|position| (position, status))
                })
                .collect(),
        }
    }

    /// Returns the key of a call that completed all of these requests, if they are few: their
    /// slots.
    #[inline]
    fn key(&self, name: Name, site: u64) -> Option<Key> {
        let mut key = [0, 0, 0, 0, 0, 0, site];
        key[0] = pair(name.0, self.requests.len() as u32);
        for (position, (_, slot)) in self.requests.iter().enumerate() {
            let place = u16::try_from(slot.0).ok()?;
            *key[..6].get_mut(1 + position / 4)? |= u64::from(place) << (position % 4 * 16);
        }
        Some(key)
    }
}

/// Which requests MPI says are complete.
enum Done {
    All,
    Nothing,
    /// The request at this place of the program's list. There is one status.
    One(c_int),
    /// A number of requests, whose places are in a list at an address.
    Some(c_int, usize),
}

impl CallContext<'_> {
    unsafe fn complete(&mut self, until: CompletionKind, pending: &mut Pending, done: &Done) {
        if self.succeeded() && matches!(done, Done::All) && self.are_plain(pending) {
            return self.complete_plain(until, pending);
        }
        let requests = pending.slots();
        let found_nothing = self.succeeded() && matches!(done, Done::Nothing | Done::Some(0, _));
        // After an error MPI does not say which are complete. All are taken to be: a program that
        // continues rarely uses them again.
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
        let is_test = matches!(
            until,
            CompletionKind::Test
                | CompletionKind::TestAll
                | CompletionKind::TestAny
                | CompletionKind::TestSome
        );
        if is_test && found_nothing {
            self.record_failed_poll(&action);
        } else {
            self.record(&action);
        }
    }

    /// Returns whether there is nothing to record of these requests but that they are complete.
    #[inline]
    fn are_plain(&self, pending: &Pending) -> bool {
        pending.requests.iter().all(|(_, slot)| {
            let request = self.rank.requests.get(*slot);
            !(request.is_wild | request.is_persistent | request.is_cancelled)
        })
    }

    /// Records that all are complete.
    fn complete_plain(&mut self, until: CompletionKind, pending: &Pending) {
        for (_, slot) in &pending.requests {
            self.rank.requests.drop(*slot);
        }
        let key = pending.key(self.name(), self.site_key());
        if key.is_some_and(|key| self.repeat(&key)) {
            return;
        }
        let requests = pending.slots();
        let completed: SmallVec<[i64; 16]> = (0..requests.len() as i64).collect();
        let action = Action::Complete { until, requests: &requests, completed: &completed, outcomes: &[] };
        match key {
            Some(key) => self.record_with_key(key, &action),
            None => self.record(&action),
        }
    }

    unsafe fn add_outcome(
        &self,
        position: usize,
        slot: Slot,
        status: usize,
        outcomes: &mut SmallVec<[i64; 16]>,
    ) {
        const CANCELLED: i64 = -2;
        let request = self.rank.requests.get(slot);
        if !request.is_wild && !request.is_cancelled {
            return;
        }
        // SAFETY: the call succeeded, and such requests have a status that MPI filled.
        let (mut matched, is_cancelled) =
            unsafe { (self.rank.mpi.matched(status), self.rank.mpi.is_cancelled(status)) };
        if is_cancelled {
            matched[0] = CANCELLED;
        } else if !request.is_wild {
            return;
        }
        outcomes.push(position as i64);
        outcomes.extend_from_slice(&matched);
    }

    /// Frees the slots of completed requests, unless they are persistent; the others stay active.
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
                requests.release_slot(*slot);
            }
        }
    }

    unsafe fn all_if(&self, flag: usize) -> Done {
        if self.succeeded() && int_at(flag) != 0 { Done::All } else { Done::Nothing }
    }

    unsafe fn one_if(&self, flag: usize, index: usize) -> Done {
        if self.succeeded() && int_at(flag) != 0 { Done::One(int_at(index)) } else { Done::Nothing }
    }

    /// Records a test that leaves the request as it is (`MPI_Request_get_status`), if it found the
    /// request incomplete: only waiting is recorded.
    unsafe fn get_status(&mut self, request: usize, flag: usize) {
        let Some(slot) = self.rank.requests.peek(self.rank.mpi.handle(request)) else { return };
        if int_at(flag) == 0 {
            let requests = [i64::from(slot.0)];
            let action = Action::Complete {
                until: CompletionKind::Test,
                requests: &requests,
                completed: &[],
                outcomes: &[],
            };
            self.record_failed_poll(&action);
        }
    }
}

calls! {
    MPI_Request_get_status(request, flag, status) => |at| at.get_status(request, flag);
}

prepared_calls! {
    MPI_Wait(request, status)
        before {
            yielding::until_all(1, request);
            Pending::in_time(Completion { count: 1, until: CompletionKind::Wait, list: request, statuses: status, flag: NONE, index: NONE, indices: NONE })
        },
        call |pending| (request, pending.statuses()),
        after |at, pending| at.complete(CompletionKind::Wait, pending, &Done::All);
    MPI_Waitall(count, requests, statuses)
        before {
            yielding::until_all(count, requests);
            Pending::in_time(Completion { count, until: CompletionKind::WaitAll, list: requests, statuses, flag: NONE, index: NONE, indices: NONE })
        },
        call |pending| (count, requests, pending.statuses()),
        after |at, pending| at.complete(CompletionKind::WaitAll, pending, &Done::All);
    MPI_Waitany(count, requests, index, status)
        before {
            yielding::until_any(count, requests);
            Pending::in_time(Completion { count, until: CompletionKind::WaitAny, list: requests, statuses: status, flag: NONE, index, indices: NONE })
        },
        call |pending| (count, requests, index, pending.statuses()),
        after |at, pending| {
            let done = Done::One(int_at(index));
            at.complete(CompletionKind::WaitAny, pending, &done);
        };
    MPI_Waitsome(count, requests, done_count, indices, statuses)
        before {
            yielding::until_any(count, requests);
            Pending::in_time(Completion { count, until: CompletionKind::WaitSome, list: requests, statuses, flag: NONE, index: done_count, indices })
        },
        call |pending| (count, requests, done_count, indices, pending.statuses()),
        after |at, pending| {
            let done = Done::Some(int_at(done_count), indices);
            at.complete(CompletionKind::WaitSome, pending, &done);
        };
    MPI_Test(request, flag, status)
        before Pending::in_time(Completion { count: 1, until: CompletionKind::Test, list: request, statuses: status, flag, index: NONE, indices: NONE }),
        call |pending| (request, flag, pending.statuses()),
        after |at, pending| {
            let done = at.all_if(flag);
            at.complete(CompletionKind::Test, pending, &done);
        };
    MPI_Testall(count, requests, flag, statuses)
        before Pending::in_time(Completion { count, until: CompletionKind::TestAll, list: requests, statuses, flag, index: NONE, indices: NONE }),
        call |pending| (count, requests, flag, pending.statuses()),
        after |at, pending| {
            let done = at.all_if(flag);
            at.complete(CompletionKind::TestAll, pending, &done);
        };
    MPI_Testany(count, requests, index, flag, status)
        before Pending::in_time(Completion { count, until: CompletionKind::TestAny, list: requests, statuses: status, flag, index, indices: NONE }),
        call |pending| (count, requests, index, flag, pending.statuses()),
        after |at, pending| {
            let done = at.one_if(flag, index);
            at.complete(CompletionKind::TestAny, pending, &done);
        };
    MPI_Testsome(count, requests, done_count, indices, statuses)
        before Pending::in_time(Completion { count, until: CompletionKind::TestSome, list: requests, statuses, flag: NONE, index: done_count, indices }),
        call |pending| (count, requests, done_count, indices, pending.statuses()),
        after |at, pending| {
            let done = Done::Some(int_at(done_count), indices);
            at.complete(CompletionKind::TestSome, pending, &done);
        };
}
