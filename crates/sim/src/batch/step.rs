//! The steps of a recording.

use crate::engine::SendProtocol;
use crate::program::{ChannelKind, RemoteAccess};

/// A step of one rank.
///
/// Messages are named by numbers, which are used again once a message is received. Specs and local
/// operations are numbers of what has a cost.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// Computes, for `picos` picoseconds on the machine where it was traced.
    Compute { rank: u32, picos: u64 },
    /// Executes another local operation.
    LocalOp { rank: u32, local_op: u32 },
    /// Injects a message, or the request to send it.
    Send { protocol: SendProtocol, started: bool, rank: u32, message: u32, spec: u32 },
    /// Sends a signal between a rank and its helper, which arrives at once.
    Signal { rank: u32, message: u32 },
    /// Posts a receive.
    Post { rank: u32, message: u32 },
    /// Matches a message, or the request to send it, with its receive: the completion of the send
    /// is known from here on.
    Match { protocol: SendProtocol, message: u32, spec: u32 },
    /// Posts a receive for an eager message and waits for it.
    Receive { rank: u32, message: u32, spec: u32 },
    /// Waits for a posted receive.
    CompleteReceive { protocol: SendProtocol, rank: u32, message: u32, spec: u32 },
    /// Waits for the completion of a send.
    CompleteSend { rank: u32, message: u32 },
    /// Waits until a message has arrived.
    Probe { rank: u32, message: u32 },
}

const _: () = assert!(size_of::<Step>() == 16);

/// A message of a size on a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct MessageSpec {
    pub(super) channel: u32,
    pub(super) bytes: u64,
}

/// What a rank does for itself beside computing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum LocalOp {
    /// Starts a non-blocking operation.
    Start(ChannelKind),
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
        access: RemoteAccess,
        spec: MessageSpec,
    },
}
