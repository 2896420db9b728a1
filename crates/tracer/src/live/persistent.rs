//! Persistent receives with wildcards.
//!
//! The program's request is that of a persistent receive from `MPI_PROC_NULL`, which is complete as
//! soon as it is started. Each start posts a deferred receive (`placeholder`) for it. When that is
//! complete, its status replaces the one that the real MPI gave the program.

use std::collections::BTreeMap;
use std::ffi::c_int;

use panto_trace::Slot;

use super::data::mpi;
use super::placeholder::ReceiveArguments;
use super::{Live, real, with};
use crate::call_context::is_wild;

/// A status of any ABI.
pub type StatusBytes = [u64; 8];

/// The persistent receives with wildcards of this rank, by slot.
#[derive(Default)]
pub struct PersistentReceives {
    defined: BTreeMap<u32, ReceiveArguments>,
    /// The statuses of those that are complete, until the program gets them.
    statuses: BTreeMap<u32, StatusBytes>,
}

impl PersistentReceives {
    /// Keeps the status of a receive that is complete.
    pub fn complete(&mut self, slot: Slot, status: StatusBytes) {
        self.statuses.insert(slot.0, status);
    }

    /// Forgets a request that the program frees.
    pub fn forget(&mut self, slot: Slot) {
        self.defined.remove(&slot.0);
        self.statuses.remove(&slot.0);
    }
}

/// Makes a persistent receive (`MPI_Recv_init`).
pub fn define(words: &[usize], real: &mut dyn FnMut() -> c_int) -> c_int {
    let &[buf, _, _, from, tag, comm, request] = words else { super::leave() };
    let constants = &mpi().constants;
    if !is_wild(from, tag) || from as c_int == constants.proc_null {
        return real();
    }
    let (no_rank, no_tag) = (constants.proc_null as usize, 0);
    // SAFETY: the program's communicator and request; nothing is received.
    unsafe { real::recv_init(buf, 0, constants.byte, no_rank, no_tag, comm, request) }
}

/// After such a receive was recorded: its request has a slot.
pub fn defined(words: &[usize]) {
    let &[buf, count, datatype, from, tag, comm, request] = words else { super::leave() };
    if !is_wild(from, tag) || from as c_int == mpi().constants.proc_null {
        return;
    }
    with(|rank, live| {
        let arguments = ReceiveArguments { buf, count: live.count(count), datatype, from, tag, comm };
        // SAFETY: the program's request, which was just made.
        let handle = unsafe { rank.mpi.handle_at(request, 0) };
        if let Some(slot) = rank.requests.peek(handle) {
            live.persistent.defined.insert(slot.0, arguments);
        }
    });
}

impl Live {
    /// The program has started these requests.
    pub fn started(&mut self, slots: impl Iterator<Item = Slot>) {
        for slot in slots {
            if let Some(arguments) = self.persistent.defined.get(&slot.0) {
                self.deferred.post(*arguments, slot);
            }
        }
    }

    /// The program frees a request.
    pub fn freed(&mut self, slot: Slot) {
        self.persistent.forget(slot);
    }

    /// A deferred receive is cancelled in virtual time.
    pub fn cancel(&mut self, slot: Slot) {
        if let Some(status) = self.deferred.cancel(slot) {
            self.persistent.complete(slot, status);
        }
    }

    /// A deferred receive is complete in virtual time.
    pub fn finish(&mut self, slot: Slot) {
        if let Some(status) = self.deferred.finish(slot) {
            self.persistent.complete(slot, status);
        }
    }
}

/// Writes the status of a persistent receive that is complete to an address, instead of that of the
/// request in its place. It is kept if the request is not completed yet (`MPI_Request_get_status`).
///
/// # Safety
/// `address` must be that of a status, or ignored.
pub unsafe fn write_status(slot: Slot, address: usize, keeps: bool) {
    let status = with(|_, live| {
        let statuses = &mut live.persistent.statuses;
        if keeps { statuses.get(&slot.0).copied() } else { statuses.remove(&slot.0) }
    });
    let constants = &mpi().constants;
    let is_ignored = [constants.status_ignore, constants.statuses_ignore].contains(&address);
    if let Some(status) = status.filter(|_| !is_ignored) {
        // SAFETY: the caller promises a status; it is no longer than the kept one.
        unsafe {
            let size = constants.status.size;
            std::ptr::copy_nonoverlapping(status.as_ptr().cast::<u8>(), address as *mut u8, size);
        }
    }
}
