//! Rendezvous and synchronous sends: messages whose sender waits for the receiver.
//!
//! Most messages are eager: the sender computes the arrival and is done. The send of a
//! *synchronous* message completes when it is matched, and a message above the eager limit goes by
//! *rendezvous*: a request to send (RTS) travels to the receiver, a clear to send (CTS) comes back
//! once the receive is posted, and only then does the data travel. When a send by `Handshake` or
//! `NoSpace` (see [`SendProtocol`](crate::engine::SendProtocol)) completes, the sender can compute
//! alone: of this module, `Handshake` needs [`MessageDetail::Resolved`] only, and `NoSpace`
//! nothing.
//!
//! ```text
//! sender    RTS ------->                 data has left: send completes
//!                       \               /----------->
//! receiver               matched -- CTS              data arrives: receive completes
//!                        ^ max(RTS arrives, receive posted)
//! ```
//!
//! The sender computes everything that depends on it: when the RTS arrives, and how long CTS and
//! data take. It puts that beside the message as a [`MessageDetail`]. The rest depends on when the
//! receive is posted, and is computed by the partition of the receiver in [`resolve`], as soon as
//! both message and receive are known, in whichever order: on channels that can carry such
//! messages, receives that are posted before their message are recorded with their times
//! ([`Channels::push_post`](super::channels::Channels::push_post)). The message then gets its
//! arrival, and the sender a [`SendCompletion`], which is a message in the opposite direction. All
//! of it is arithmetic on times that do not change any more, so no global order is needed.

use panto_units::Time;

use super::channels::{DETAILED, Message};
use crate::observe::Cause;
use crate::slab::Slab;

/// A send that has not completed.
#[derive(Debug, Clone, Copy)]
pub(super) struct PendingSend {
    /// The sender's position in the whole program.
    pub(super) position: u32,
    /// The slot of the request, counted among those of the rank.
    pub(super) slot: u32,
    /// The number of the send among those of its rank, to tell it from an earlier one in the same
    /// slot.
    pub(super) nth: u32,
}

/// The completion of a send.
#[derive(Debug, Clone, Copy)]
pub(super) struct SendCompletion {
    pub(super) send: PendingSend,
    /// When the send completes.
    pub(super) at: Time,
    pub(super) cause: Cause,
}

/// What a message needs beyond its arrival and its size.
#[derive(Debug, Clone, Copy)]
pub(super) enum MessageDetail {
    /// Nothing depends on the receive any more, but the buffer of the message was chosen at another
    /// time than its arrival. If that was before the receive was posted, the message was
    /// unexpected.
    Resolved { bytes: u64, buffer_chosen: Time },
    /// The send completes when the message is matched.
    Synchronous { bytes: u64, send: PendingSend },
    /// The entry in the channel is a request to send.
    Rendezvous {
        bytes: u64,
        send: PendingSend,
        /// From the match until the clear to send has reached the sender.
        cts: Time,
        /// When the sender's injection port is free for the data.
        port_free: Time,
        /// From the start of the data until it has left the sender.
        leaves: Time,
        /// From the start of the data until it has arrived.
        arrives: Time,
    },
}

/// Later than every posted receive: the data of a rendezvous is never unexpected.
const NEVER: Time = Time::from_picos(u64::MAX);

/// Details by number.
pub(super) type Details = Slab<MessageDetail>;

/// Returns the message with its details stored.
pub(super) fn insert(details: &mut Details, message: Message, detail: MessageDetail) -> Message {
    Message { bytes: DETAILED | u64::from(details.insert(detail)), ..message }
}

/// Removes the details of a message. Returns its size in bytes, and when its buffer was chosen.
pub(super) fn remove(details: &mut Details, message: Message) -> (u64, Time) {
    match take(details, message) {
        MessageDetail::Resolved { bytes, buffer_chosen } => (bytes, buffer_chosen),
        MessageDetail::Synchronous { bytes, .. } | MessageDetail::Rendezvous { bytes, .. } => {
            (bytes, message.arrival)
        }
    }
}

/// Returns the size of a message in bytes.
pub(super) fn size(details: &Details, message: Message) -> u64 {
    if message.bytes & DETAILED == 0 {
        return message.bytes;
    }
    match details[(message.bytes & !DETAILED) as u32] {
        MessageDetail::Resolved { bytes, .. }
        | MessageDetail::Synchronous { bytes, .. }
        | MessageDetail::Rendezvous { bytes, .. } => bytes,
    }
}

/// Removes and returns the details of a message.
pub(super) fn take(details: &mut Details, message: Message) -> MessageDetail {
    let number = (message.bytes & !DETAILED) as u32;
    details.free(number);
    details[number]
}

/// Matches a message with its receive, which was posted at `posted`. Returns the message with its
/// final arrival, and the completion of the send if the sender waits for it. `sender` and
/// `receiver` are code numbers.
pub(super) fn resolve(
    details: &mut Details,
    message: Message,
    detail: MessageDetail,
    posted: Time,
    (sender, receiver): (u32, u32),
) -> (Message, Option<SendCompletion>) {
    let matched = message.arrival.max(posted);
    let cause = if posted > message.arrival {
        Cause { rank: receiver, at: posted }
    } else {
        Cause { rank: sender, at: message.sent }
    };
    match detail {
        MessageDetail::Resolved { .. } => (insert(details, message, detail), None),
        MessageDetail::Synchronous { bytes, send } => {
            let message = if bytes & DETAILED == 0 {
                Message { bytes, ..message }
            } else {
                insert(details, message, MessageDetail::Resolved { bytes, buffer_chosen: message.arrival })
            };
            (message, Some(SendCompletion { send, at: matched, cause }))
        }
        MessageDetail::Rendezvous { bytes, send, cts, port_free, leaves, arrives } => {
            let start = matched.saturating_add(cts).max(port_free);
            let message = Message { arrival: start.saturating_add(arrives), ..message };
            let completion = SendCompletion { send, at: start.saturating_add(leaves), cause };
            (
                insert(details, message, MessageDetail::Resolved { bytes, buffer_chosen: NEVER }),
                Some(completion),
            )
        }
    }
}
