//! Point-to-point communication: sends, receives, probes, persistent and partitioned operations.

mod table;

use std::ffi::{c_int, c_void};

use panto_trace::{Action, Form, Key, Look, Mode, Slot};
use smallvec::SmallVec;

use crate::at::{At, is_wild};
use crate::library;
use crate::rank::{self, Rank};
use crate::requests::Request;

/// No request: the call blocks.
const NONE: usize = 0;

const NOTHING_CAME: [i64; 3] = [-1; 3];

/// A place for what MPI tells of a message: the program's own, or one in its stead.
pub struct Status {
    given: usize,
    is_wild: bool,
    own: Option<[u64; 8]>,
}

impl Status {
    /// The program's status serves, unless it wants none and we do.
    fn new(given: usize, is_wild: bool) -> Self {
        let is_needed = is_wild && library::get().is_ok_and(|mpi| given == mpi.constants.status_ignore);
        Self { given, is_wild, own: is_needed.then_some([0; 8]) }
    }

    fn address(&mut self) -> usize {
        self.own.as_mut().map_or(self.given, |own| own.as_mut_ptr() as usize)
    }

    /// What came, if that is worth knowing.
    fn came(&mut self, rank: &Rank) -> [i64; 3] {
        let address = self.address();
        // SAFETY: MPI filled it, as the call succeeded.
        if self.is_wild { unsafe { rank.mpi.came(address) } } else { NOTHING_CAME }
    }
}

fn request_of(form: Form, is_wild: bool) -> Request {
    let is_persistent = matches!(form, Form::Persistent | Form::Partitioned);
    Request { is_wild, is_persistent, is_active: !is_persistent, is_cancelled: false }
}

