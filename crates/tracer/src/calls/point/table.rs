//! The functions of point-to-point communication.

use std::ffi::c_int;

use panto_trace::{CallForm, ProbeKind, SendMode};

use super::{NO_MATCH, NONE, Status, parts, take_message, take_request, take_requests};
use crate::call_context::{int_at, is_wild};
use crate::interpose::{calls, prepared_calls};
use crate::live;
use crate::yielding;

macro_rules! sends {
    ($($mode:ident: $blocking:ident $blocking_c:ident, $immediate:ident $immediate_c:ident, $init:ident $init_c:ident;)*) => {
        calls! {$(
            $blocking also $blocking_c (buf, count, datatype, to, tag, comm) =>
                |at| at.send(SendMode::$mode, CallForm::Blocking, at.count(count), datatype, to, tag, comm, NONE);
            $immediate also $immediate_c (buf, count, datatype, to, tag, comm, request) =>
                |at| at.send(SendMode::$mode, CallForm::Immediate, at.count(count), datatype, to, tag, comm, request);
            $init also $init_c (buf, count, datatype, to, tag, comm, request) =>
                |at| at.send(SendMode::$mode, CallForm::Persistent, at.count(count), datatype, to, tag, comm, request);
        )*}
    };
}

sends! {
    Standard: MPI_Send MPI_Send_c, MPI_Isend MPI_Isend_c, MPI_Send_init MPI_Send_init_c;
    Buffered: MPI_Bsend MPI_Bsend_c, MPI_Ibsend MPI_Ibsend_c, MPI_Bsend_init MPI_Bsend_init_c;
    Synchronous: MPI_Ssend MPI_Ssend_c, MPI_Issend MPI_Issend_c, MPI_Ssend_init MPI_Ssend_init_c;
    Ready: MPI_Rsend MPI_Rsend_c, MPI_Irsend MPI_Irsend_c, MPI_Rsend_init MPI_Rsend_init_c;
}

calls! {
    MPI_Irecv also MPI_Irecv_c (buf, count, datatype, from, tag, comm, request) =>
        |at| at.receive(CallForm::Immediate, at.count(count), datatype, from, tag, comm, request, NO_MATCH);
    MPI_Recv_init also MPI_Recv_init_c (buf, count, datatype, from, tag, comm, request) =>
        |at| at.receive(CallForm::Persistent, at.count(count), datatype, from, tag, comm, request, NO_MATCH);
    MPI_Isendrecv also MPI_Isendrecv_c (sendbuf, sendcount, sendtype, to, sendtag, recvbuf, recvcount, recvtype, from, recvtag, comm, request) =>
        |at| at.send_receive((sendcount, sendtype), (to, sendtag), (recvcount, recvtype), (from, recvtag), comm, false, request, NO_MATCH);
    MPI_Isendrecv_replace also MPI_Isendrecv_replace_c (buf, count, datatype, to, sendtag, from, recvtag, comm, request) =>
        |at| at.send_receive((count, datatype), (to, sendtag), (count, datatype), (from, recvtag), comm, true, request, NO_MATCH);
    MPI_Psend_init(buf, partitions, count, datatype, to, tag, comm, info, request) =>
        |at| at.send(SendMode::Standard, CallForm::Partitioned, parts(partitions, count), datatype, to, tag, comm, request);
    MPI_Precv_init(buf, partitions, count, datatype, from, tag, comm, info, request) =>
        |at| at.receive(CallForm::Partitioned, parts(partitions, count), datatype, from, tag, comm, request, NO_MATCH);
    MPI_Pready(partition, request) => |at| at.ready(request, i64::from(partition as c_int), i64::from(partition as c_int));
    MPI_Pready_range(low, high, request) => |at| at.ready(request, i64::from(low as c_int), i64::from(high as c_int));
    MPI_Pready_list(length, list, request) => |at| for place in 0..at.count(length) as usize {
        // SAFETY: the program's list has `length` entries.
        let part = i64::from(unsafe { *(list as *const c_int).add(place) });
        at.ready(request, part, part);
    };
    MPI_Parrived(request, partition, flag) => |at| {
        let part = i64::from(partition as c_int);
        at.arrived(request, part, int_at(flag) != 0);
    };
    MPI_Cancel(request) => |at| at.cancel(request);
}

