//! Point-to-point communication: sends, receives, probes, persistent and partitioned operations.

mod table;

use std::ffi::{c_int, c_void};

use panto_trace::{Action, CallForm, Key, ProbeKind, SendMode, Slot};
use smallvec::SmallVec;

use crate::call_context::{CallContext, is_wild};
use crate::library;
use crate::rank::{self, Rank};
use panto_recording::Request;

/// No request: the call blocks.
const NONE: usize = 0;

const NO_MATCH: [i64; 3] = [-1; 3];

/// Memory for a status: the program's own, or the tracer's in its place.
pub struct Status {
    given: usize,
    is_wild: bool,
    own: Option<[u64; 8]>,
}

impl Status {
    /// Uses the program's status, unless it is `MPI_STATUS_IGNORE` and what was matched is
    /// recorded.
    fn new(given: usize, is_wild: bool) -> Self {
        let is_needed = is_wild && library::get().is_ok_and(|mpi| given == mpi.constants.status_ignore);
        Self { given, is_wild, own: is_needed.then_some([0; 8]) }
    }

    fn address(&mut self) -> usize {
        self.own.as_mut().map_or(self.given, |own| own.as_mut_ptr() as usize)
    }

    /// Returns source, tag and bytes of what was matched, if the receive has a wildcard.
    unsafe fn matched(&mut self, rank: &Rank) -> [i64; 3] {
        let address = self.address();
        // SAFETY: MPI filled the status, because the call succeeded.
        if self.is_wild { unsafe { rank.mpi.matched(address) } } else { NO_MATCH }
    }
}

fn request_of(form: CallForm, is_wild: bool) -> Request {
    let is_persistent = matches!(form, CallForm::Persistent | CallForm::Partitioned);
    Request { is_wild, is_persistent, is_active: !is_persistent, ..Request::default() }
}

fn receive_of(form: CallForm, is_wild: bool) -> Request {
    Request { is_receive: true, ..request_of(form, is_wild) }
}