impl At<'_> {
    fn send(
        &mut self,
        mode: Mode,
        form: Form,
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
        self.emit_plainly(form, key, &action);
    }

    fn receive(
        &mut self,
        form: Form,
        count: u64,
        datatype: usize,
        from: usize,
        tag: usize,
        comm: usize,
        request: usize,
        came: [i64; 3],
    ) {
        let is_wild = is_wild(from, tag);
        let request =
            if request == NONE { None } else { self.new_request(request, request_of(form, is_wild)) };
        let key = self.key(request, count, datatype, from, tag, comm);
        if came == NOTHING_CAME && self.repeat(&key) {
            return;
        }
        let (comm, datatype) = (self.comm(comm), self.datatype(datatype));
        let [source, got_tag, got_bytes] = came;
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
        if came == NOTHING_CAME {
            self.emit_plainly(form, key, &action);
        } else {
            self.emit(&action);
        }
    }

    /// Records a message. What describes a persistent operation is kept elsewhere, too, so that it is not just repeated.
    #[inline]
    fn emit_plainly(&mut self, form: Form, key: Key, action: &Action<'_>) {
        match form {
            Form::Blocking | Form::Immediate => self.emit_with(key, action),
            Form::Persistent | Form::Partitioned => self.emit(action),
        }
    }

    fn send_receive(
        &mut self,
        sent: (usize, usize),
        to: (usize, usize),
        room: (usize, usize),
        from: (usize, usize),
        comm: usize,
        replace: bool,
        request: usize,
        came: [i64; 3],
    ) {
        let comm = self.comm(comm);
        let (datatype, got_type) = (self.datatype(sent.1), self.datatype(room.1));
        let is_wild = is_wild(from.0, from.1);
        let request = if request == NONE {
            None
        } else {
            self.new_request(request, request_of(Form::Immediate, is_wild))
        };
        let [source, got_tag, got_bytes] = came;
        self.emit(&Action::SendReceive {
            comm: comm.number,
            to: self.peer(to.0, comm.rank),
            from: self.peer(from.0, comm.rank),
            datatype: datatype.number,
            got_type: got_type.number,
            replace,
            bytes: self.count(sent.0) * datatype.size,
            tag: self.tag(to.1),
            room: self.count(room.0) * got_type.size,
            want_tag: self.tag(from.1),
            source,
            got_tag,
            got_bytes,
            request,
        });
    }

    fn probe(
        &mut self,
        look: Look,
        from: usize,
        tag: usize,
        comm: usize,
        is_found: bool,
        message: usize,
        status: &mut Status,
    ) {
        let comm = self.comm(comm);
        let [source, got_tag, got_bytes] = if is_found { status.came(self.rank) } else { NOTHING_CAME };
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
        if is_found { self.emit(&action) } else { self.emit_failed_look(&action) }
    }

    fn new_message(&mut self, address: usize) -> Slot {
        // SAFETY: MPI wrote a handle there.
        let handle = unsafe { self.rank.mpi.handle_at(address, 0) };
        self.rank.messages.add(handle, Request::default())
    }

    fn receive_taken(
        &mut self,
        form: Form,
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
        self.emit(&Action::ReceiveTaken { form, datatype: datatype.number, bytes, message, request });
    }

    /// Open MPI may have given requests other handles: one whose last round is not over yet cannot be used again.
    fn start(&mut self, requests: usize, taken: &Taken) {
        for (place, slot) in taken.iter().rev() {
            // SAFETY: the program's list has so many.
            let handle = unsafe { self.rank.mpi.handle_at(requests, *place) };
            let has_started = self.succeeded();
            let known = &mut self.rank.requests;
            known.get_mut(*slot).is_active |= has_started;
            known.rename(*slot, handle);
            known.give_back(*slot);
        }
        let started: SmallVec<[i64; 16]> = taken.iter().map(|(_, slot)| slot.0.into()).collect();
        if self.succeeded() {
            self.emit(&Action::Start { requests: &started });
        }
    }

    fn cancel(&mut self, address: usize) {
        // SAFETY: the program's request; cancelling does not change it.
        let handle = unsafe { self.rank.mpi.handle_at(address, 0) };
        let request = self.rank.requests.peek(handle);
        if let Some(slot) = request {
            self.rank.requests.get_mut(slot).is_cancelled = true;
        }
        self.emit(&Action::Cancel { request });
    }

    fn free(&mut self, request: Option<Slot>) {
        if let Some(slot) = request {
            self.rank.requests.drop(slot);
            self.rank.inits.forget(slot);
        }
        self.emit(&Action::Free { request });
    }

    fn ready(&mut self, request: usize, first: i64, last: i64) {
        let request = self.rank.requests.peek(self.rank.mpi.handle(request));
        self.emit(&Action::Partition { request, first, last, arrived: false });
    }

    fn arrived(&mut self, request: usize, part: i64, arrived: bool) {
        let request = self.rank.requests.peek(self.rank.mpi.handle(request));
        let action = Action::Partition { request, first: part, last: part, arrived };
        if arrived { self.emit(&action) } else { self.emit_failed_look(&action) }
    }
}

/// Requests of a list that are known, with their places in it.
type Taken = SmallVec<[(usize, Slot); 16]>;

fn take_requests(count: usize, list: usize) -> Taken {
    let take = |rank: &mut Rank, place| {
        // SAFETY: the program's list has so many.
        let handle = unsafe { rank.mpi.handle_at(list, place) };
        rank.requests.take(handle).map(|slot| (place, slot))
    };
    let count = (count as c_int).max(0) as usize;
    rank::with(|rank| (0..count).filter_map(|place| take(rank, place)).collect()).unwrap_or_default()
}

fn take_request(address: usize) -> Option<Slot> {
    // SAFETY: the program's request.
    rank::with(|rank| rank.requests.take(unsafe { rank.mpi.handle_at(address, 0) })).flatten()
}

fn take_message(address: usize) -> Option<Slot> {
    // SAFETY: the program's message.
    rank::with(|rank| rank.messages.take(unsafe { rank.mpi.handle_at(address, 0) })).flatten()
}

/// The part of a partitioned operation: its bytes in all.
fn parts(partitions: usize, count: usize) -> u64 {
    (partitions as c_int).max(0) as u64 * (count as i64).max(0) as u64
}

/// A status is no longer than what serves in its stead.
const _: () = assert!(size_of::<[u64; 8]>() >= 32 && size_of::<*const c_void>() == 8);
