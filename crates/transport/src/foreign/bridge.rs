//! The message layer as a stranger's code sees it: functions of C on a transport.

use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_void};

use panto_implementation::abi::{self, Request, World};
use panto_schedule::Order;

use super::watch::Post;
use crate::combine::Combine;
use crate::error::{Error, Result};
use crate::message::{Mode, Tag, Want};
use crate::transport::{Transport, Work};

/// What a function answers when the collective should give up.
const GIVE_UP: c_int = 1;

/// What lies behind a [`World`]. It stays at its place, on the heap.
pub(super) struct Bridge<'t, T: Transport> {
    /// What the stranger sees; its context is this bridge.
    pub(super) world: World,
    transport: &'t T,
    tag: Tag,
    combine: Combine,
    /// Requests by their numbers, less 1.
    requests: RefCell<Vec<Option<T::Handle>>>,
    pending: Cell<usize>,
    /// The first thing that went wrong.
    failure: RefCell<Option<Error>>,
    pub(super) post: Post,
}

impl<'t, T: Transport> Bridge<'t, T> {
    pub(super) fn new(transport: &'t T, tag: Tag, combine: Combine, post: Post) -> Box<Self> {
        let world = World {
            version: abi::VERSION,
            rank: transport.rank() as c_int,
            size: transport.size() as c_int,
            context: std::ptr::null(),
            send: send::<T>,
            receive: receive::<T>,
            start_send: start_send::<T>,
            start_receive: start_receive::<T>,
            test: test::<T>,
            wait: wait::<T>,
            copy: copy::<T>,
            combine: combine_elements::<T>,
        };
        let (requests, failure) = (RefCell::default(), RefCell::default());
        let mut bridge =
            Box::new(Self { world, transport, tag, combine, requests, pending: Cell::new(0), failure, post });
        bridge.world.context = std::ptr::from_ref(&*bridge).cast();
        bridge
    }

    /// What went wrong since this was asked last.
    pub(super) fn take_failure(&self) -> Option<Error> {
        self.failure.take()
    }

    /// Takes back what is still on its way, and answers how much that was.
    pub(super) fn cancel_all(&self) -> usize {
        let mut requests = self.requests.borrow_mut();
        for handle in requests.iter_mut().flatten() {
            self.transport.cancel(handle);
        }
        requests.clear();
        self.pending.replace(0)
    }

    /// Carries something out, unless something has failed already. A failure takes all requests back: the stranger returns, and
    /// their memory may go.
    fn act(&self, act: impl FnOnce() -> Result<()>) -> c_int {
        if self.failure.borrow().is_some() {
            return GIVE_UP;
        }
        self.post.wait(true);
        let outcome = act();
        self.post.wait(false);
        match outcome {
            Ok(()) => abi::OK,
            Err(error) => {
                self.cancel_all();
                self.failure.replace(Some(error));
                GIVE_UP
            }
        }
    }

    fn peer(&self, rank: c_int) -> Result<usize> {
        let ranks = self.transport.size();
        let rank = usize::try_from(rank).unwrap_or(usize::MAX);
        if rank < ranks { Ok(rank) } else { Err(Error::NoSuchRank { rank, ranks }) }
    }

    /// A number for a handle: the lowest free one.
    fn keep(&self, handle: T::Handle) -> Request {
        let mut requests = self.requests.borrow_mut();
        self.pending.set(self.pending.get() + 1);
        let free = requests.iter().position(Option::is_none).unwrap_or(requests.len());
        if free == requests.len() {
            requests.push(None);
        }
        requests[free] = Some(handle);
        free as Request + 1
    }

    /// Asks about a request. Complete ones become 0; those that are 0 already are complete.
    fn settle(
        &self,
        request: &mut Request,
        ask: impl FnOnce(&mut T::Handle) -> Result<bool>,
    ) -> Result<bool> {
        if *request == 0 {
            return Ok(true);
        }
        let place = *request as usize - 1;
        // Not borrowed while it waits: on a simulated machine others run meanwhile, and handlers may.
        let Some(mut handle) = self.requests.borrow_mut().get_mut(place).and_then(Option::take) else {
            return Err(Error::NothingToWaitFor);
        };
        let outcome = ask(&mut handle);
        if outcome == Ok(true) {
            self.pending.set(self.pending.get() - 1);
            *request = 0;
        } else if let Some(free) = self.requests.borrow_mut().get_mut(place) {
            *free = Some(handle);
        }
        outcome
    }
}

impl<T: Transport> Drop for Bridge<'_, T> {
    fn drop(&mut self) {
        self.cancel_all();
    }
}

/// # Safety
/// The world must be the one of a bridge on this transport.
unsafe fn bridge<'b, T: Transport>(world: *const World) -> &'b Bridge<'b, T> {
    // SAFETY: the caller; a bridge stays at its place as long as its world is used.
    unsafe { &*(*world).context.cast() }
}