impl CallContext<'_> {
    unsafe fn send(
        &mut self,
        mode: SendMode,
        form: CallForm,
        count: u64,
        datatype: usize,
        to: usize,
        tag: usize,
        comm: usize,
        request: usize,
    ) {
        let request = if request == NONE { None } else { self.new_request(request, request_of(form, false)) };
        let key = self.key(request, count, datatype, to, tag, comm);
        if self.repeat(&key) {
            return;
        }
        let (comm, datatype) = (self.comm(comm), self.datatype(datatype));
        let action = Action::Send {
            mode,
            form,
            comm: comm.number,
            to: self.peer(to, comm.rank),
            datatype: datatype.number,
            bytes: count * datatype.size,
            tag: self.tag(tag),
            request,
        };
        self.record_message(form, key, &action);
    }

    unsafe fn receive(
        &mut self,
        form: CallForm,
        count: u64,
        datatype: usize,
        from: usize,
        tag: usize,
        comm: usize,
        request: usize,
        matched: [i64; 3],
    ) {
        let is_wild = is_wild(from, tag);
        let request =
            if request == NONE { None } else { self.new_request(request, receive_of(form, is_wild)) };
        let key = self.key(request, count, datatype, from, tag, comm);
        if matched == NO_MATCH && self.repeat(&key) {
            return;
        }
        let (comm, datatype) = (self.comm(comm), self.datatype(datatype));
        let [source, got_tag, got_bytes] = matched;
        let action = Action::Receive {
            form,
            comm: comm.number,
            from: self.peer(from, comm.rank),
            datatype: datatype.number,
            bytes: count * datatype.size,
            tag: self.tag(tag),
            request,
            source,
            got_tag,
            got_bytes,
        };
        if matched == NO_MATCH {
            self.record_message(form, key, &action);
        } else {
            self.record(&action);
        }
    }

    /// Records a message. A call that makes a persistent request is kept elsewhere, too, so it gets
    /// no key.
    #[inline]
    fn record_message(&mut self, form: CallForm, key: Key, action: &Action<'_>) {
        match form {
            CallForm::Blocking | CallForm::Immediate => self.record_with_key(key, action),
            CallForm::Persistent | CallForm::Partitioned => self.record(action),
        }
    }

    unsafe fn send_receive(
        &mut self,
        sent: (usize, usize),
        to: (usize, usize),
        received: (usize, usize),
        from: (usize, usize),
        comm: usize,
        replace: bool,
        request: usize,
        matched: [i64; 3],
    ) {
        let comm = self.comm(comm);
        let (datatype, receive_type) = (self.datatype(sent.1), self.datatype(received.1));
        let is_wild = is_wild(from.0, from.1);
        let request = if request == NONE {
            None
        } else {
            self.new_request(request, request_of(CallForm::Immediate, is_wild))
        };
        let [source, got_tag, got_bytes] = matched;
        self.record(&Action::SendReceive {
            comm: comm.number,
            to: self.peer(to.0, comm.rank),
            from: self.peer(from.0, comm.rank),
            datatype: datatype.number,
            receive_type: receive_type.number,
            replace,
            bytes: self.count(sent.0) * datatype.size,
            tag: self.tag(to.1),
            receive_bytes: self.count(received.0) * receive_type.size,
            want_tag: self.tag(from.1),
            source,
            got_tag,
            got_bytes,
            request,
        });
    }

    unsafe fn probe(
        &mut self,
        look: ProbeKind,
        from: usize,
        tag: usize,
        comm: usize,
        is_found: bool,
        message: usize,
        status: &mut Status,
    ) {
        let comm = self.comm(comm);
        let [source, got_tag, got_bytes] = if is_found { status.matched(self.rank) } else { NO_MATCH };
        let action = Action::Probe {
            look,
            comm: comm.number,
            from: self.peer(from, comm.rank),
            tag: self.tag(tag),
            found: is_found,
            source,
            got_tag,
            got_bytes,
            message: if is_found && message != NONE { Some(self.new_message(message)) } else { None },
        };
        if is_found { self.record(&action) } else { self.record_failed_poll(&action) }
    }

    unsafe fn new_message(&mut self, address: usize) -> Slot {
        // SAFETY: MPI wrote a handle there.
        let handle = unsafe { self.rank.mpi.handle_at(address, 0) };
        self.rank.messages.add(handle, Request::default())
    }

    unsafe fn receive_taken(
        &mut self,
        form: CallForm,
        count: usize,
        datatype: usize,
        message: Option<Slot>,
        request: usize,
    ) {
        let datatype = self.datatype(datatype);
        if let Some(message) = message {
            self.rank.messages.drop(message);
        }
        let request = if request == NONE { None } else { self.new_request(request, request_of(form, false)) };
        let bytes = self.count(count) * datatype.size;
        self.record(&Action::ReceiveTaken { form, datatype: datatype.number, bytes, message, request });
    }

    /// Records the start of persistent requests. Open MPI may give them other handles: a request
    /// whose last round is not over cannot be used again.
    unsafe fn start(&mut self, requests: usize, taken: &Taken) {
        for (place, slot) in taken.iter().rev() {
            // SAFETY: the program's list has more than `place` handles.
            let handle = unsafe { self.rank.mpi.handle_at(requests, *place) };
            let has_started = self.succeeded();
            let known = &mut self.rank.requests;
            known.get_mut(*slot).is_active |= has_started;
            known.rename(*slot, handle);
            known.release_slot(*slot);
        }
        let started: SmallVec<[i64; 16]> = taken.iter().map(|(_, slot)| slot.0.into()).collect();
        if self.succeeded() {
            self.record(&Action::Start { requests: &started });
            if let Some(live) = &mut self.rank.live {
                live.started(taken.iter().map(|(_, slot)| *slot));
            }
        }
    }

    unsafe fn cancel(&mut self, address: usize) {
        // SAFETY: the program's request, which `MPI_Cancel` does not change.
        let handle = unsafe { self.rank.mpi.handle_at(address, 0) };
        let request = self.rank.requests.peek(handle);
        if let Some(slot) = request {
            self.rank.requests.get_mut(slot).is_cancelled = true;
        }
        self.record(&Action::Cancel { request });
    }

    fn free(&mut self, request: Option<Slot>) {
        if let Some(slot) = request {
            self.rank.requests.drop(slot);
            self.rank.persistent.forget(slot);
            if let Some(live) = &mut self.rank.live {
                live.freed(slot);
            }
        }
        self.record(&Action::Free { request });
    }

    fn ready(&mut self, request: usize, first: i64, last: i64) {
        let request = self.rank.requests.peek(self.rank.mpi.handle(request));
        self.record(&Action::Partition { request, first, last, arrived: false });
    }

    fn arrived(&mut self, request: usize, part: i64, arrived: bool) {
        let request = self.rank.requests.peek(self.rank.mpi.handle(request));
        let action = Action::Partition { request, first: part, last: part, arrived };
        if arrived { self.record(&action) } else { self.record_failed_poll(&action) }
    }
}

/// Known requests of a list, with their places in it.
type Taken = SmallVec<[(usize, Slot); 16]>;

unsafe fn take_requests(count: usize, list: usize) -> Taken {
    let take = |rank: &mut Rank, place| {
        // SAFETY: the program's list has more than `place` handles.
        let handle = unsafe { rank.mpi.handle_at(list, place) };
        rank.requests.take(handle).map(|slot| (place, slot))
    };
    let count = (count as c_int).max(0) as usize;
    rank::with(|rank| (0..count).filter_map(|place| take(rank, place)).collect()).unwrap_or_default()
}

unsafe fn take_request(address: usize) -> Option<Slot> {
    // SAFETY: the program's request.
    rank::with(|rank| rank.requests.take(unsafe { rank.mpi.handle_at(address, 0) })).flatten()
}

unsafe fn take_message(address: usize) -> Option<Slot> {
    // SAFETY: the program's message.
    rank::with(|rank| rank.messages.take(unsafe { rank.mpi.handle_at(address, 0) })).flatten()
}

/// Returns the number of elements of all partitions.
fn parts(partitions: usize, count: usize) -> u64 {
    (partitions as c_int).max(0) as u64 * (count as i64).max(0) as u64
}

/// A status of any ABI fits the memory that replaces it.
const _: () = assert!(size_of::<[u64; 8]>() >= 32 && size_of::<*const c_void>() == 8);
