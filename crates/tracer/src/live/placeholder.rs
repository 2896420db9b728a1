//! Requests that stand for others: of sends, which are hidden, and of deferred receives.
//!
//! A receive is deferred if the simulation must choose its message first: one with wildcards, and
//! one from a named source that was posted while a deferred one might take its message. The real
//! receives are made in the order of posting, when their messages are known: of the messages with
//! one source and tag, each receive gets the one that the simulation gave it.
//!
//! They are generalized requests (`MPI_Grequest_start`): any function of MPI that completes
//! requests accepts them.

use std::ffi::{c_int, c_void};

use panto_coupling::message::Matched;
use panto_trace::Slot;

use super::data::mpi;
use super::persistent::StatusBytes;
use super::real;
use crate::call_context::is_wild;

/// The status of a request, as the real receive filled it.
struct State {
    status: StatusBytes,
    is_filled: bool,
    is_cancelled: bool,
}

impl State {
    fn new() -> *mut Self {
        Box::into_raw(Box::new(Self { status: [0; 8], is_filled: false, is_cancelled: false }))
    }
}

extern "C" fn query(state: *mut c_void, status: *mut c_void) -> c_int {
    let mpi = mpi();
    // SAFETY: MPI passes the state that `start` gave it, and a status; its functions may change
    // the status here.
    unsafe {
        let state = &*state.cast::<State>();
        if state.is_filled {
            let size = mpi.constants.status.size;
            std::ptr::copy_nonoverlapping(state.status.as_ptr().cast::<u8>(), status.cast::<u8>(), size);
        } else {
            real::status_set_elements(status as usize, mpi.constants.byte, 0);
            real::status_set_cancelled(status as usize, state.is_cancelled.into());
        }
    }
    0
}

extern "C" fn free(state: *mut c_void) -> c_int {
    // SAFETY: MPI calls this once for each request, with the state that `start` gave it.
    drop(unsafe { Box::from_raw(state.cast::<State>()) });
    0
}

extern "C" fn cancel(_state: *mut c_void, _complete: c_int) -> c_int {
    0
}

/// Starts a request at an address; returns MPI's code and the state.
unsafe fn start(address: usize) -> (c_int, *mut State) {
    let state = State::new();
    // SAFETY: the functions have the prototypes of MPI, and the state stays until it is freed.
    let code = unsafe {
        real::grequest_start(
            query as *const () as usize,
            free as *const () as usize,
            cancel as *const () as usize,
            state as usize,
            address,
        )
    };
    (code, state)
}

/// Starts a request that is complete already.
///
/// # Safety
/// `address` must be that of a request.
pub unsafe fn complete(address: usize) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        let (code, _) = start(address);
        if code == 0 { real::grequest_complete(mpi().handle_at(address, 0)) } else { code }
    }
}

/// The arguments of a receive.
#[derive(Clone, Copy)]
pub struct ReceiveArguments {
    pub buf: usize,
    pub count: usize,
    pub datatype: usize,
    pub from: usize,
    pub tag: usize,
    pub comm: usize,
}

/// A receive that the program has started and that is not made yet, or not complete.
struct DeferredReceive {
    arguments: ReceiveArguments,
    /// The handle of the generalized request in its place; none if it is persistent.
    handle: Option<usize>,
    state: *mut State,
    /// Its slot in the trace, once it is recorded.
    slot: Option<Slot>,
    /// The real request, once it is made.
    real: Option<Box<usize>>,
}

impl DeferredReceive {
    /// Makes the real receive, from this source and with this tag.
    fn make(&mut self, from: usize, tag: usize) {
        let mut request = Box::new(0_usize);
        let ReceiveArguments { buf, count, datatype, comm, .. } = self.arguments;
        // SAFETY: the program's arguments, with source and tag of a message that was sent.
        unsafe { real::irecv(buf, count, datatype, from, tag, comm, &raw mut *request as usize) };
        self.real = Some(request);
    }

    /// Returns whether it takes messages of this source and tag alone, and is not made yet.
    fn waits_for(&self, from: usize, tag: usize, comm: usize) -> bool {
        let own = &self.arguments;
        let is_same = (own.from as c_int, own.tag as c_int) == (from as c_int, tag as c_int);
        self.real.is_none() && is_same && mpi().handle(own.comm) == mpi().handle(comm)
    }
}

/// The deferred receives of this rank, in the order of posting.
#[derive(Default)]
pub struct DeferredReceives(Vec<DeferredReceive>);

// SAFETY: the states belong to this rank, whose one calling thread uses them.
unsafe impl Send for DeferredReceives {}

