//! The C interface of user-supplied collectives, implemented on a transport.
//!
//! A user's library gets a table of function pointers and a context; the functions here turn them
//! into calls of a [`Transport`]. Each is `unsafe` because it trusts the addresses that the user's
//! code passes, as every C function does.

use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_void};

use panto_implementation::abi::{self, Request, World};
use panto_schedule::Order;

use super::watchdog::Watched;
use crate::error::{Error, Result};
use crate::message::{Selector, SendMode, Tag};
use crate::reduce_op::ReduceOp;
use crate::transport::{Transport, Work};

/// The code that a function returns when the collective should return at once.
const FAILED: c_int = 1;

/// What the context of a [`World`] points to. It stays at its address, on the heap.
pub(super) struct Bridge<'t, T: Transport> {
    /// The table that the user's code sees; its context is this bridge.
    pub(super) world: World,
    transport: &'t T,
    tag: Tag,
    combine: ReduceOp,
    /// Pending requests; request number n is at index n - 1.
    requests: RefCell<Vec<Option<T::Handle>>>,
    pending: Cell<usize>,
    /// The first error since it was last taken.
    failure: RefCell<Option<Error>>,
    pub(super) watched: Watched,
}

impl<'t, T: Transport> Bridge<'t, T> {
    pub(super) fn new(transport: &'t T, tag: Tag, combine: ReduceOp, watched: Watched) -> Box<Self> {
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
        let mut bridge = Box::new(Self {
            world,
            transport,
            tag,
            combine,
            requests,
            pending: Cell::new(0),
            failure,
            watched,
        });
        bridge.world.context = std::ptr::from_ref(&*bridge).cast();
        bridge
    }

    /// Takes the first error since the last call of this function.
    pub(super) fn take_failure(&self) -> Option<Error> {
        self.failure.take()
    }

    /// Cancels all pending requests and returns their number.
    pub(super) fn cancel_all(&self) -> usize {
        let mut requests = self.requests.borrow_mut();
        for handle in requests.iter_mut().flatten() {
            self.transport.cancel(handle);
        }
        requests.clear();
        self.pending.replace(0)
    }

    /// Runs an operation unless an earlier one has failed. A failure cancels all requests, so that
    /// the user's code can return and free their memory.
    fn act(&self, act: impl FnOnce() -> Result<()>) -> c_int {
        if self.failure.borrow().is_some() {
            return FAILED;
        }
        self.watched.wait(true);
        let outcome = act();
        self.watched.wait(false);
        match outcome {
            Ok(()) => abi::OK,
            Err(error) => {
                self.cancel_all();
                self.failure.replace(Some(error));
                FAILED
            }
        }
    }

    fn peer(&self, rank: c_int) -> Result<usize> {
        let ranks = self.transport.size();
        let rank = usize::try_from(rank).unwrap_or(usize::MAX);
        if rank < ranks { Ok(rank) } else { Err(Error::NoSuchRank { rank, ranks }) }
    }

    /// Stores a handle and returns its request number, the lowest free one.
    fn store(&self, handle: T::Handle) -> Request {
        let mut requests = self.requests.borrow_mut();
        self.pending.set(self.pending.get() + 1);
        let free = requests.iter().position(Option::is_none).unwrap_or(requests.len());
        if free == requests.len() {
            requests.push(None);
        }
        requests[free] = Some(handle);
        free as Request + 1
    }

