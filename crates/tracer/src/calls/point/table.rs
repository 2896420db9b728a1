//! The functions.

use std::ffi::c_int;

use panto_trace::{Form, Look, Mode};

use super::{NONE, NOTHING_CAME, Status, parts, take_message, take_request, take_requests};
use crate::at::{int_at, is_wild};
use crate::patience;
use crate::wrap::{calls, prepared_calls};

macro_rules! sends {
    ($($mode:ident: $blocking:ident $blocking_c:ident, $immediate:ident $immediate_c:ident, $init:ident $init_c:ident;)*) => {
        calls! {$(
            $blocking also $blocking_c (buf, count, datatype, to, tag, comm) =>
                |at| at.send(Mode::$mode, Form::Blocking, at.count(count), datatype, to, tag, comm, NONE);
            $immediate also $immediate_c (buf, count, datatype, to, tag, comm, request) =>
                |at| at.send(Mode::$mode, Form::Immediate, at.count(count), datatype, to, tag, comm, request);
            $init also $init_c (buf, count, datatype, to, tag, comm, request) =>
                |at| at.send(Mode::$mode, Form::Persistent, at.count(count), datatype, to, tag, comm, request);
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
        |at| at.receive(Form::Immediate, at.count(count), datatype, from, tag, comm, request, NOTHING_CAME);
    MPI_Recv_init also MPI_Recv_init_c (buf, count, datatype, from, tag, comm, request) =>
        |at| at.receive(Form::Persistent, at.count(count), datatype, from, tag, comm, request, NOTHING_CAME);
    MPI_Isendrecv also MPI_Isendrecv_c (sendbuf, sendcount, sendtype, to, sendtag, recvbuf, recvcount, recvtype, from, recvtag, comm, request) =>
        |at| at.send_receive((sendcount, sendtype), (to, sendtag), (recvcount, recvtype), (from, recvtag), comm, false, request, NOTHING_CAME);
    MPI_Isendrecv_replace also MPI_Isendrecv_replace_c (buf, count, datatype, to, sendtag, from, recvtag, comm, request) =>
        |at| at.send_receive((count, datatype), (to, sendtag), (count, datatype), (from, recvtag), comm, true, request, NOTHING_CAME);
    MPI_Psend_init(buf, partitions, count, datatype, to, tag, comm, info, request) =>
        |at| at.send(Mode::Standard, Form::Partitioned, parts(partitions, count), datatype, to, tag, comm, request);
    MPI_Precv_init(buf, partitions, count, datatype, from, tag, comm, info, request) =>
        |at| at.receive(Form::Partitioned, parts(partitions, count), datatype, from, tag, comm, request, NOTHING_CAME);
    MPI_Pready(partition, request) => |at| at.ready(request, i64::from(partition as c_int), i64::from(partition as c_int));
    MPI_Pready_range(low, high, request) => |at| at.ready(request, i64::from(low as c_int), i64::from(high as c_int));
    MPI_Pready_list(length, list, request) => |at| for place in 0..at.count(length) as usize {
        // SAFETY: the program's list has so many.
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
            patience::for_message(from, tag, comm);
            Status::new(status, is_wild(from, tag))
        },
        call |place| (buf, count, datatype, from, tag, comm, place.address()),
        after |at, place| if at.succeeded() {
            let came = place.came(at.rank);
            at.receive(Form::Blocking, at.count(count), datatype, from, tag, comm, NONE, came);
        };
    MPI_Sendrecv also MPI_Sendrecv_c (sendbuf, sendcount, sendtype, to, sendtag, recvbuf, recvcount, recvtype, from, recvtag, comm, status)
        before Status::new(status, is_wild(from, recvtag)),
        call |place| (sendbuf, sendcount, sendtype, to, sendtag, recvbuf, recvcount, recvtype, from, recvtag, comm, place.address()),
        after |at, place| if at.succeeded() {
            let came = place.came(at.rank);
            at.send_receive((sendcount, sendtype), (to, sendtag), (recvcount, recvtype), (from, recvtag), comm, false, NONE, came);
        };
    MPI_Sendrecv_replace also MPI_Sendrecv_replace_c (buf, count, datatype, to, sendtag, from, recvtag, comm, status)
        before Status::new(status, is_wild(from, recvtag)),
        call |place| (buf, count, datatype, to, sendtag, from, recvtag, comm, place.address()),
        after |at, place| if at.succeeded() {
            let came = place.came(at.rank);
            at.send_receive((count, datatype), (to, sendtag), (count, datatype), (from, recvtag), comm, true, NONE, came);
        };
    MPI_Probe(from, tag, comm, status)
        before {
            patience::for_message(from, tag, comm);
            Status::new(status, true)
        },
        call |place| (from, tag, comm, place.address()),
        after |at, place| if at.succeeded() {
            at.probe(Look::Wait, from, tag, comm, true, NONE, place);
        };
    MPI_Iprobe(from, tag, comm, flag, status)
        before Status::new(status, true),
        call |place| (from, tag, comm, flag, place.address()),
        after |at, place| if at.succeeded() {
            let is_found = int_at(flag) != 0;
            at.probe(Look::Peek, from, tag, comm, is_found, NONE, place);
        };
    MPI_Mprobe(from, tag, comm, message, status)
        before {
            patience::for_message(from, tag, comm);
            Status::new(status, true)
        },
        call |place| (from, tag, comm, message, place.address()),
        after |at, place| if at.succeeded() {
            at.probe(Look::WaitAndTake, from, tag, comm, true, message, place);
        };
    MPI_Improbe(from, tag, comm, flag, message, status)
        before Status::new(status, true),
        call |place| (from, tag, comm, flag, message, place.address()),
        after |at, place| if at.succeeded() {
            let is_found = int_at(flag) != 0;
            at.probe(Look::PeekAndTake, from, tag, comm, is_found, message, place);
        };
    MPI_Mrecv also MPI_Mrecv_c (buf, count, datatype, message, status)
        before take_message(message),
        call |_taken| (buf, count, datatype, message, status),
        after |at, taken| if at.succeeded() { at.receive_taken(Form::Blocking, count, datatype, *taken, NONE) };
    MPI_Imrecv also MPI_Imrecv_c (buf, count, datatype, message, request)
        before take_message(message),
        call |_taken| (buf, count, datatype, message, request),
        after |at, taken| if at.succeeded() { at.receive_taken(Form::Immediate, count, datatype, *taken, request) };
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
