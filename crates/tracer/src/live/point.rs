//! Point-to-point messages in virtual time.

use std::ffi::c_int;

use panto_coupling::message::{Matched, Question};
use panto_trace::{Action, CallForm, Field, Peer, ProbeKind};

use super::calls::with_call;
use super::data::{Payload, mpi};
use super::placeholder::{self, ReceiveArguments};
use super::{is_on, real, waiting, with};
use crate::call_context::{CallContext, is_wild};

/// What a call that blocks until a message is there needs to know of it.
const UNMATCHED: (i64, i64, i64) = (-1, -1, -1);

/// Makes a blocking send by a hidden message.
pub fn send(words: &[usize]) -> c_int {
    let &[buf, count, datatype, to, tag, comm, ..] = words else { super::leave() };
    if to as c_int == mpi().constants.proc_null {
        return 0;
    }
    with(|_, live| {
        let count = live.count(count);
        // SAFETY: the program's arguments of a send.
        let payload = unsafe { Payload::copy(buf, count, datatype, comm) };
        live.hidden.send(&payload, to, tag, comm)
    })
}

/// Makes a non-blocking send by a hidden message; its request is complete.
pub fn start_send(words: &[usize]) -> c_int {
    let code = send(words);
    match words.get(6) {
        // SAFETY: the program's request.
        Some(request) if code == 0 => unsafe { placeholder::complete(*request) },
        _ => code,
    }
}

/// Makes a non-blocking receive. A deferred one is made when its message is known.
pub fn start_receive(words: &[usize], real: &mut dyn FnMut() -> c_int) -> c_int {
    let &[buf, count, datatype, from, tag, comm, request] = words else { super::leave() };
    let arguments = ReceiveArguments { buf, count, datatype, from, tag, comm };
    if is_null(from) {
        return real();
    }
    if !is_deferred(&arguments) {
        return real();
    }
    with(|_, live| {
        let arguments = ReceiveArguments { count: live.count(count), ..arguments };
        // SAFETY: the program's request.
        unsafe { live.deferred.start(arguments, request) }
    })
}

/// The arguments of `MPI_Isendrecv`, or of `MPI_Isendrecv_replace`: what is sent, what is received,
/// and the address of the request.
fn exchange_arguments(words: &[usize]) -> (SendArguments, ReceiveArguments, usize) {
    match *words {
        [buf, count, datatype, to, tag, into, into_count, into_type, from, into_tag, comm, request] => {
            let sent = SendArguments { buf, count, datatype, to, tag };
            let (count, datatype, tag) = (into_count, into_type, into_tag);
            (sent, ReceiveArguments { buf: into, count, datatype, from, tag, comm }, request)
        }
        [buf, count, datatype, to, tag, from, into_tag, comm, request] => {
            let sent = SendArguments { buf, count, datatype, to, tag };
            (sent, ReceiveArguments { buf, count, datatype, from, tag: into_tag, comm }, request)
        }
        _ => super::leave(),
    }
}

impl ReceiveArguments {
    /// Returns the words of `MPI_Irecv`.
    fn words(&self, request: usize) -> [usize; 7] {
        [self.buf, self.count, self.datatype, self.from, self.tag, self.comm, request]
    }
}

/// Starts a combined send and receive: a hidden message, and a receive, whose request is the
/// program's. What is sent is copied before anything is received into the same memory.
pub fn start_exchange(words: &[usize]) -> c_int {
    let (sent, received, request) = exchange_arguments(words);
    let code = send(&[sent.buf, sent.count, sent.datatype, sent.to, sent.tag, received.comm]);
    if code != 0 {
        return code;
    }
    let count = with(|_, live| live.count(received.count));
    let ReceiveArguments { buf, datatype, from, tag, comm, .. } = received;
    // SAFETY: the program's arguments of a receive.
    let mut real = || unsafe { real::irecv(buf, count, datatype, from, tag, comm, request) };
    start_receive(&received.words(request), &mut real)
}

/// After such an exchange was recorded.
pub fn started_exchange(words: &[usize]) {
    let (_, received, request) = exchange_arguments(words);
    started_receive(&received.words(request));
}

/// After a non-blocking receive was recorded: its request has a slot.
pub fn started_receive(words: &[usize]) {
    if let &[_, _, _, from, _, _, request] = words
        && !is_null(from)
    {
        with(|rank, live| {
            // SAFETY: the program's request, which was just started.
            let handle = unsafe { rank.mpi.handle_at(request, 0) };
            live.deferred.set_slot(handle, rank.requests.peek(handle));
        });
    }
}

/// Returns whether the simulation must choose the message of a receive before it is made.
fn is_deferred(arguments: &ReceiveArguments) -> bool {
    is_wild(arguments.from, arguments.tag) || with(|_, live| live.deferred.overlaps(arguments))
}

fn is_null(from: usize) -> bool {
    from as c_int == mpi().constants.proc_null
}

/// Sets what the current call returns, because it was carried out.
fn carried_out(code: c_int) {
    with(|_, live| live.outcome = Some(code));
}

/// Carries out a blocking receive.
///
/// # Safety
/// These must be the program's arguments of the call, and the address of a status.
pub unsafe fn receive(
    buf: usize,
    count: usize,
    datatype: usize,
    from: usize,
    tag: usize,
    comm: usize,
    status: usize,
) {
    if !is_on() || is_null(from) {
        return;
    }
    let arguments = ReceiveArguments { buf, count, datatype, from, tag, comm };
    let is_deferred = is_deferred(&arguments);
    let received = with_call(|at| {
        let (info, kind) = (at.comm(comm), at.datatype(datatype));
        let (source, got_tag, got_bytes) = UNMATCHED;
        let action = Action::Receive {
            form: CallForm::Blocking,
            comm: info.number,
            from: at.peer(from, info.rank),
            datatype: kind.number,
            bytes: at.count(count) * kind.size,
            tag: at.tag(tag),
            request: None,
            source,
            got_tag,
            got_bytes,
        };
        at.report(&action);
        at.matched(is_deferred, |reply| reply.received)
    });
    // SAFETY: as the caller promises.
    carried_out(unsafe { receive_from(&arguments, received, status) });
}