/// # Safety
/// The world must be that of a bridge, and the data be there: what C promises.
unsafe extern "C-unwind" fn send<T: Transport>(
    world: *const World,
    data: *const c_void,
    len: usize,
    to: c_int,
) -> c_int {
    // SAFETY: the caller.
    let (bridge, data) = unsafe { (bridge::<T>(world), bytes(data, len)) };
    bridge.act(|| bridge.transport.send(Mode::Standard, data, bridge.peer(to)?, bridge.tag))
}

/// # Safety
/// As for `send`.
unsafe extern "C-unwind" fn receive<T: Transport>(
    world: *const World,
    buffer: *mut c_void,
    len: usize,
    from: c_int,
) -> c_int {
    // SAFETY: the caller.
    let (bridge, buffer) = unsafe { (bridge::<T>(world), bytes_mut(buffer, len)) };
    bridge.act(|| bridge.transport.receive(buffer, Want::new(bridge.peer(from)?, bridge.tag)).map(drop))
}

/// # Safety
/// As for `send`, until the request is complete.
unsafe extern "C-unwind" fn start_send<T: Transport>(
    world: *const World,
    data: *const c_void,
    len: usize,
    to: c_int,
    request: *mut Request,
) -> c_int {
    // SAFETY: the caller.
    let (bridge, request) = unsafe { (bridge::<T>(world), &mut *request) };
    bridge.act(|| {
        let to = bridge.peer(to)?;
        // SAFETY: the caller.
        let handle =
            unsafe { bridge.transport.start_send(Mode::Standard, data.cast(), len, to, bridge.tag) }?;
        *request = bridge.keep(handle);
        Ok(())
    })
}

/// # Safety
/// As for `send`, until the request is complete.
unsafe extern "C-unwind" fn start_receive<T: Transport>(
    world: *const World,
    buffer: *mut c_void,
    len: usize,
    from: c_int,
    request: *mut Request,
) -> c_int {
    // SAFETY: the caller.
    let (bridge, request) = unsafe { (bridge::<T>(world), &mut *request) };
    bridge.act(|| {
        let want = Want::new(bridge.peer(from)?, bridge.tag);
        // SAFETY: the caller.
        let handle = unsafe { bridge.transport.start_receive(buffer.cast(), len, want) }?;
        *request = bridge.keep(handle);
        Ok(())
    })
}

/// # Safety
/// As for `send`.
unsafe extern "C-unwind" fn test<T: Transport>(
    world: *const World,
    request: *mut Request,
    done: *mut c_int,
) -> c_int {
    // SAFETY: the caller.
    let (bridge, request, done) = unsafe { (bridge::<T>(world), &mut *request, &mut *done) };
    bridge.act(|| {
        let complete = bridge.settle(request, |handle| Ok(bridge.transport.test(handle)?.is_some()))?;
        *done = c_int::from(complete);
        Ok(())
    })
}

/// # Safety
/// As for `send`.
unsafe extern "C-unwind" fn wait<T: Transport>(world: *const World, request: *mut Request) -> c_int {
    // SAFETY: the caller.
    let (bridge, request) = unsafe { (bridge::<T>(world), &mut *request) };
    bridge.act(|| bridge.settle(request, |handle| bridge.transport.wait(handle).map(|_| true)).map(drop))
}

/// # Safety
/// As for `send`; the two must not overlap.
unsafe extern "C-unwind" fn copy<T: Transport>(
    world: *const World,
    into: *mut c_void,
    from: *const c_void,
    len: usize,
) {
    // SAFETY: the caller.
    let bridge = unsafe {
        std::ptr::copy_nonoverlapping(from.cast::<u8>(), into.cast(), len);
        bridge::<T>(world)
    };
    bridge.transport.charge(Work::Copy(len));
}

/// # Safety
/// As for `copy`.
unsafe extern "C-unwind" fn combine_elements<T: Transport>(
    world: *const World,
    from: *const c_void,
    into: *mut c_void,
    len: usize,
) {
    // SAFETY: the caller.
    let (bridge, from, into) = unsafe { (bridge::<T>(world), bytes(from, len), bytes_mut(into, len)) };
    (bridge.combine.apply)(from, into, Order::FromFirst);
    bridge.transport.charge(Work::Reduce(len));
}

/// # Safety
/// The bytes must be there; for none of them any address will do.
unsafe fn bytes<'a>(start: *const c_void, len: usize) -> &'a [u8] {
    // SAFETY: the caller.
    if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(start.cast(), len) } }
}

/// # Safety
/// As for `bytes`, and nobody else may use them.
unsafe fn bytes_mut<'a>(start: *mut c_void, len: usize) -> &'a mut [u8] {
    // SAFETY: the caller.
    if len == 0 { &mut [] } else { unsafe { std::slice::from_raw_parts_mut(start.cast(), len) } }
}