    /// Checks a request by `ask`. A complete request is set to 0; request 0 is complete.
    fn settle(
        &self,
        request: &mut Request,
        ask: impl FnOnce(&mut T::Handle) -> Result<bool>,
    ) -> Result<bool> {
        if *request == 0 {
            return Ok(true);
        }
        let place = *request as usize - 1;
        // Not borrowed during the wait: on a simulated machine other ranks and handlers run
        // meanwhile.
        let Some(mut handle) = self.requests.borrow_mut().get_mut(place).and_then(Option::take) else {
            return Err(Error::NoRequest);
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

/// Returns the bridge of a world.
///
/// # Safety
/// `world` must be the table of a [`Bridge`] on a transport of type `T`, which must outlive the
/// result.
unsafe fn bridge<'b, T: Transport>(world: *const World) -> &'b Bridge<'b, T> {
    // SAFETY: the caller promises that `world` belongs to a bridge of this type; its context is the
    // bridge, which stays at its address.
    unsafe { &*(*world).context.cast() }
}

/// The interface's `send`.
///
/// # Safety
/// `world` must be that of a bridge on a `T`, and `data` readable for `len` bytes until this
/// returns.
unsafe extern "C-unwind" fn send<T: Transport>(
    world: *const World,
    data: *const c_void,
    len: usize,
    to: c_int,
) -> c_int {
    // SAFETY: the caller promises both.
    let (bridge, data) = unsafe { (bridge::<T>(world), bytes(data, len)) };
    bridge.act(|| bridge.transport.send(SendMode::Standard, data, bridge.peer(to)?, bridge.tag))
}

/// The interface's `receive`.
///
/// # Safety
/// `world` must be that of a bridge on a `T`, and `buffer` writable for `len` bytes, and used by
/// nothing else, until this returns.
unsafe extern "C-unwind" fn receive<T: Transport>(
    world: *const World,
    buffer: *mut c_void,
    len: usize,
    from: c_int,
) -> c_int {
    // SAFETY: the caller promises both.
    let (bridge, buffer) = unsafe { (bridge::<T>(world), bytes_mut(buffer, len)) };
    bridge.act(|| bridge.transport.receive(buffer, Selector::new(bridge.peer(from)?, bridge.tag)).map(drop))
}

/// The interface's `start_send`.
///
/// # Safety
/// `world` must be that of a bridge on a `T`, `request` writable, and `data` readable and unchanged
/// for `len` bytes until the request is complete or a function of the interface has failed.
unsafe extern "C-unwind" fn start_send<T: Transport>(
    world: *const World,
    data: *const c_void,
    len: usize,
    to: c_int,
    request: *mut Request,
) -> c_int {
    // SAFETY: the caller promises that both addresses are valid.
    let (bridge, request) = unsafe { (bridge::<T>(world), &mut *request) };
    bridge.act(|| {
        let to = bridge.peer(to)?;
        // SAFETY: the caller promises that the data stays valid until the request is complete; all
        // requests are cancelled before a failure is returned.
        let handle =
            unsafe { bridge.transport.start_send(SendMode::Standard, data.cast(), len, to, bridge.tag) }?;
        *request = bridge.store(handle);
        Ok(())
    })
}

/// The interface's `start_receive`.
///
/// # Safety
/// `world` must be that of a bridge on a `T`, `request` writable, and `buffer` writable for `len`
/// bytes, and used by nothing else, until the request is complete or a function of the interface
/// has failed.
unsafe extern "C-unwind" fn start_receive<T: Transport>(
    world: *const World,
    buffer: *mut c_void,
    len: usize,
    from: c_int,
    request: *mut Request,
) -> c_int {
    // SAFETY: the caller promises that both addresses are valid.
    let (bridge, request) = unsafe { (bridge::<T>(world), &mut *request) };
    bridge.act(|| {
        let selector = Selector::new(bridge.peer(from)?, bridge.tag);
        // SAFETY: the caller promises that the buffer stays valid until the request is complete;
        // all requests are cancelled before a failure is returned.
        let handle = unsafe { bridge.transport.start_receive(buffer.cast(), len, selector) }?;
        *request = bridge.store(handle);
        Ok(())
    })
}

/// The interface's `test`.
///
/// # Safety
/// `world` must be that of a bridge on a `T`, and `request` and `done` writable.
unsafe extern "C-unwind" fn test<T: Transport>(
    world: *const World,
    request: *mut Request,
    done: *mut c_int,
) -> c_int {
    // SAFETY: the caller promises that all three addresses are valid.
    let (bridge, request, done) = unsafe { (bridge::<T>(world), &mut *request, &mut *done) };
    bridge.act(|| {
        let complete = bridge.settle(request, |handle| Ok(bridge.transport.test(handle)?.is_some()))?;
        *done = c_int::from(complete);
        Ok(())
    })
}

/// The interface's `wait`.
///
/// # Safety
/// `world` must be that of a bridge on a `T`, and `request` writable.
unsafe extern "C-unwind" fn wait<T: Transport>(world: *const World, request: *mut Request) -> c_int {
    // SAFETY: the caller promises that both addresses are valid.
    let (bridge, request) = unsafe { (bridge::<T>(world), &mut *request) };
    bridge.act(|| bridge.settle(request, |handle| bridge.transport.wait(handle).map(|_| true)).map(drop))
}

/// The interface's `copy`.
///
/// # Safety
/// `world` must be that of a bridge on a `T`, `from` readable and `into` writable for `len` bytes,
/// and the two must not overlap.
unsafe extern "C-unwind" fn copy<T: Transport>(
    world: *const World,
    into: *mut c_void,
    from: *const c_void,
    len: usize,
) {
    // SAFETY: the caller promises that the ranges are valid and disjoint, and that `world` belongs
    // to a bridge.
    let bridge = unsafe {
        std::ptr::copy_nonoverlapping(from.cast::<u8>(), into.cast(), len);
        bridge::<T>(world)
    };
    bridge.transport.charge(Work::Copy(len));
}

/// The interface's `combine`.
///
/// # Safety
/// As for [`copy`].
unsafe extern "C-unwind" fn combine_elements<T: Transport>(
    world: *const World,
    from: *const c_void,
    into: *mut c_void,
    len: usize,
) {
    // SAFETY: the caller promises that the ranges are valid and disjoint, and that `world` belongs
    // to a bridge.
    let (bridge, from, into) = unsafe { (bridge::<T>(world), bytes(from, len), bytes_mut(into, len)) };
    (bridge.combine.apply)(from, into, Order::FromFirst);
    bridge.transport.charge(Work::Reduce(len));
}

/// Charges work of user code to a simulated machine.
///
/// # Safety
/// `world` must be that of a bridge on a `T`.
pub(super) unsafe fn charge<T: Transport>(world: *const World, work: Work) {
    // SAFETY: the caller promises it.
    unsafe { bridge::<T>(world) }.transport.charge(work);
}

/// Returns a C buffer as a slice.
///
/// # Safety
/// `start` must be readable for `len` bytes while the result is in use; any address will do if
/// `len` is zero.
unsafe fn bytes<'a>(start: *const c_void, len: usize) -> &'a [u8] {
    // SAFETY: the caller promises that the bytes are readable, and `len` is not zero.
    if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(start.cast(), len) } }
}

/// Returns a C buffer as a mutable slice.
///
/// # Safety
/// `start` must be writable for `len` bytes, and used by nothing else, while the result is in use;
/// any address will do if `len` is zero.
unsafe fn bytes_mut<'a>(start: *mut c_void, len: usize) -> &'a mut [u8] {
    // SAFETY: the caller promises that the bytes are exclusively this slice's, and `len` is not
    // zero.
    if len == 0 { &mut [] } else { unsafe { std::slice::from_raw_parts_mut(start.cast(), len) } }
}
