//! What a call does: one list for the writer and the reader.
//!
//! An action has parts that stay the same when a program repeats it, such as the communicator and
//! the partner, and parts that vary, such as bytes and tags. The constant parts, together with the
//! function's name, are a *signature*, which is written once. An event is the number of its
//! signature; its varying parts are written only where they differ from those of the last event
//! with this signature.

mod parts;

use panto_calls::SendMode;

use crate::collective::CollectiveKind;
use crate::field::{CallForm, Comm, CompletionKind, Field, Peer, ProbeKind, Slot, Type, WindowOrFileId};

use parts::actions;

/// The most constant parts of an action.
pub const MOST_CONSTANTS: usize = 8;

/// The constant parts of an action.
pub type Constants = [i64; MOST_CONSTANTS];

actions! {
    /// `MPI_Init`, `MPI_Init_thread`: the first call of a trace.
    0 Initialise {
        /// The level of threads that the library provides: 0 single, 1 funneled, 2 serialized, 3
        /// multiple.
        threads: u32,
        ; ;
    }
    /// `MPI_Finalize`: the last call of a complete trace.
    1 Finalise { ; ; }
    /// `MPI_Abort`.
    2 Abort { ; /// The exit code for the environment.
        code: i32, ; }
    /// A send.
    3 Send {
        /// The send mode.
        mode: SendMode,
        /// How it is called.
        form: CallForm,
        /// The communicator.
        comm: Comm,
        /// The destination.
        to: Peer,
        /// The datatype.
        datatype: Type,
        ;
        /// Bytes of the message.
        bytes: u64,
        /// The tag.
        tag: i64,
        /// The request, if it is non-blocking or persistent.
        request: Option<Slot>,
        ;
    }
    /// A receive.
    4 Receive {
        /// How it is called.
        form: CallForm,
        /// The communicator.
        comm: Comm,
        /// The source.
        from: Peer,
        /// The datatype.
        datatype: Type,
        ;
        /// Bytes of the buffer.
        bytes: u64,
        /// The tag; -1 for `MPI_ANY_TAG`.
        tag: i64,
        /// The request, if it is non-blocking or persistent.
        request: Option<Slot>,
        /// The matched sender's rank in the communicator, if the call blocks and has wildcards;
        /// else -1.
        source: i64,
        /// The matched tag, likewise.
        got_tag: i64,
        /// The matched bytes, likewise.
        got_bytes: i64,
        ;
    }
    /// A send and a receive in one call.
    5 SendReceive {
        /// The communicator.
        comm: Comm,
        /// The destination.
        to: Peer,
        /// The source.
        from: Peer,
        /// The datatype of what is sent.
        datatype: Type,
        /// The datatype of what is received.
        receive_type: Type,
        /// Whether both use one buffer.
        replace: bool,
        ;
        /// Bytes that are sent.
        bytes: u64,
        /// The tag of what is sent.
        tag: i64,
        /// Bytes of the receive buffer.
        receive_bytes: u64,
        /// The tag of what is received; -1 for `MPI_ANY_TAG`.
        want_tag: i64,
        /// The matched sender's rank in the communicator, if the receive has wildcards; else -1.
        source: i64,
        /// The matched tag, likewise.
        got_tag: i64,
        /// The matched bytes, likewise.
        got_bytes: i64,
        /// The request (`MPI_Isendrecv`).
        request: Option<Slot>,
        ;
    }
    /// Persistent requests are started.
    6 Start { ; ; /// The slots of the requests.
        requests, }
    /// A call that completes requests.
    7 Complete {
        /// Which function it is.
        until: CompletionKind,
        ; ;
        /// The slots of the requests, in their order.
        requests,
        /// The requests that were completed: positions in `requests`.
        completed,
        /// What completed receives with wildcards matched: for each its position in `requests`,
        /// source, tag and bytes. The source is -2 if the operation was cancelled, -3 for
        /// `MPI_PROC_NULL`.
        outcomes,
    }
    /// A probe.
    8 Probe {
        /// Which function it is.
        look: ProbeKind,
        /// The communicator.
        comm: Comm,
        /// The source.
        from: Peer,
        ;
        /// The tag; -1 for `MPI_ANY_TAG`.
        tag: i64,
        /// Whether there was a message.
        found: bool,
        /// The sender's rank in the communicator; -1 if there was no message.
        source: i64,
        /// The message's tag.
        got_tag: i64,
        /// The message's bytes.
        got_bytes: i64,
        /// The slot of the message that was removed from matching.
        message: Option<Slot>,
        ;
    }
    /// A receive of a message that a matched probe found.
    9 ReceiveTaken {
        /// How it is called.
        form: CallForm,
        /// The datatype.
        datatype: Type,
        ;
        /// Bytes of the buffer.
        bytes: u64,
        /// The slot of the message.
        message: Option<Slot>,
        /// The request, if it is non-blocking.
        request: Option<Slot>,
        ;
    }
    /// `MPI_Cancel`.
    10 Cancel { ; /// The slot of the request.
        request: Option<Slot>, ; }
    /// `MPI_Request_free`.
    11 Free { ; /// The slot of the request.
        request: Option<Slot>, ; }
    /// Partitions of a partitioned request are ready (`MPI_Pready`), or are tested for
    /// (`MPI_Parrived`).
    12 Partition {
        ;
        /// The slot of the request.
        request: Option<Slot>,
        /// The first partition.
        first: i64,
        /// The last partition.
        last: i64,
        /// For `MPI_Parrived`: whether they had arrived.
        arrived: bool,
        ;
    }
    /// A collective operation.
    13 Collective {
        /// The operation.
        pattern: CollectiveKind,
        /// How it is called.
        form: CallForm,
        /// The communicator.
        comm: Comm,
        /// The root, if it has one.
        root: Peer,
        /// The datatype of what is sent; none where this rank sends nothing, or each block has a
        /// datatype of its own.
        datatype: Option<Type>,
        /// The datatype of what is received, likewise.
        receive_type: Option<Type>,
        /// Whether the reduction operation is commutative.
        commutes: bool,
        /// Whether the data are in place (`MPI_IN_PLACE`).
        in_place: bool,
        ;
        /// Bytes that this rank sends: to one rank where all blocks are equal, in total where there
        /// is a list.
        bytes: u64,
        /// Bytes that it receives: from one rank, or in total where there is a list.
        receive_bytes: u64,
        /// The request, if it is non-blocking or persistent.
        request: Option<Slot>,
        ;
        /// Bytes for each rank, where they differ.
        send_sizes,
        /// Bytes from each rank, where they differ.
        receive_sizes,
    }
    /// A communicator is made.
    14 Communicator {
        /// The communicator from which it is made.
        parent: Comm,
        ;
        /// The new communicator, if this rank is a member.
        comm: Option<Comm>,
        /// The request (`MPI_Comm_idup`).
        request: Option<Slot>,
        ;
    }
    /// A communicator is freed.
    15 Release { ; /// The communicator.
        comm: Option<Comm>, ; }
    /// One-sided communication, or its synchronization.
    16 OneSided {
        /// The window.
        window: Option<WindowOrFileId>,
        /// The rank whose memory is accessed.
        target: Peer,
        ;
        /// Bytes that are moved.
        bytes: u64,
        /// The request (`MPI_Rput` and its like).
        request: Option<Slot>,
        ;
    }
    /// A file is opened, read, written or closed.
    17 File {
        /// The file.
        file: Option<WindowOrFileId>,
        ;
        /// Bytes that are moved.
        bytes: u64,
        /// The request, if it is non-blocking.
        request: Option<Slot>,
        ;
    }
    /// Processes are started or connected, sessions opened or closed.
    18 Process { ; /// The number of processes.
        count: i64, ; }
    /// `MPI_Pcontrol`.
    19 Control { ; /// The level: 0 off, 1 on, 2 flush, 3 restart, 4 and -4 of a region.
        level: i32, ; }
    /// Polls in a row that found nothing: a loop in which the program waits. The function is the
    /// one that polled.
    20 Spin {
        ;
        /// The number of polls.
        polls: u64,
        /// The time between them, in nanoseconds, which is not computation.
        spun: u64,
        ;
    }
    /// The events that follow are calls of another thread.
    21 Thread { ; /// Its number, in the order in which threads first called MPI.
        thread: u32, ; }
}