/// Receives a message with the source and tag that were matched, or those of the arguments.
unsafe fn receive_from(arguments: &ReceiveArguments, received: Option<Matched>, status: usize) -> c_int {
    let &ReceiveArguments { buf, count, datatype, from, tag, comm } = arguments;
    let (from, tag) = received.map_or((from, tag), |matched| (matched.source as usize, matched.tag as usize));
    let mut request = 0_usize;
    let count = with(|_, live| {
        live.deferred.make_earlier(from, tag, comm);
        live.count(count)
    });
    // SAFETY: the program's arguments; the request is a local variable.
    unsafe {
        let code = real::irecv(buf, count, datatype, from, tag, comm, &raw mut request as usize);
        if code == 0 { real::wait(&raw mut request as usize, status) } else { code }
    }
}

impl CallContext<'_> {
    /// Returns what the current call has matched, if its receive is deferred; that is known when
    /// the simulation has completed it.
    fn matched(
        &mut self,
        is_deferred: bool,
        of: impl FnOnce(panto_coupling::message::Reply) -> Option<Matched>,
    ) -> Option<Matched> {
        if !is_deferred {
            return None;
        }
        of(self.ask(&Question::Clock))
    }
}

/// A message to send, as the arguments of `MPI_Sendrecv` have it.
#[derive(Clone, Copy)]
pub struct SendArguments {
    pub buf: usize,
    pub count: usize,
    pub datatype: usize,
    pub to: usize,
    pub tag: usize,
}

/// Carries out `MPI_Sendrecv`; with one buffer for both if `replace`.
///
/// # Safety
/// These must be the program's arguments of the call, and the address of a status.
pub unsafe fn exchange(sent: SendArguments, received: ReceiveArguments, replace: bool, status: usize) {
    if !is_on() {
        return;
    }
    let (from, tag, comm) = (received.from, received.tag, received.comm);
    let is_deferred = !is_null(from) && is_deferred(&received);
    let matched = with_call(|at| {
        let info = at.comm(comm);
        let (datatype, receive_type) = (at.datatype(sent.datatype), at.datatype(received.datatype));
        let (source, got_tag, got_bytes) = UNMATCHED;
        let action = Action::SendReceive {
            comm: info.number,
            to: at.peer(sent.to, info.rank),
            from: at.peer(from, info.rank),
            datatype: datatype.number,
            receive_type: receive_type.number,
            replace,
            bytes: at.count(sent.count) * datatype.size,
            tag: at.tag(sent.tag),
            receive_bytes: at.count(received.count) * receive_type.size,
            want_tag: at.tag(tag),
            source,
            got_tag,
            got_bytes,
            request: None,
        };
        at.report(&action);
        at.matched(is_deferred, |reply| reply.received)
    });
    let code = send(&[sent.buf, sent.count, sent.datatype, sent.to, sent.tag, comm]);
    // SAFETY: as the caller promises.
    carried_out(if code == 0 { unsafe { receive_from(&received, matched, status) } } else { code });
}

/// Carries out a probe. `message` is the address of a message for a matched probe, `flag` that of
/// a flag for one that does not wait; 0 otherwise.
///
/// # Safety
/// These must be the program's arguments of the call, and the address of a status.
pub unsafe fn probe(
    look: ProbeKind,
    (from, tag, comm): (usize, usize, usize),
    flag: usize,
    message: usize,
    status: usize,
) {
    if !is_on() || is_null(from) {
        return;
    }
    let probed = with_call(|at| at.probe_in_order(look, (from, tag, comm), flag != 0, message != 0));
    // SAFETY: as the caller promises.
    unsafe {
        if flag != 0 {
            *(flag as *mut c_int) = probed.is_some().into();
        }
        let Some(matched) = probed else { return carried_out(0) };
        let (from, tag) = (matched.source as usize, matched.tag as usize);
        waiting::until(|| mpi().has_message(from as c_int, tag as c_int, comm));
        carried_out(if message == 0 {
            real::probe(from, tag, comm, status)
        } else {
            real::mprobe(from, tag, comm, message, status)
        });
    }
}

impl CallContext<'_> {
    /// Reports a probe, and returns the message that it finds.
    fn probe_in_order(
        &mut self,
        look: ProbeKind,
        (from, tag, comm): (usize, usize, usize),
        may_fail: bool,
        takes: bool,
    ) -> Option<Matched> {
        let info = self.comm(comm);
        let (peer, tag) = (self.peer(from, info.rank), self.tag(tag));
        let (source, got_tag, got_bytes) = UNMATCHED;
        let message = takes.then(|| self.rank.messages.next_slot());
        let action = |found: bool| Action::Probe {
            look,
            comm: info.number,
            from: peer,
            tag,
            found,
            source,
            got_tag,
            got_bytes,
            message: message.filter(|_| found),
        };
        if may_fail {
            self.report_computation();
            let question = Question::Probe { comm: info.number.0, from: Peer::put(peer), tag };
            let probed = self.ask(&question).probed;
            if probed.is_none() {
                self.set_failed_poll();
            }
            self.report(&action(probed.is_some()));
            return probed;
        }
        self.report(&action(true));
        self.ask(&Question::Clock).probed
    }
}
