//! What a call does: one list for the writer and the reader.
//!
//! An action has parts that stay the same when a program repeats it, such as the communicator and the partner, and parts that vary, such
//! as bytes and tags. The constant parts, together with the function's name, are a *signature*, written once. An event is the number of
//! its signature; its varying parts are written only where they differ from those of the last event with this signature.

mod parts;

use crate::field::{Comm, Field, Form, Look, Mode, Object, Pattern, Peer, Slot, Type, Until};

use parts::actions;

/// The most constant parts that an action has.
pub const MOST_CONSTANTS: usize = 8;

/// The constant parts of an action.
pub type Constants = [i64; MOST_CONSTANTS];

actions! {
    /// The beginning: the first call of a trace.
    0 Initialise {
        /// The level of threads that the library gave: 0 single, 1 funneled, 2 serialised, 3 multiple.
        threads: u32,
        ; ;
    }
    /// The end: `MPI_Finalize`.
    1 Finalise { ; ; }
    /// `MPI_Abort`.
    2 Abort { ; /// The code for the environment.
        code: i32, ; }
    /// A send.
    3 Send {
        /// When it may end.
        mode: Mode,
        /// How it is called.
        form: Form,
        /// Where.
        comm: Comm,
        /// To whom.
        to: Peer,
        /// Of what.
        datatype: Type,
        ;
        /// The message's bytes.
        bytes: u64,
        /// The tag.
        tag: i64,
        /// What tells its end.
        request: Option<Slot>,
        ;
    }
    /// A receive.
    4 Receive {
        /// How it is called.
        form: Form,
        /// Where.
        comm: Comm,
        /// From whom.
        from: Peer,
        /// Of what.
        datatype: Type,
        ;
        /// Room for so many bytes.
        bytes: u64,
        /// The tag; -1 for any.
        tag: i64,
        /// What tells its end.
        request: Option<Slot>,
        /// Where wild cards were used and the call blocks: the sender's number in the communicator, else -1.
        source: i64,
        /// Likewise: the message's tag.
        got_tag: i64,
        /// Likewise: the message's bytes.
        got_bytes: i64,
        ;
    }
    /// A send and a receive at once.
    5 SendReceive {
        /// Where.
        comm: Comm,
        /// To whom.
        to: Peer,
        /// From whom.
        from: Peer,
        /// Of what.
        datatype: Type,
        /// What is received has this type.
        got_type: Type,
        /// In one buffer.
        replace: bool,
        ;
        /// The bytes sent.
        bytes: u64,
        /// The tag sent.
        tag: i64,
        /// Room for so many bytes.
        room: u64,
        /// The tag wanted; -1 for any.
        want_tag: i64,
        /// Where wild cards were used: the sender's number in the communicator, else -1.
        source: i64,
        /// Likewise: the message's tag.
        got_tag: i64,
        /// Likewise: the message's bytes.
        got_bytes: i64,
        /// What tells its end (`MPI_Isendrecv`).
        request: Option<Slot>,
        ;
    }
    /// Persistent operations are started.
    6 Start { ; ; /// Their places.
        requests, }
    /// A call that completes requests.
    7 Complete {
        /// Which of them it wants.
        until: Until,
        ; ;
        /// The places of the requests, in their order.
        requests,
        /// Which of these were completed: positions in `requests`.
        completed,
        /// What came, for completed receives with wild cards: position in `requests`, source, tag and bytes of each; the source is -2 if the
        /// operation was cancelled, -3 if nobody sent it (`MPI_PROC_NULL`).
        outcomes,
    }
    /// A look for a message.
    8 Probe {
        /// What it does when there is one.
        look: Look,
        /// Where.
        comm: Comm,
        /// From whom.
        from: Peer,
        ;
        /// The tag; -1 for any.
        tag: i64,
        /// Was there one?
        found: bool,
        /// The sender's number in the communicator, -1 if there was none.
        source: i64,
        /// The message's tag.
        got_tag: i64,
        /// The message's bytes.
        got_bytes: i64,
        /// The place of the message that was taken.
        message: Option<Slot>,
        ;
    }
    /// Receives a message that a probe took.
    9 ReceiveTaken {
        /// How it is called.
        form: Form,
        /// Of what.
        datatype: Type,
        ;
        /// Room for so many bytes.
        bytes: u64,
        /// The place of the message.
        message: Option<Slot>,
        /// What tells its end.
        request: Option<Slot>,
        ;
    }
    /// `MPI_Cancel`.
    10 Cancel { ; /// Its place.
        request: Option<Slot>, ; }
    /// `MPI_Request_free`.
    11 Free { ; /// Its place.
        request: Option<Slot>, ; }
    /// Parts of a partitioned operation are ready, or are looked for.
    12 Partition {
        ;
        /// Its place.
        request: Option<Slot>,
        /// The first part.
        first: i64,
        /// The last part.
        last: i64,
        /// For `MPI_Parrived`: had they arrived?
        arrived: bool,
        ;
    }
    /// A collective operation.
    13 Collective {
        /// Which.
        pattern: Pattern,
        /// How it is called.
        form: Form,
        /// Where.
        comm: Comm,
        /// The root, if it has one.
        root: Peer,
        /// What is given; none where this rank gives nothing, or each part has a type of its own.
        datatype: Option<Type>,
        /// What is got; likewise.
        got_type: Option<Type>,
        /// May operands of the reduction change places?
        commutes: bool,
        /// The data are where the result will be.
        in_place: bool,
        ;
        /// Bytes that this rank gives: for one rank where all get parts of one size, in all where there is a list.
        bytes: u64,
        /// Bytes that it gets: from one rank, or in all where there is a list.
        room: u64,
        /// What tells its end.
        request: Option<Slot>,
        ;
        /// Bytes for each rank, where they differ.
        gives,
        /// Bytes from each rank, where they differ.
        gets,
    }
    /// A communicator is made.
    14 Communicator {
        /// From this one.
        parent: Comm,
        ;
        /// The new one, if this rank is in it.
        comm: Option<Comm>,
        /// What tells its end (`MPI_Comm_idup`).
        request: Option<Slot>,
        ;
    }
    /// A communicator is given up.
    15 Release { ; /// Which.
        comm: Option<Comm>, ; }
    /// One-sided communication, and its synchronisation.
    16 OneSided {
        /// Where.
        window: Option<Object>,
        /// Whose memory.
        target: Peer,
        ;
        /// The bytes moved.
        bytes: u64,
        /// What tells its end.
        request: Option<Slot>,
        ;
    }
    /// A file is opened, read, written or closed.
    17 File {
        /// Which.
        file: Option<Object>,
        ;
        /// The bytes moved.
        bytes: u64,
        /// What tells its end.
        request: Option<Slot>,
        ;
    }
    /// Processes are started or connected, sessions opened or closed.
    18 Process { ; /// How many.
        count: i64, ; }
    /// `MPI_Pcontrol`.
    19 Control { ; /// The level.
        level: i32, ; }
    /// Looks that found nothing, one after the other: a program that waits in a loop. The function is the one that looked.
    20 Spin {
        ;
        /// How many.
        polls: u64,
        /// The time between them, which is not computation, in nanoseconds.
        spun: u64,
        ;
    }
    /// What follows was called by this thread.
    21 Thread { ; /// In the order in which they first called.
        thread: u32, ; }
}
