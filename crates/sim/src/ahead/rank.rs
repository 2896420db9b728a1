//! Where a rank is in its code, and what it has started.

use panto_units::Time;

use super::score::Bar;

/// No place, nothing.
pub(crate) const NONE: u32 = u32::MAX;

/// A rank, in one line of the cache. While it runs, this is in registers.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Rank<'a, T> {
    /// What it does: operations, or bars of a score.
    pub(crate) ops: &'a [T],
    pub(super) clock: Time,
    /// When it may put the next message on a network.
    pub(super) free: Time,
    /// How often the innermost loop is still to be done, this time included,
    pub(super) left: u64,
    /// where it begins,
    pub(super) again: u32,
    /// and where the rank goes on after it; [`NONE`] if there is no loop.
    pub(super) after: u32,
    /// The next operation; [`NONE`] if it has ended.
    pub(crate) next: u32,
    /// Where its slots are.
    pub(super) slots: u32,
    /// The slot that it waits for, if it does.
    pub(super) waits: u32,
    /// How many calls it has begun.
    pub(super) calls: u32,
}

impl<T> Clone for Rank<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Rank<'_, T> {}

const _: () = assert!(size_of::<Rank<'_, Bar>>() == 64);

/// What of a rank is seldom needed.
#[derive(Debug, Default)]
pub(crate) struct Rest {
    /// How many computations it has done,
    pub(super) computed: u64,
    /// and how many of its list.
    pub(super) listed: u32,
    /// How many sends it has begun that need an answer.
    pub(super) asked: u32,
    /// Loops around the innermost.
    pub(super) outer: Vec<(u64, u32, u32)>,
}

/// What a slot is for, in the two highest digits of its number.
const KIND: u32 = 3 << 30;
const RECEIVE: u32 = 1 << 30;
const SEND: u32 = 2 << 30;

/// So many more slots than the program says: for a blocking send or receive that cannot be done in one go.
pub(super) const OWN_SLOTS: u32 = 1;

/// A place for a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) channel: u32,
    number: u32,
    /// Of a receive, when it was posted; of a send, when it is complete, or the end of time.
    pub(super) time: Time,
}

/// What is in a slot.
pub(super) enum Holds {
    Nothing,
    Receive,
    Send,
}

impl Slot {
    pub(super) const EMPTY: Self = Self { channel: NONE, number: 0, time: Time::ZERO };

    /// The receive that is the `nth` of its channel.
    #[inline]
    pub(super) fn receive(channel: u32, nth: u32, posted: Time) -> Self {
        Self { channel, number: RECEIVE | (nth & !KIND), time: posted }
    }

    /// The send that is the `nth` of its rank.
    pub(super) fn send(channel: u32, nth: u32, complete: Time) -> Self {
        Self { channel, number: SEND | (nth & !KIND), time: complete }
    }

    #[inline]
    pub(super) fn holds(self) -> Holds {
        match self.number & KIND {
            RECEIVE => Holds::Receive,
            SEND => Holds::Send,
            _ => Holds::Nothing,
        }
    }

    /// Is it for this send of its rank?
    pub(super) fn is_send(self, nth: u32) -> bool {
        self.number == SEND | (nth & !KIND)
    }

    /// How many receives of its channel, of `count` that were posted or done, come before it, counted from there.
    #[inline]
    pub(super) fn ahead_of(self, count: u32) -> u32 {
        self.number.wrapping_sub(count) & !KIND
    }

    /// Its number in its channel.
    pub(super) fn nth(self) -> u32 {
        self.number & !KIND
    }
}

/// Numbers of receives go round.
#[inline]
pub(super) fn around(nth: u32) -> u32 {
    nth & !KIND
}

impl Rest {
    /// The next time of the rank's list.
    #[inline]
    pub(crate) fn next_of(&mut self, times: &[Time]) -> Time {
        let time = times.get(self.listed as usize).copied().unwrap_or_default();
        self.listed += 1;
        time
    }
}

impl<'a, T> Rank<'a, T> {
    /// One that has done nothing yet.
    pub(crate) fn at_start(ops: &'a [T]) -> Self {
        Self {
            ops,
            clock: Time::ZERO,
            free: Time::ZERO,
            left: 0,
            again: 0,
            after: NONE,
            next: 0,
            slots: 0,
            waits: NONE,
            calls: 0,
        }
    }

    /// Begins a loop.
    #[inline]
    pub(crate) fn repeat(&mut self, rest: &mut Rest, at: u32, times: u64) {
        if self.after != NONE {
            rest.outer.push((self.left, self.again, self.after));
        }
        (self.left, self.again, self.after) = (times, at, self.next);
        self.next = at;
    }

    /// Comes to the end of a loop, or of the main part: then the answer is true.
    #[inline]
    pub(crate) fn end(&mut self, rest: &mut Rest) -> bool {
        if self.left > 1 {
            self.left -= 1;
            self.next = self.again;
            return false;
        }
        if self.after == NONE {
            self.next = NONE;
            return true;
        }
        self.next = self.after;
        (self.left, self.again, self.after) = rest.outer.pop().unwrap_or((0, 0, NONE));
        false
    }
}
