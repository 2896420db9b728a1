//! What is on a tape.

use crate::engine::Manner;
use crate::program::{Lane, Way};

/// A step of one rank. *Messages* are numbers of places for what is known of a message, used again when it is received; *parcels* and *chores* are
/// numbers of what has a price.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// Computes for so many picoseconds where it was traced.
    Compute { rank: u32, picos: u64 },
    /// Does something else for itself.
    Chore { rank: u32, chore: u32 },
    /// A message leaves, or the request to send it.
    Send { manner: Manner, started: bool, rank: u32, message: u32, parcel: u32 },
    /// A message is there at once.
    Tell { rank: u32, message: u32 },
    /// A receive is posted.
    Post { rank: u32, message: u32 },
    /// A message, or the request to send it, meets its receive: it is known now when its sender can go on.
    Meet { manner: Manner, message: u32, parcel: u32 },
    /// The rank posts a receive and waits for it; the message leaves without asking.
    Receive { rank: u32, message: u32, parcel: u32 },
    /// The rank waits for a receive that it posted.
    Take { manner: Manner, rank: u32, message: u32, parcel: u32 },
    /// The rank waits for the end of a send.
    Await { rank: u32, message: u32 },
    /// The rank waits until it can know of a message.
    Probe { rank: u32, message: u32 },
}

const _: () = assert!(size_of::<Step>() == 16);

/// A message of a size on a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Parcel {
    pub(super) channel: u32,
    pub(super) bytes: u64,
}

/// What a rank does for itself beside computing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Chore {
    /// Starts something that it will wait for.
    Start(Lane),
    Poll {
        times: u64,
    },
    Copy {
        bytes: u64,
    },
    Reduce {
        bytes: u64,
    },
    File {
        bytes: u64,
    },
    Remote {
        way: Way,
        parcel: Parcel,
    },
}
