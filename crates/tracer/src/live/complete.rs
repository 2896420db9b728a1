//! Completion of requests in virtual time.

use std::ffi::c_int;

use panto_coupling::message::{Question, TestKind};
use panto_trace::{Action, CompletionKind, Slot};

use super::calls::with_call;
use super::data::mpi;
use super::{is_on, persistent, real, waiting, with};
use crate::call_context::CallContext;

/// The arguments of a call that completes requests. Addresses that the function does not have are
/// 0.
#[derive(Clone, Copy)]
pub struct Completion {
    pub until: CompletionKind,
    /// The number of requests.
    pub count: usize,
    /// The program's list of requests.
    pub list: usize,
    /// Where the statuses are written; or a value that means none.
    pub statuses: usize,
    /// Where it is written whether requests are complete.
    pub flag: usize,
    /// Where the index of the request, or the number of requests, is written.
    pub index: usize,
    /// Where the indices of several requests are written.
    pub indices: usize,
}

/// Carries out a call that completes requests. `requests` has the place and the slot of each active
/// one.
///
/// # Safety
/// These must be the program's arguments of the call.
pub unsafe fn complete(completion: Completion, requests: &[(u32, Slot)]) {
    if !is_on() {
        return;
    }
    let kind = match completion.until {
        // SAFETY: as the caller promises.
        CompletionKind::Wait | CompletionKind::WaitAll => return unsafe { wait_all(completion, requests) },
        CompletionKind::WaitAny => TestKind::WaitAny,
        CompletionKind::WaitSome => TestKind::WaitSome,
        CompletionKind::Test | CompletionKind::TestAny => TestKind::TestAny,
        CompletionKind::TestAll => TestKind::TestAll,
        CompletionKind::TestSome => TestKind::TestSome,
    };
    if requests.is_empty() {
        return;
    }
    let completed = with_call(|at| at.test(completion.until, kind, requests));
    // SAFETY: as the caller promises.
    unsafe { completion.finish(requests, &completed) };
}

/// Waits for all requests.
unsafe fn wait_all(completion: Completion, requests: &[(u32, Slot)]) {
    with_call(|at| {
        let all: Vec<u32> = (0..requests.len() as u32).collect();
        at.report_completion(completion.until, requests, &all);
        let is_deferred = |live: &super::Live| requests.iter().any(|(_, slot)| live.deferred.contains(*slot));
        if at.rank.live.as_deref().is_some_and(is_deferred) {
            at.ask(&Question::Clock);
        }
    });
    with(|_, live| requests.iter().for_each(|(_, slot)| live.finish(*slot)));
    let mut code = 0;
    for place in 0..(completion.count as c_int).max(0) as usize {
        // SAFETY: the program's lists have `count` entries. Those that are not active complete at
        // once.
        let one = unsafe { completion.wait(place, place) };
        code = if code == 0 { one } else { code };
    }
    for (place, slot) in requests {
        // SAFETY: as the caller promises.
        unsafe { persistent::write_status(*slot, completion.status(*place as usize), false) };
    }
    with(|_, live| live.outcome = Some(code));
}

/// Tests whether a request is complete without completing it (`MPI_Request_get_status`).
pub fn get_status(words: &[usize], real: &mut dyn FnMut() -> c_int) -> c_int {
    let &[request, flag, status] = words else { super::leave() };
    let slot = with(|rank, _| rank.requests.peek(rank.mpi.handle(request)));
    let Some(slot) = slot else { return real() };
    let is_complete = with_call(|at| {
        at.report_computation();
        let reply = at.ask(&Question::Test(TestKind::TestAny, vec![slot.0]));
        if reply.completed.is_empty() {
            at.set_failed_poll();
        }
        !reply.completed.is_empty()
    });
    if !is_complete {
        // SAFETY: the program's flag.
        unsafe { write(flag, 0) };
        return 0;
    }
    with(|_, live| live.finish(slot));
    let mut code = 0;
    waiting::until(|| {
        code = real();
        // SAFETY: MPI has written the program's flag.
        code != 0 || unsafe { *(flag as *const c_int) } != 0
    });
    // SAFETY: the program's status.
    unsafe { persistent::write_status(slot, status, true) };
    code
}

