//! A call that is being recorded: what its arguments mean.

use std::ffi::c_int;

use panto_trace::{Action, Key, Name, Peer, Slot};

use crate::local::Entered;
use crate::rank::Rank;
use crate::requests::Request;
use crate::site::Site;
use crate::{comms, library, types};

/// A look that follows the last one within this time, in nanoseconds, is waiting and not computing.
const SPIN_NS: u64 = 1_000;

/// A call that is being recorded.
pub struct At<'a> {
    pub rank: &'a mut Rank,
    site: &'static Site,
    /// Counts have 64 bits.
    is_wide: bool,
    code: c_int,
    thread: u32,
    /// Computation before it, in nanoseconds.
    before: u64,
    /// When it began and ended, in ticks.
    wall: (u64, u64),
    is_settled: bool,
}

impl<'a> At<'a> {
    pub fn new(
        rank: &'a mut Rank,
        site: &'static Site,
        is_wide: bool,
        code: c_int,
        entered: &mut Entered,
        end: Option<u64>,
    ) -> Self {
        let wall = (entered.start(), end.unwrap_or(entered.start()));
        let thread = entered.thread();
        Self { rank, site, is_wide, code, thread, before: entered.before(), wall, is_settled: false }
    }

    /// Did MPI do it?
    pub fn succeeded(&self) -> bool {
        self.code == 0
    }

    /// Records the call.
    #[inline]
    pub fn emit(&mut self, action: &Action<'_>) {
        self.rank.record(self.site, action, self.thread, self.before, self.wall);
        self.before = 0;
        self.is_settled = true;
    }

    /// Records the call if it is the one that was expected, in nothing different from the last time. Answers whether it was.
    #[inline]
    pub fn repeat(&mut self, key: &Key) -> bool {
        let repeats = self.rank.repeat(key, self.thread, self.before, self.wall);
        if repeats {
            self.before = 0;
            self.is_settled = true;
        }
        repeats
    }

    /// Records the call, of which this is the key.
    #[inline]
    pub fn emit_with(&mut self, key: Key, action: &Action<'_>) {
        self.emit(action);
        if self.rank.is_on() {
            self.rank.recorder.remember(key);
        }
    }

    /// What identifies a message that is sent or received without wild cards: all that its action is made of.
    #[inline]
    pub fn key(
        &mut self,
        request: Option<Slot>,
        count: u64,
        datatype: usize,
        peer: usize,
        tag: usize,
        comm: usize,
    ) -> Key {
        let mpi = self.rank.mpi;
        let place = request.map_or(u32::MAX, |slot| slot.0);
        [
            pair(self.name().0, place),
            pair(peer as u32, tag as u32),
            count,
            mpi.handle(datatype) as u64,
            mpi.handle(comm) as u64,
            pair(self.rank.comms.changes(), self.rank.types.changes()),
        ]
    }

    /// The computation before a call that left no event; it belongs to the next one.
    pub fn unsettled(&self) -> u64 {
        if self.is_settled { 0 } else { self.before }
    }

    /// What was computed while nothing was recorded does not count.
    pub fn forget_computation(&mut self) {
        self.before = 0;
    }

    /// The number of the function's name.
    #[inline]
    pub fn name(&mut self) -> Name {
        self.rank.name(self.site)
    }

    /// Records a look that found nothing; folds it with the last ones if the program does nothing else in between.
    pub fn emit_failed_look(&mut self, action: &Action<'_>) {
        if self.before < SPIN_NS {
            self.rank.spin(self.site, self.thread, self.before, self.wall);
            self.is_settled = true;
        } else {
            self.emit(action);
        }
    }

    /// A number of elements.
    #[inline]
    pub fn count(&self, word: usize) -> u64 {
        let count = if self.is_wide { word as i64 } else { i64::from(word as c_int) };
        count.max(0) as u64
    }

    /// The number of elements at a place of a list of such numbers.
    ///
    /// # Safety
    /// `address` must be that of a list of counts, as wide as the function wants them, longer than `place`.
    pub unsafe fn count_at(&self, address: usize, place: usize) -> u64 {
        // SAFETY: as the caller says.
        unsafe {
            if self.is_wide {
                (*(address as *const i64).add(place)).max(0) as u64
            } else {
                (*(address as *const c_int).add(place)).max(0) as u64
            }
        }
    }

    /// A communicator.
    #[inline]
    pub fn comm(&mut self, word: usize) -> comms::Known {
        let rank = &mut *self.rank;
        rank.comms.get(rank.mpi.handle(word), rank.mpi, &mut rank.recorder)
    }

    /// A datatype.
    #[inline]
    pub fn datatype(&mut self, word: usize) -> types::Known {
        let rank = &mut *self.rank;
        rank.types.get(rank.mpi.handle(word), rank.mpi, &mut rank.recorder)
    }

    /// Does this operation commute?
    pub fn commutes(&mut self, word: usize) -> bool {
        let rank = &mut *self.rank;
        rank.types.commutes(rank.mpi.handle(word), rank.mpi)
    }

    /// Another rank.
    #[inline]
    pub fn peer(&self, word: usize, own: u32) -> Peer {
        let constants = &self.rank.mpi.constants;
        match word as c_int {
            number if number >= 0 => Peer::Relative(number.wrapping_sub(own as c_int)),
            number if number == constants.any_source => Peer::Any,
            number if number == constants.root => Peer::Here,
            _ => Peer::Nobody,
        }
    }

    /// A tag; -1 for any.
    #[inline]
    pub fn tag(&self, word: usize) -> i64 {
        let tag = word as c_int;
        if tag == self.rank.mpi.constants.any_tag { -1 } else { tag.into() }
    }

    /// Notes the request that MPI has written to this address.
    #[inline]
    pub fn new_request(&mut self, address: usize, request: Request) -> Option<Slot> {
        // SAFETY: MPI wrote a handle there.
        let handle = unsafe { self.rank.mpi.handle_at(address, 0) };
        let is_none = handle == self.rank.mpi.constants.request_null;
        (!is_none).then(|| self.rank.requests.add(handle, request))
    }
}

/// Two numbers in one.
#[inline]
pub fn pair(one: u32, other: u32) -> u64 {
    u64::from(one) << 32 | u64::from(other)
}

/// A number that MPI has written to this address.
pub fn int_at(address: usize) -> c_int {
    // SAFETY: MPI wrote a number there.
    unsafe { *(address as *const c_int) }
}

/// Does a receive take what comes, so that it is worth recording what came?
pub fn is_wild(from: usize, tag: usize) -> bool {
    let Ok(mpi) = library::get() else { return false };
    let constants = &mpi.constants;
    from as c_int == constants.any_source || tag as c_int == constants.any_tag
}