prepared_calls! {
    MPI_Recv also MPI_Recv_c (buf, count, datatype, from, tag, comm, status)
        before {
            yielding::until_message(from, tag, comm);
            let mut place = Status::new(status, is_wild(from, tag));
            live::receive(buf, count, datatype, from, tag, comm, place.address());
            place
        },
        call |place| (buf, count, datatype, from, tag, comm, place.address()),
        after |at, place| if at.succeeded() {
            let matched = place.matched(at.rank);
            at.receive(CallForm::Blocking, at.count(count), datatype, from, tag, comm, NONE, matched);
        };
    MPI_Sendrecv also MPI_Sendrecv_c (sendbuf, sendcount, sendtype, to, sendtag, recvbuf, recvcount, recvtype, from, recvtag, comm, status)
        before {
            let mut place = Status::new(status, is_wild(from, recvtag));
            let sent = live::SendArguments { buf: sendbuf, count: sendcount, datatype: sendtype, to, tag: sendtag };
            let received = live::ReceiveArguments { buf: recvbuf, count: recvcount, datatype: recvtype, from, tag: recvtag, comm };
            live::exchange(sent, received, false, place.address());
            place
        },
        call |place| (sendbuf, sendcount, sendtype, to, sendtag, recvbuf, recvcount, recvtype, from, recvtag, comm, place.address()),
        after |at, place| if at.succeeded() {
            let matched = place.matched(at.rank);
            at.send_receive((sendcount, sendtype), (to, sendtag), (recvcount, recvtype), (from, recvtag), comm, false, NONE, matched);
        };
    MPI_Sendrecv_replace also MPI_Sendrecv_replace_c (buf, count, datatype, to, sendtag, from, recvtag, comm, status)
        before {
            let mut place = Status::new(status, is_wild(from, recvtag));
            let sent = live::SendArguments { buf, count, datatype, to, tag: sendtag };
            let received = live::ReceiveArguments { buf, count, datatype, from, tag: recvtag, comm };
            live::exchange(sent, received, true, place.address());
            place
        },
        call |place| (buf, count, datatype, to, sendtag, from, recvtag, comm, place.address()),
        after |at, place| if at.succeeded() {
            let matched = place.matched(at.rank);
            at.send_receive((count, datatype), (to, sendtag), (count, datatype), (from, recvtag), comm, true, NONE, matched);
        };
    MPI_Probe(from, tag, comm, status)
        before {
            yielding::until_message(from, tag, comm);
            let mut place = Status::new(status, true);
            live::probe(ProbeKind::Probe, (from, tag, comm), NONE, NONE, place.address());
            place
        },
        call |place| (from, tag, comm, place.address()),
        after |at, place| if at.succeeded() {
            at.probe(ProbeKind::Probe, from, tag, comm, true, NONE, place);
        };
    MPI_Iprobe(from, tag, comm, flag, status)
        before {
            let mut place = Status::new(status, true);
            live::probe(ProbeKind::Iprobe, (from, tag, comm), flag, NONE, place.address());
            place
        },
        call |place| (from, tag, comm, flag, place.address()),
        after |at, place| if at.succeeded() {
            let is_found = int_at(flag) != 0;
            at.probe(ProbeKind::Iprobe, from, tag, comm, is_found, NONE, place);
        };
    MPI_Mprobe(from, tag, comm, message, status)
        before {
            yielding::until_message(from, tag, comm);
            let mut place = Status::new(status, true);
            live::probe(ProbeKind::Mprobe, (from, tag, comm), NONE, message, place.address());
            place
        },
        call |place| (from, tag, comm, message, place.address()),
        after |at, place| if at.succeeded() {
            at.probe(ProbeKind::Mprobe, from, tag, comm, true, message, place);
        };
    MPI_Improbe(from, tag, comm, flag, message, status)
        before {
            let mut place = Status::new(status, true);
            live::probe(ProbeKind::Improbe, (from, tag, comm), flag, message, place.address());
            place
        },
        call |place| (from, tag, comm, flag, message, place.address()),
        after |at, place| if at.succeeded() {
            let is_found = int_at(flag) != 0;
            at.probe(ProbeKind::Improbe, from, tag, comm, is_found, message, place);
        };
    MPI_Mrecv also MPI_Mrecv_c (buf, count, datatype, message, status)
        before take_message(message),
        call |_taken| (buf, count, datatype, message, status),
        after |at, taken| if at.succeeded() { at.receive_taken(CallForm::Blocking, count, datatype, *taken, NONE) };
    MPI_Imrecv also MPI_Imrecv_c (buf, count, datatype, message, request)
        before take_message(message),
        call |_taken| (buf, count, datatype, message, request),
        after |at, taken| if at.succeeded() { at.receive_taken(CallForm::Immediate, count, datatype, *taken, request) };
    MPI_Start(request)
        before take_requests(1, request),
        call |_taken| (request),
        after |at, taken| at.start(request, taken);
    MPI_Startall(count, requests)
        before take_requests(count, requests),
        call |_taken| (count, requests),
        after |at, taken| at.start(requests, taken);
    MPI_Request_free(request)
        before take_request(request),
        call |_taken| (request),
        after |at, taken| at.free(*taken);
}
