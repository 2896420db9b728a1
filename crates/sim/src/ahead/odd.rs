//! Messages that are not simply there when they arrive: those whose sender waits for an answer.
//!
//! What such a message will do is computed by its sender as far as possible. The rest depends on when its receive is posted; it is
//! settled by the part of the program that the receiver belongs to, as soon as both are known, and the sender is told.

use panto_units::Time;

use super::queue::{Entry, ODD};
use crate::observe::Cause;
use crate::slots::Slots;

/// Who waits for an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asker {
    /// Its seat,
    pub(super) seat: u32,
    /// its slot, counted among the rank's,
    pub(super) slot: u32,
    /// and which of its sends it is.
    pub(super) nth: u32,
}

/// A send is complete.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer {
    pub(super) asker: Asker,
    pub(super) at: Time,
    pub(super) cause: Cause,
}

/// What is special about a message.
#[derive(Debug, Clone, Copy)]
pub(super) enum Odd {
    /// Only that its place was chosen at another moment than its arrival.
    Placed { bytes: u64, chosen: Time },
    /// Its sender waits until it is received.
    Synchronous { bytes: u64, asker: Asker },
    /// Its sender asks, and waits until the bytes have left.
    Rendezvous {
        bytes: u64,
        asker: Asker,
        /// From the answer to the start of the bytes,
        back: Time,
        /// from there until they have left,
        leaves: Time,
        /// and until they are there.
        arrives: Time,
    },
}

/// Never: the place of a rendezvous message is never chosen too early.
const NEVER: Time = Time::from_picos(u64::MAX);

/// What is special about messages.
pub(super) type Odds = Slots<Odd>;

/// Makes a message of it, whose entry is what is known so far.
pub(super) fn insert(odds: &mut Odds, entry: Entry, odd: Odd) -> Entry {
    Entry { bytes: ODD | u64::from(odds.put(odd)), ..entry }
}

/// The message's bytes, and when their place was chosen.
pub(super) fn remove(odds: &mut Odds, entry: Entry) -> (u64, Time) {
    match take(odds, entry) {
        Odd::Placed { bytes, chosen } => (bytes, chosen),
        Odd::Synchronous { bytes, .. } | Odd::Rendezvous { bytes, .. } => (bytes, entry.arrival),
    }
}

/// What is special about a message, which is not kept any longer.
pub(super) fn take(odds: &mut Odds, entry: Entry) -> Odd {
    let number = (entry.bytes & !ODD) as u32;
    odds.give_back(number);
    odds[number]
}

/// What is left of a message when its receive is posted by `receiver`, and what its sender is told; `sender` and `receiver` are ranks.
pub(super) fn settle(
    odds: &mut Odds,
    entry: Entry,
    odd: Odd,
    posted: Time,
    (sender, receiver): (u32, u32),
) -> (Entry, Option<Answer>) {
    let met = entry.arrival.max(posted);
    let cause = if posted > entry.arrival {
        Cause { rank: receiver, at: posted }
    } else {
        Cause { rank: sender, at: entry.sent }
    };
    match odd {
        Odd::Placed { .. } => (insert(odds, entry, odd), None),
        Odd::Synchronous { bytes, asker } => {
            let entry = if bytes & ODD == 0 {
                Entry { bytes, ..entry }
            } else {
                insert(odds, entry, Odd::Placed { bytes, chosen: entry.arrival })
            };
            (entry, Some(Answer { asker, at: met, cause }))
        }
        Odd::Rendezvous { bytes, asker, back, leaves, arrives } => {
            let start = met.saturating_add(back);
            let entry = Entry { arrival: start.saturating_add(arrives), ..entry };
            let answer = Answer { asker, at: start.saturating_add(leaves), cause };
            (insert(odds, entry, Odd::Placed { bytes, chosen: NEVER }), Some(answer))
        }
    }
}
