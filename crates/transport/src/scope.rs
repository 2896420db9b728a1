//! Non-blocking operations that safe code cannot misuse.
//!
//! The problem: a started operation uses its buffer after the call that started it has returned, so
//! the buffer must neither be freed nor changed (nor, for a receive, read) until the operation is
//! complete. As with `std::thread::scope`, ownership is tied to a scope: buffers are borrowed for
//! `'env`, which outlives the scope, and [`scope()`] does not return before every request is
//! complete or cancelled, also if its body fails or panics. Forgetting a request is therefore
//! harmless. Waiting for a request returns its buffer, which can then be read, or used for the next
//! request of the same scope.
//!
//! Invariants: a buffer is lent to at most one pending request; [`Request`] holds a raw pointer
//! instead of a reference while the transport uses the memory, and turns it back into a reference
//! only when the transport has reported completion or cancellation. A request carries its scope's
//! lifetime invariantly, so it cannot be waited for in another scope.
//!
//! Cost: one entry in a list per request, on the stack for the first eight; entries are reused.

use std::cell::RefCell;
use std::marker::PhantomData;

use smallvec::SmallVec;

use crate::error::Result;
use crate::message::{Selector, SendMode, Status, Tag};
use crate::transport::Transport;

/// Runs `body` with a [`Scope`] in which operations can be started.
///
/// Requests that `body` did not wait for are waited for at the end, or cancelled if it failed.
///
/// ```
/// # use panto_transport::{Error, SendMode, Transport, Selector, scope};
/// fn exchange(t: &impl Transport, mine: &[u8], theirs: &mut [u8], partner: usize) -> Result<(), Error> {
///     scope(t, |s| {
///         let receive = s.receive(theirs, Selector::new(partner, 1))?;
///         let _ = s.send(SendMode::Standard, mine, partner, 1)?;
///         println!("{:?}", s.wait(receive)?.buffer);
///         Ok(())
///     })
/// }
/// ```
///
/// A buffer must outlive the scope:
///
/// ```compile_fail,E0597
/// # use panto_transport::{Error, SendMode, Transport, scope};
/// fn too_short(t: &impl Transport) -> Result<(), Error> {
///     scope(t, |s| {
///         let data = vec![1, 2, 3];
///         let _ = s.send(SendMode::Standard, &data, 1, 1)?;
///         Ok(())
///     })
/// }
/// ```
///
/// It cannot be changed while it is sent:
///
/// ```compile_fail,E0506
/// # use panto_transport::{Error, SendMode, Transport, scope};
/// fn changed(t: &impl Transport) -> Result<(), Error> {
///     let mut data = [1, 2, 3];
///     scope(t, |s| {
///         let request = s.send(SendMode::Standard, &data, 1, 1)?;
///         data[0] = 4;
///         s.wait(request).map(drop)
///     })
/// }
/// ```
///
/// Nor read while it is received into, even if the request was thrown away:
///
/// ```compile_fail,E0503
/// # use panto_transport::{Error, Transport, Selector, scope};
/// fn read(t: &impl Transport) -> Result<u8, Error> {
///     let mut buffer = [0; 3];
///     scope(t, |s| {
///         let _ = s.receive(&mut buffer, Selector::any())?;
///         Ok(buffer[0])
///     })
/// }
/// ```
///
/// A request belongs to its scope, and cannot leave it:
///
/// ```compile_fail
/// # use panto_transport::{Error, SendMode, Transport, scope};
/// fn other_scope(t: &impl Transport, data: &[u8]) -> Result<(), Error> {
///     scope(t, |outer| {
///         let request = outer.send(SendMode::Standard, data, 1, 1)?;
///         scope(t, |inner| inner.wait(request).map(drop))
///     })
/// }
/// ```
///
/// ```compile_fail
/// # use panto_transport::{Error, SendMode, Request, Transport, scope};
/// fn escapes<'a>(t: &impl Transport, data: &'a [u8]) -> Result<(), Error> {
///     let request = scope(t, |s| s.send(SendMode::Standard, data, 1, 1))?;
///     scope(t, |s| s.wait(request).map(drop))
/// }
/// ```
pub fn scope<'env, T, R, E, F>(transport: &'env T, body: F) -> std::result::Result<R, E>
where
    T: Transport,
    E: From<crate::Error>,
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env, T>) -> std::result::Result<R, E>,
{
    // Dropped on every path, also when `body` panics: cancels what is still pending.
    let pending = Pending { transport, handles: RefCell::default(), free: RefCell::default() };
    let scope = Scope { pending: &pending, brand: PhantomData, env: PhantomData };
    let result = body(&scope)?;
    pending.finish()?;
    Ok(result)
}

