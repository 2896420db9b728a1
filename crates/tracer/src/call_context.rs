//! The call that is being recorded, and what its arguments mean.

use std::ffi::c_int;

use panto_trace::{Action, Key, Name, Peer, Site, Slot};

use crate::function::Function;
use crate::library;
use crate::rank::Rank;
use crate::thread_state::ActiveCall;
use panto_recording::{CommInfo, Request, TypeInfo};

/// The longest computation between two polls that find nothing, in nanoseconds, that counts as
/// waiting and not as computation: polls that follow each other faster are folded into one event.
const SPIN_NS: u64 = 1_000;

/// A call that is being recorded.
pub struct CallContext<'a> {
    pub rank: &'a mut Rank,
    site: &'static Function,
    /// Whether counts have 64 bits.
    is_wide: bool,
    code: c_int,
    thread: u32,
    /// The place in the program that calls, if it is recorded.
    call_site: Option<Site>,
    /// The computation before the call, in nanoseconds.
    pub(crate) before: u64,
    /// When the call began and ended, in ticks.
    wall: (u64, u64),
    is_recorded: bool,
}

impl<'a> CallContext<'a> {
    pub fn new(
        rank: &'a mut Rank,
        site: &'static Function,
        is_wide: bool,
        code: c_int,
        entered: &mut ActiveCall,
        end: Option<u64>,
    ) -> Self {
        let wall = (entered.start(), end.unwrap_or(entered.start()));
        let thread = entered.thread();
        let measured = entered.before();
        let before = rank.live.as_mut().map_or(measured, |live| live.before_call(measured));
        // SAFETY: the call has not returned, and its stack pointer was stored when it began.
        let call_site = unsafe { rank.call_site(entered.stack()) };
        Self { rank, site, is_wide, code, thread, call_site, before, wall, is_recorded: false }
    }

    /// A call that is not made yet, in a run in virtual time.
    pub fn before_the_call(rank: &'a mut Rank, site: &'static Function, is_wide: bool, before: u64) -> Self {
        let (thread, wall) = (0, (0, 0));
        Self { rank, site, is_wide, code: 0, thread, call_site: None, before, wall, is_recorded: false }
    }

    /// Returns whether MPI returned success.
    pub fn succeeded(&self) -> bool {
        self.code == 0
    }

    /// Records the call as an event.
    #[inline]
    pub fn record(&mut self, action: &Action<'_>) {
        if self.rank.live.as_ref().is_some_and(|live| !live.is_reported()) {
            self.report(action);
        }
        let name = self.name();
        self.rank.record(name, self.call_site, action, self.thread, self.before, self.wall);
        self.before = 0;
        self.is_recorded = true;
        if let Some(live) = &mut self.rank.live {
            live.finish_call();
        }
    }

    /// Records the call as an event of another name than the function's.
    pub fn record_as(&mut self, name: &str, action: &Action<'_>) {
        let name = self.rank.recorder.name(name);
        self.rank.record(name, None, action, self.thread, self.before, self.wall);
        self.before = 0;
        self.is_recorded = true;
    }

    /// Records the call if it has the key that is expected next, so that nothing of it must be
    /// encoded. Returns whether it was.
    #[inline]
    pub fn repeat(&mut self, key: &Key) -> bool {
        let repeats = self.rank.repeat(key, self.thread, self.before, self.wall);
        if repeats {
            self.before = 0;
            self.is_recorded = true;
        }
        repeats
    }

    /// Records the call with the key by which [`repeat`](Self::repeat) recognises it.
    #[inline]
    pub fn record_with_key(&mut self, key: Key, action: &Action<'_>) {
        self.record(action);
        if self.rank.is_on() {
            self.rank.recorder.remember(key);
        }
    }