impl DeferredReceives {
    /// Starts a receive whose request is at an address.
    ///
    /// # Safety
    /// `address` must be that of a request.
    pub unsafe fn start(&mut self, arguments: ReceiveArguments, address: usize) -> c_int {
        // SAFETY: as the caller promises.
        let (code, state) = unsafe { start(address) };
        if code == 0 {
            // SAFETY: MPI has written a handle.
            let handle = unsafe { mpi().handle_at(address, 0) };
            self.0.push(DeferredReceive { arguments, handle: Some(handle), state, slot: None, real: None });
        }
        code
    }

    /// Posts a persistent receive that was started, whose request has a slot.
    pub fn post(&mut self, arguments: ReceiveArguments, slot: Slot) {
        let slot = Some(slot);
        self.0.push(DeferredReceive { arguments, handle: None, state: State::new(), slot, real: None });
    }

    /// The receive that was started last has a slot in the trace.
    pub fn set_slot(&mut self, handle: usize, slot: Option<Slot>) {
        if let Some(last) = self.0.last_mut().filter(|last| last.handle == Some(handle)) {
            last.slot = slot;
        }
    }

    pub fn contains(&self, slot: Slot) -> bool {
        self.0.iter().any(|receive| receive.slot == Some(slot))
    }

    /// Returns whether one of these that is not made yet might take the message of a receive.
    pub fn overlaps(&self, other: &ReceiveArguments) -> bool {
        let constants = &mpi().constants;
        let is_same = |own: usize, other: usize, any: c_int| {
            own as c_int == any || other as c_int == any || own as c_int == other as c_int
        };
        self.0.iter().filter(|receive| receive.real.is_none()).any(|receive| {
            let own = &receive.arguments;
            mpi().handle(own.comm) == mpi().handle(other.comm)
                && is_same(own.from, other.from, constants.any_source)
                && is_same(own.tag, other.tag, constants.any_tag)
        })
    }

    /// Makes the receives whose messages are known, in the order of posting.
    pub fn resolve(&mut self, known: &[(u32, Matched)]) {
        for place in 0..self.0.len() {
            let receive = &self.0[place];
            let matched = known.iter().find(|(slot, _)| receive.slot == Some(Slot(*slot)));
            if let Some((_, matched)) = matched.filter(|_| receive.real.is_none()) {
                self.make(place, matched.source as usize, matched.tag as usize);
            }
        }
    }

    /// Makes a receive from this source and with this tag.
    fn make(&mut self, place: usize, from: usize, tag: usize) {
        self.make_before(place, from, tag, self.0[place].arguments.comm);
        self.0[place].make(from, tag);
    }

    /// Makes the receives before one that takes a message of this source and tag: those with the
    /// same source and tag take earlier messages.
    fn make_before(&mut self, place: usize, from: usize, tag: usize, comm: usize) {
        let earlier = self.0[..place].iter_mut().filter(|receive| receive.waits_for(from, tag, comm));
        earlier.for_each(|receive| receive.make(from, tag));
    }

    /// Makes all receives that take earlier messages of this source and tag than a new one.
    pub fn make_earlier(&mut self, from: usize, tag: usize, comm: usize) {
        self.make_before(self.0.len(), from, tag, comm);
    }

    /// Cancels a receive that is not made: its request is complete then. Returns the status of one
    /// that is persistent.
    pub fn cancel(&mut self, slot: Slot) -> Option<StatusBytes> {
        let place = self.0.iter().position(|receive| receive.slot == Some(slot))?;
        let receive = self.0.remove(place);
        // SAFETY: the state is freed only after the request in the receive's place is complete.
        unsafe { (*receive.state).is_cancelled = true };
        receive.complete()
    }

    /// Completes a receive that the simulation has completed; its request is complete then. Returns
    /// the status of one that is persistent.
    pub fn finish(&mut self, slot: Slot) -> Option<StatusBytes> {
        let place = self.0.iter().position(|receive| receive.slot == Some(slot))?;
        let ReceiveArguments { from, tag, .. } = self.0[place].arguments;
        if self.0[place].real.is_none() && !is_wild(from, tag) {
            self.make(place, from, tag);
        }
        let mut receive = self.0.remove(place);
        let request = receive.real.as_mut()?;
        // SAFETY: the real request is active, and the state is freed only after the request in its
        // place is complete.
        unsafe {
            let state = &mut *receive.state;
            real::wait(&raw mut **request as usize, state.status.as_mut_ptr() as usize);
            state.is_filled = true;
        }
        receive.complete()
    }
}

impl DeferredReceive {
    /// Completes the request in the receive's place. Returns the status of one that is persistent.
    fn complete(self) -> Option<StatusBytes> {
        if let Some(handle) = self.handle {
            // SAFETY: this is the generalized request that was started for the receive.
            unsafe { real::grequest_complete(handle) };
            return None;
        }
        let mut status: StatusBytes = [0; 8];
        query(self.state.cast(), status.as_mut_ptr().cast());
        free(self.state.cast());
        Some(status)
    }
}