/// Starts and completes operations.
pub struct Scope<'scope, 'env: 'scope, T: Transport> {
    pending: &'scope Pending<'env, T>,
    // Invariant, so that a request cannot be passed to another scope.
    brand: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// A pending operation with the buffer that it borrows.
#[must_use = "an unused request is waited for at the end of its scope"]
pub struct Request<'scope, B> {
    index: usize,
    // Raw: moving a reference would assert access to memory that the transport is using.
    memory: *mut [u8],
    buffer: PhantomData<(&'scope mut &'scope (), B)>,
}

/// A completed operation: the buffer, and the envelope of the message.
#[derive(Debug)]
pub struct Completion<B> {
    /// The buffer that the request had borrowed.
    pub buffer: B,
    /// The envelope of what was sent or received.
    pub status: Status,
}

/// A buffer that a request can borrow: `&[u8]` to send, `&mut [u8]` to receive.
pub trait RequestBuffer: private::Sealed {
    /// Returns the borrowed buffer.
    ///
    /// # Safety
    /// `memory` must have been made from a buffer of this type and lifetime, whose request is
    /// complete or cancelled.
    #[doc(hidden)]
    unsafe fn from_raw(memory: *mut [u8]) -> Self;
}

mod private {
    pub trait Sealed {}
    impl Sealed for &[u8] {}
    impl Sealed for &mut [u8] {}
}

impl RequestBuffer for &[u8] {
    unsafe fn from_raw(memory: *mut [u8]) -> Self {
        // SAFETY: the caller promises that this was a `&[u8]` of this lifetime.
        unsafe { &*memory }
    }
}

impl RequestBuffer for &mut [u8] {
    unsafe fn from_raw(memory: *mut [u8]) -> Self {
        // SAFETY: the caller promises that this was a `&mut [u8]` of this lifetime, and that no
        // operation uses it any more.
        unsafe { &mut *memory }
    }
}

impl<'scope, 'env, T: Transport> Scope<'scope, 'env, T> {
    /// Starts a send.
    pub fn send(
        &'scope self,
        mode: SendMode,
        data: &'env [u8],
        to: usize,
        tag: Tag,
    ) -> Result<Request<'scope, &'env [u8]>> {
        // SAFETY: `data` is borrowed for `'env`, and this scope completes or cancels the handle
        // before `'env` ends.
        let handle = unsafe { self.pending.transport.start_send(mode, data.as_ptr(), data.len(), to, tag) }?;
        Ok(self.request(handle, std::ptr::from_ref(data).cast_mut()))
    }

    /// Starts a receive.
    pub fn receive(
        &'scope self,
        buffer: &'env mut [u8],
        selector: Selector,
    ) -> Result<Request<'scope, &'env mut [u8]>> {
        let (data, len) = (buffer.as_mut_ptr(), buffer.len());
        // SAFETY: `buffer` is exclusively borrowed for `'env`; it is returned only when the handle
        // is complete or cancelled, which this scope ensures before `'env` ends.
        let handle = unsafe { self.pending.transport.start_receive(data, len, selector) }?;
        Ok(self.request(handle, std::ptr::slice_from_raw_parts_mut(data, len)))
    }

