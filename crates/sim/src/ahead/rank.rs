//! Where a rank is in its operations, and its pending requests.

use panto_units::Time;

use super::interleaved_ops::OpChunk;

/// No index.
pub(crate) const NONE: u32 = u32::MAX;

/// The state of a rank or helper: one cache line, held in registers during a turn.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct RankState<'a, T> {
    /// Its operations: [`OpChunk`]s, or plain operations when a [batch](crate::batch) is recorded.
    pub(crate) ops: &'a [T],
    /// Its virtual time.
    pub(super) clock: Time,
    /// When it may inject the next message into the network.
    pub(super) injection_free: Time,
    /// How many iterations of the innermost loop are left, this one included.
    pub(super) loop_left: u64,
    /// The first operation of the innermost loop.
    pub(super) loop_start: u32,
    /// The operation after the innermost loop; [`NONE`] outside of loops.
    pub(super) loop_exit: u32,
    /// Program counter: the next operation; [`NONE`] if the rank has ended.
    pub(crate) pc: u32,
    /// The first of its slots.
    pub(super) slots: u32,
    /// The slot it is blocked on; [`NONE`] if it is not.
    pub(super) waiting_slot: u32,
    /// How many calls it has begun.
    pub(super) calls: u32,
}

impl<T> Clone for RankState<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for RankState<'_, T> {}

const _: () = assert!(size_of::<RankState<'_, OpChunk>>() == 64);

/// What of a rank is needed rarely, apart from [`RankState`] to keep that in one cache line.
#[derive(Debug, Default)]
pub(crate) struct RankExtra {
    /// How many computations it has done.
    pub(super) computations: u64,
    /// How many times of its list it has used.
    pub(super) times_used: u32,
    /// How many sends it has begun that had to be tracked until completion.
    pub(super) tracked_sends: u32,
    /// When the injection port can take data that follows a clear to send.
    pub(super) port_free: Time,
    /// The loops around the innermost: iterations left, start and exit.
    pub(super) outer_loops: Vec<(u64, u32, u32)>,
}

/// Bits of [`Slot::number`] that say what is in the slot.
const KIND: u32 = 3 << 30;
/// A receive.
const RECEIVE: u32 = 1 << 30;
/// A receive whose message has passed the ejection port.
const EJECTED: u32 = 3 << 30;
/// A send.
const SEND: u32 = 2 << 30;

/// Slots of a rank beyond those of the program: one for a blocking operation that has to wait.
pub(super) const BLOCKING_SLOTS: u32 = 1;

/// A request slot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) channel: u32,
    /// Kind and sequence number: of a receive in its channel, of a send in its rank.
    number: u32,
    /// Of a receive, when it was posted; of a send, when it completes, or the maximum if unknown.
    pub(super) time: Time,
}

/// What is in a slot.
pub(super) enum SlotContent {
    Empty,
    Receive,
    /// A receive whose message has passed the ejection port.
    Ejected,
    Send,
}

impl Slot {
    pub(super) const EMPTY: Self = Self { channel: NONE, number: 0, time: Time::ZERO };

    /// Returns a slot with the `nth` receive of a channel.
    #[inline]
    pub(super) fn receive(channel: u32, nth: u32, posted: Time) -> Self {
        Self { channel, number: RECEIVE | (nth & !KIND), time: posted }
    }

    /// Returns a slot with the `nth` send of its rank.
    pub(super) fn send(channel: u32, nth: u32, complete: Time) -> Self {
        Self { channel, number: SEND | (nth & !KIND), time: complete }
    }

    #[inline]
    pub(super) fn content(self) -> SlotContent {
        match self.number & KIND {
            RECEIVE => SlotContent::Receive,
            EJECTED => SlotContent::Ejected,
            SEND => SlotContent::Send,
            _ => SlotContent::Empty,
        }
    }

    /// Notes that the message of the receive has passed the ejection port.
    #[inline]
    pub(super) fn set_ejected(&mut self) {
        self.number |= EJECTED;
    }

    /// Returns whether it holds the `nth` send of its rank.
    pub(super) fn is_send(self, nth: u32) -> bool {
        self.number == SEND | (nth & !KIND)
    }

    /// Returns how many receives lie between the first `count` of the channel and this one.
    #[inline]
    pub(super) fn ahead_of(self, count: u32) -> u32 {
        self.number.wrapping_sub(count) & !KIND
    }

    /// Returns its sequence number.
    pub(super) fn nth(self) -> u32 {
        self.number & !KIND
    }
}

/// Returns a sequence number modulo the range that a slot can hold.
#[inline]
pub(super) fn wrap(nth: u32) -> u32 {
    nth & !KIND
}

impl RankExtra {
    /// Returns the next time of the rank's list.
    #[inline]
    pub(crate) fn next_of(&mut self, times: &[Time]) -> Time {
        let time = times.get(self.times_used as usize).copied().unwrap_or_default();
        self.times_used += 1;
        time
    }
}

impl<'a, T> RankState<'a, T> {
    /// Returns the state of a rank that has not begun.
    pub(crate) fn at_start(ops: &'a [T]) -> Self {
        Self {
            ops,
            clock: Time::ZERO,
            injection_free: Time::ZERO,
            loop_left: 0,
            loop_start: 0,
            loop_exit: NONE,
            pc: 0,
            slots: 0,
            waiting_slot: NONE,
            calls: 0,
        }
    }

    /// Enters a loop.
    #[inline]
    pub(crate) fn repeat(&mut self, extra: &mut RankExtra, at: u32, times: u64) {
        if self.loop_exit != NONE {
            extra.outer_loops.push((self.loop_left, self.loop_start, self.loop_exit));
        }
        (self.loop_left, self.loop_start, self.loop_exit) = (times, at, self.pc);
        self.pc = at;
    }

    /// Ends an iteration of the innermost loop, or the main part. Returns true if the rank has
    /// ended.
    #[inline]
    pub(crate) fn end(&mut self, extra: &mut RankExtra) -> bool {
        if self.loop_left > 1 {
            self.loop_left -= 1;
            self.pc = self.loop_start;
            return false;
        }
        if self.loop_exit == NONE {
            self.pc = NONE;
            return true;
        }
        self.pc = self.loop_exit;
        (self.loop_left, self.loop_start, self.loop_exit) = extra.outer_loops.pop().unwrap_or((0, 0, NONE));
        false
    }
}