/// Cancels a request (`MPI_Cancel`): a receive that no message has matched in virtual time. What is
/// matched is not cancelled, and sends never are.
pub fn cancel(words: &[usize]) -> c_int {
    // SAFETY: the program's request.
    let (slot, handle) = with(|rank, _| unsafe {
        let handle = rank.mpi.handle_at(words[0], 0);
        (rank.requests.peek(handle).filter(|slot| rank.requests.get(*slot).is_receive), handle)
    });
    let Some(slot) = slot else { return 0 };
    let is_cancelled = with_call(|at| {
        at.report_computation();
        !at.ask(&Question::Cancel(slot.0)).completed.is_empty()
    });
    if !is_cancelled {
        return 0;
    }
    if with(|_, live| live.deferred.contains(slot)) {
        with(|_, live| live.cancel(slot));
        return 0;
    }
    // SAFETY: the program's request.
    let code = unsafe { real::cancel(words[0]) };
    if code == 0 && !is_really_cancelled(handle) {
        with(|_, live| live.refuse(TOO_LATE));
    }
    code
}

/// Why a run ends if the real MPI has a message that is not there yet in virtual time.
const TOO_LATE: &str = "the message has been received on this host, but not in virtual time: it cannot be \
                        given back";

/// Waits until a real receive is complete, which `MPI_Cancel` was called for; returns whether it
/// was cancelled.
fn is_really_cancelled(handle: usize) -> bool {
    let mut status = [0_u64; 8];
    let status = status.as_mut_ptr() as usize;
    let mut code = 0;
    waiting::until(|| {
        let mut flag: c_int = 0;
        // SAFETY: the request is active; the flag and the status are local variables.
        code = unsafe { real::request_get_status(handle, &raw mut flag as usize, status) };
        code != 0 || flag != 0
    });
    // SAFETY: MPI has filled the status.
    code == 0 && unsafe { mpi().is_cancelled(status) }
}

impl CallContext<'_> {
    fn report_completion(&mut self, until: CompletionKind, requests: &[(u32, Slot)], completed: &[u32]) {
        let requests: Vec<i64> = requests.iter().map(|(_, slot)| slot.0.into()).collect();
        let completed: Vec<i64> = completed.iter().map(|position| i64::from(*position)).collect();
        self.report(&Action::Complete { until, requests: &requests, completed: &completed, outcomes: &[] });
    }

    /// Asks which requests are complete; returns their positions.
    fn test(&mut self, until: CompletionKind, kind: TestKind, requests: &[(u32, Slot)]) -> Vec<u32> {
        self.report_computation();
        let slots = requests.iter().map(|(_, slot)| slot.0).collect();
        let reply = self.ask(&Question::Test(kind, slots));
        if reply.completed.is_empty() {
            self.set_failed_poll();
        }
        self.report_completion(until, requests, &reply.completed);
        reply.completed
    }
}

impl Completion {
    /// Returns the address of a status in the program's list, or the value that means none.
    fn status(&self, place: usize) -> usize {
        let constants = &mpi().constants;
        let are_ignored = [constants.status_ignore, constants.statuses_ignore].contains(&self.statuses);
        if are_ignored { constants.status_ignore } else { self.statuses + place * constants.status.size }
    }

    /// Completes the real request at a place of the list; its status is the one at another place.
    unsafe fn wait(&self, place: usize, status: usize) -> c_int {
        // SAFETY: the caller promises that both lists are long enough.
        unsafe { real::wait(self.list + place * handle_size(), self.status(status)) }
    }

    /// Completes the requests at these positions, and writes what the program's call writes.
    unsafe fn finish(&self, requests: &[(u32, Slot)], completed: &[u32]) {
        let has_places = self.until == CompletionKind::TestAll;
        let mut code = 0;
        for (number, position) in completed.iter().enumerate() {
            let (place, slot) = requests[*position as usize];
            with(|_, live| live.finish(slot));
            // SAFETY: the program's lists are long enough for its requests.
            unsafe {
                let status = if has_places { place as usize } else { number };
                let one = self.wait(place as usize, status);
                persistent::write_status(slot, self.status(status), false);
                code = if code == 0 { one } else { code };
                if self.indices != 0 {
                    *(self.indices as *mut c_int).add(number) = place as c_int;
                }
            }
        }
        let first = completed.first().map(|position| requests[*position as usize].0 as c_int);
        // SAFETY: addresses that the function has are the program's.
        unsafe {
            write(self.flag, first.is_some().into());
            let is_some = self.indices != 0;
            let none = mpi().constants.undefined;
            let index = if is_some { completed.len() as c_int } else { first.unwrap_or(none) };
            write(self.index, index);
        }
        with(|_, live| live.outcome = Some(code));
    }
}

/// Writes an `int` to an address, if the function has it.
unsafe fn write(address: usize, value: c_int) {
    if address != 0 {
        // SAFETY: the caller promises that it is the program's.
        unsafe { *(address as *mut c_int) = value };
    }
}

/// Bytes of a handle in an array of the program.
fn handle_size() -> usize {
    if mpi().abi == panto_mpi::Abi::Mpich { 4 } else { 8 }
}