    /// Returns the key of a message that is sent or received without wildcards: all that its action
    /// is made of.
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
            self.site_key(),
        ]
    }

    /// Returns the part of a key that is the call site.
    #[inline]
    pub fn site_key(&self) -> u64 {
        self.call_site.map_or(u64::MAX, |site| site.0.into())
    }

    /// Returns the computation before the call, in nanoseconds, if the call left no event. It
    /// belongs to the next call.
    pub fn unrecorded_computation(&self) -> u64 {
        if self.is_recorded { 0 } else { self.before }
    }

    /// Discards the computation before the call: recording was off.
    pub fn forget_computation(&mut self) {
        self.before = 0;
    }

    /// Returns the number of the function's name.
    #[inline]
    pub fn name(&mut self) -> Name {
        self.rank.name(self.site)
    }

    /// Records a poll that found nothing. Polls that follow each other without computation are
    /// folded into one event.
    pub fn record_failed_poll(&mut self, action: &Action<'_>) {
        if self.before < SPIN_NS {
            let name = self.name();
            self.rank.spin(name, self.call_site, self.thread, self.before, self.wall);
            self.is_recorded = true;
            if let Some(live) = &mut self.rank.live {
                live.finish_poll();
            }
        } else {
            self.record(action);
        }
    }

    /// Returns a number of elements.
    #[inline]
    pub fn count(&self, word: usize) -> u64 {
        let count = if self.is_wide { word as i64 } else { i64::from(word as c_int) };
        count.max(0) as u64
    }

    /// Returns the number of elements at a place of a list.
    ///
    /// # Safety
    /// `address` must be that of a list of counts, as wide as the function takes them, longer than
    /// `place`.
    pub unsafe fn count_at(&self, address: usize, place: usize) -> u64 {
        // SAFETY: the caller promises a list that is longer than `place`, with counts of this
        // width.
        unsafe {
            if self.is_wide {
                (*(address as *const i64).add(place)).max(0) as u64
            } else {
                (*(address as *const c_int).add(place)).max(0) as u64
            }
        }
    }

    /// Returns the communicator of a handle.
    #[inline]
    pub fn comm(&mut self, word: usize) -> CommInfo {
        let rank = &mut *self.rank;
        rank.comms.get(rank.mpi.handle(word), rank.mpi, &mut rank.recorder)
    }

    /// Returns the datatype of a handle.
    #[inline]
    pub fn datatype(&mut self, word: usize) -> TypeInfo {
        let rank = &mut *self.rank;
        rank.types.get(rank.mpi.handle(word), rank.mpi, &mut rank.recorder)
    }

    /// Returns whether a reduction operation is commutative.
    pub fn is_commutative(&mut self, word: usize) -> bool {
        let rank = &mut *self.rank;
        rank.types.is_commutative(rank.mpi.handle(word), rank.mpi)
    }

    /// Returns another rank, relative to this rank's number in the communicator.
    #[inline]
    pub fn peer(&self, word: usize, own: u32) -> Peer {
        let constants = &self.rank.mpi.constants;
        match word as c_int {
            number if number >= 0 => Peer::Relative(number.wrapping_sub(own as c_int)),
            number if number == constants.any_source => Peer::Any,
            number if number == constants.root => Peer::Root,
            _ => Peer::Null,
        }
    }

    /// Returns a tag; -1 for `MPI_ANY_TAG`.
    #[inline]
    pub fn tag(&self, word: usize) -> i64 {
        let tag = word as c_int;
        if tag == self.rank.mpi.constants.any_tag { -1 } else { tag.into() }
    }

    /// Adds the request whose handle MPI has written to an address; none if it is
    /// `MPI_REQUEST_NULL`.
    ///
    /// # Safety
    /// `address` must be that of a handle.
    #[inline]
    pub unsafe fn new_request(&mut self, address: usize, request: Request) -> Option<Slot> {
        // SAFETY: the caller promises that a handle is there.
        let handle = unsafe { self.rank.mpi.handle_at(address, 0) };
        let is_none = handle == self.rank.mpi.constants.request_null;
        (!is_none).then(|| self.rank.requests.add(handle, request))
    }
}

/// Packs two numbers into one.
#[inline]
pub fn pair(one: u32, other: u32) -> u64 {
    u64::from(one) << 32 | u64::from(other)
}

/// Returns the `int` at an address.
///
/// # Safety
/// `address` must be that of an `int`.
pub unsafe fn int_at(address: usize) -> c_int {
    // SAFETY: the caller promises that an `int` is there.
    unsafe { *(address as *const c_int) }
}

/// Returns whether a receive has a wildcard, so that what it matches is recorded.
pub fn is_wild(from: usize, tag: usize) -> bool {
    let Ok(mpi) = library::get() else { return false };
    let constants = &mpi.constants;
    from as c_int == constants.any_source || tag as c_int == constants.any_tag
}