    fn request<B>(&'scope self, handle: T::Handle, memory: *mut [u8]) -> Request<'scope, B> {
        Request { index: self.pending.add(handle), memory, buffer: PhantomData }
    }

    /// Waits for a request.
    pub fn wait<B: RequestBuffer>(&'scope self, request: Request<'scope, B>) -> Result<Completion<B>> {
        let status = self.pending.with(request.index, T::wait)?;
        Ok(self.done(request, status))
    }

    /// Waits for all requests. Returns their completions in the same order.
    pub fn wait_all<B: RequestBuffer>(
        &'scope self,
        requests: impl IntoIterator<Item = Request<'scope, B>>,
    ) -> Result<Vec<Completion<B>>> {
        requests.into_iter().map(|request| self.wait(request)).collect()
    }

    /// Waits until one of the requests is complete, removes it from the list, and returns its
    /// index.
    pub fn wait_any<B: RequestBuffer>(
        &'scope self,
        requests: &mut Vec<Request<'scope, B>>,
    ) -> Result<(usize, Completion<B>)> {
        let which: SmallVec<[usize; 16]> = requests.iter().map(|request| request.index).collect();
        let (place, status) =
            self.pending.transport.wait_any(&mut self.pending.handles.borrow_mut(), &which)?;
        Ok((place, self.done(requests.remove(place), status)))
    }

    /// Tests a request. Returns it if it is not complete.
    pub fn test<B: RequestBuffer>(
        &'scope self,
        request: Request<'scope, B>,
    ) -> Result<std::result::Result<Completion<B>, Request<'scope, B>>> {
        let status = self.pending.with(request.index, T::test)?;
        Ok(match status {
            Some(status) => Ok(self.done(request, status)),
            None => Err(request),
        })
    }

    /// Cancels a request and returns its buffer: with the status if it was complete already, else
    /// as `Err`.
    pub fn cancel<B: RequestBuffer>(
        &'scope self,
        request: Request<'scope, B>,
    ) -> std::result::Result<Completion<B>, B> {
        if let Some(status) = self.pending.with(request.index, T::cancel) {
            return Ok(self.done(request, status));
        }
        self.pending.release(request.index);
        // SAFETY: a cancelled operation does not access its memory.
        Err(unsafe { request.into_buffer() })
    }

    /// Releases a request that the transport has reported complete.
    fn done<B: RequestBuffer>(&'scope self, request: Request<'scope, B>, status: Status) -> Completion<B> {
        self.pending.release(request.index);
        // SAFETY: a complete operation does not access its memory.
        Completion { buffer: unsafe { request.into_buffer() }, status }
    }
}

impl<B: RequestBuffer> Request<'_, B> {
    /// Returns the borrowed buffer.
    ///
    /// # Safety
    /// The operation must be complete or cancelled.
    unsafe fn into_buffer(self) -> B {
        // SAFETY: `memory` was made from a `B` by `send` or `receive`, and the caller promises that
        // the operation is over.
        unsafe { B::from_raw(self.memory) }
    }
}

/// The pending operations of a scope.
struct Pending<'env, T: Transport> {
    transport: &'env T,
    handles: RefCell<SmallVec<[T::Handle; 8]>>,
    /// Indices of unused entries, for reuse: a scope may run millions of operations.
    free: RefCell<SmallVec<[usize; 8]>>,
}

impl<T: Transport> Pending<'_, T> {
    fn add(&self, handle: T::Handle) -> usize {
        let mut handles = self.handles.borrow_mut();
        if let Some(place) = self.free.borrow_mut().pop() {
            handles[place] = handle;
            return place;
        }
        handles.push(handle);
        handles.len() - 1
    }

    fn release(&self, place: usize) {
        self.free.borrow_mut().push(place);
    }

    fn with<R>(&self, index: usize, act: impl FnOnce(&T, &mut T::Handle) -> R) -> R {
        act(self.transport, &mut self.handles.borrow_mut()[index])
    }

    fn finish(&self) -> Result<()> {
        let mut handles = self.handles.borrow_mut();
        handles.iter_mut().try_for_each(|handle| self.transport.wait(handle).map(drop))?;
        // All are complete: there is nothing left to cancel.
        handles.clear();
        Ok(())
    }
}

impl<T: Transport> Drop for Pending<'_, T> {
    fn drop(&mut self) {
        for handle in self.handles.get_mut() {
            self.transport.cancel(handle);
        }
    }
}
