//! Non-blocking operations that safe code cannot misuse.
//!
//! The buffers of pending requests are borrowed for longer than the scope, and the scope does not end before
//! every request is complete or cancelled. Leaking a request is harmless for the same reason. Waiting for a
//! request gives its buffer back, so that it can be read, or used for the next request of the same scope.

use std::cell::RefCell;
use std::marker::PhantomData;

use smallvec::SmallVec;

use crate::error::Result;
use crate::message::{Mode, Status, Tag, Want};
use crate::transport::Transport;

/// Runs `body` with a [`Scope`] in which operations can be started.
///
/// Requests that `body` did not wait for are waited for at the end, or cancelled if it failed.
///
/// ```
/// # use panto_transport::{Error, Mode, Transport, Want, scope};
/// fn exchange(t: &impl Transport, mine: &[u8], theirs: &mut [u8], partner: usize) -> Result<(), Error> {
///     scope(t, |s| {
///         let receive = s.receive(theirs, Want::new(partner, 1))?;
///         let _ = s.send(Mode::Standard, mine, partner, 1)?;
///         println!("{:?}", s.wait(receive)?.buffer);
///         Ok(())
///     })
/// }
/// ```
///
/// A buffer must outlive the scope:
///
/// ```compile_fail,E0597
/// # use panto_transport::{Error, Mode, Transport, scope};
/// fn too_short(t: &impl Transport) -> Result<(), Error> {
///     scope(t, |s| {
///         let data = vec![1, 2, 3];
///         let _ = s.send(Mode::Standard, &data, 1, 1)?;
///         Ok(())
///     })
/// }
/// ```
///
/// It cannot be changed while it is sent:
///
/// ```compile_fail,E0506
/// # use panto_transport::{Error, Mode, Transport, scope};
/// fn changed(t: &impl Transport) -> Result<(), Error> {
///     let mut data = [1, 2, 3];
///     scope(t, |s| {
///         let request = s.send(Mode::Standard, &data, 1, 1)?;
///         data[0] = 4;
///         s.wait(request).map(drop)
///     })
/// }
/// ```
///
/// Nor read while it is received into, even if the request was thrown away:
///
/// ```compile_fail,E0503
/// # use panto_transport::{Error, Transport, Want, scope};
/// fn read(t: &impl Transport) -> Result<u8, Error> {
///     let mut buffer = [0; 3];
///     scope(t, |s| {
///         let _ = s.receive(&mut buffer, Want::any())?;
///         Ok(buffer[0])
///     })
/// }
/// ```
///
/// A request belongs to its scope, and cannot leave it:
///
/// ```compile_fail
/// # use panto_transport::{Error, Mode, Transport, scope};
/// fn other_scope(t: &impl Transport, data: &[u8]) -> Result<(), Error> {
///     scope(t, |outer| {
///         let request = outer.send(Mode::Standard, data, 1, 1)?;
///         scope(t, |inner| inner.wait(request).map(drop))
///     })
/// }
/// ```
///
/// ```compile_fail
/// # use panto_transport::{Error, Mode, Request, Transport, scope};
/// fn escapes<'a>(t: &impl Transport, data: &'a [u8]) -> Result<(), Error> {
///     let request = scope(t, |s| s.send(Mode::Standard, data, 1, 1))?;
///     scope(t, |s| s.wait(request).map(drop))
/// }
/// ```
pub fn scope<'env, T, R, E, F>(transport: &'env T, body: F) -> std::result::Result<R, E>
where
    T: Transport,
    E: From<crate::Error>,
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env, T>) -> std::result::Result<R, E>,
{
    // Dropped in any case, also when `body` panics: what is still pending then is cancelled.
    let pending = Pending { transport, handles: RefCell::default(), spent: RefCell::default() };
    let scope = Scope { pending: &pending, brand: PhantomData, env: PhantomData };
    let result = body(&scope)?;
    pending.finish()?;
    Ok(result)
}

/// Where operations are started and completed.
pub struct Scope<'scope, 'env: 'scope, T: Transport> {
    pending: &'scope Pending<'env, T>,
    // Invariant, so that a request of one scope cannot be given to another.
    brand: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// A pending operation with the buffer that it borrows.
#[must_use = "a request that nobody waits for is waited for at the end of its scope"]
pub struct Request<'scope, B> {
    index: usize,
    // Raw, because a reference that moves would claim memory that the transport is using.
    loan: *mut [u8],
    buffer: PhantomData<(&'scope mut &'scope (), B)>,
}

/// A complete operation: the buffer, and the envelope of the message.
#[derive(Debug)]
pub struct Done<B> {
    /// The buffer that the request had borrowed.
    pub buffer: B,
    /// What was sent or received.
    pub status: Status,
}

/// A buffer that a request can borrow: `&[u8]` to send, `&mut [u8]` to receive.
pub trait Loan: private::Sealed {
    /// # Safety
    /// `loan` must come from a buffer of this type whose request is complete.
    #[doc(hidden)]
    unsafe fn give_back(loan: *mut [u8]) -> Self;
}

mod private {
    pub trait Sealed {}
    impl Sealed for &[u8] {}
    impl Sealed for &mut [u8] {}
}

impl Loan for &[u8] {
    unsafe fn give_back(loan: *mut [u8]) -> Self {
        // SAFETY: the caller.
        unsafe { &*loan }
    }
}

impl Loan for &mut [u8] {
    unsafe fn give_back(loan: *mut [u8]) -> Self {
        // SAFETY: the caller.
        unsafe { &mut *loan }
    }
}

impl<'scope, 'env, T: Transport> Scope<'scope, 'env, T> {
    /// Starts a send.
    pub fn send(
        &'scope self,
        mode: Mode,
        data: &'env [u8],
        to: usize,
        tag: Tag,
    ) -> Result<Request<'scope, &'env [u8]>> {
        // SAFETY: `data` is borrowed for `'env`, and this scope completes or cancels the handle before
        // `'env` ends.
        let handle = unsafe { self.pending.transport.start_send(mode, data.as_ptr(), data.len(), to, tag) }?;
        Ok(self.keep(handle, std::ptr::from_ref(data).cast_mut()))
    }

    /// Starts a receive.
    pub fn receive(
        &'scope self,
        buffer: &'env mut [u8],
        want: Want,
    ) -> Result<Request<'scope, &'env mut [u8]>> {
        let (data, len) = (buffer.as_mut_ptr(), buffer.len());
        // SAFETY: `buffer` is borrowed for `'env`; it is given back only when the handle is complete, and
        // this scope completes or cancels the handle before `'env` ends.
        let handle = unsafe { self.pending.transport.start_receive(data, len, want) }?;
        Ok(self.keep(handle, std::ptr::slice_from_raw_parts_mut(data, len)))
    }

    fn keep<B>(&'scope self, handle: T::Handle, loan: *mut [u8]) -> Request<'scope, B> {
        Request { index: self.pending.keep(handle), loan, buffer: PhantomData }
    }

    /// Waits for a request.
    pub fn wait<B: Loan>(&'scope self, request: Request<'scope, B>) -> Result<Done<B>> {
        let status = self.pending.with(request.index, T::wait)?;
        Ok(self.done(request, status))
    }

    /// Waits for all of them; the answers come in the same order.
    pub fn wait_all<B: Loan>(
        &'scope self,
        requests: impl IntoIterator<Item = Request<'scope, B>>,
    ) -> Result<Vec<Done<B>>> {
        requests.into_iter().map(|request| self.wait(request)).collect()
    }

    /// Waits until one of them is complete, takes it out and answers where it was.
    pub fn wait_any<B: Loan>(
        &'scope self,
        requests: &mut Vec<Request<'scope, B>>,
    ) -> Result<(usize, Done<B>)> {
        let which: SmallVec<[usize; 16]> = requests.iter().map(|request| request.index).collect();
        let (place, status) =
            self.pending.transport.wait_any(&mut self.pending.handles.borrow_mut(), &which)?;
        Ok((place, self.done(requests.remove(place), status)))
    }

    /// Is the request complete? If not, it comes back.
    pub fn test<B: Loan>(
        &'scope self,
        request: Request<'scope, B>,
    ) -> Result<std::result::Result<Done<B>, Request<'scope, B>>> {
        let status = self.pending.with(request.index, T::test)?;
        Ok(match status {
            Some(status) => Ok(self.done(request, status)),
            None => Err(request),
        })
    }

    /// Gives an operation up, and its buffer back. If it was complete already, the answer is as from a wait.
    pub fn cancel<B: Loan>(&'scope self, request: Request<'scope, B>) -> std::result::Result<Done<B>, B> {
        if let Some(status) = self.pending.with(request.index, T::cancel) {
            return Ok(self.done(request, status));
        }
        self.pending.release(request.index);
        // SAFETY: a cancelled handle does not touch its memory.
        Err(unsafe { request.give_back() })
    }

    /// The transport has said that the operation is complete.
    fn done<B: Loan>(&'scope self, request: Request<'scope, B>, status: Status) -> Done<B> {
        self.pending.release(request.index);
        // SAFETY: a complete operation does not touch its memory.
        Done { buffer: unsafe { request.give_back() }, status }
    }
}

impl<B: Loan> Request<'_, B> {
    /// # Safety
    /// The operation must be complete or cancelled.
    unsafe fn give_back(self) -> B {
        // SAFETY: the loan was made from a `B`, and the caller says that it is over.
        unsafe { B::give_back(self.loan) }
    }
}

/// What a scope has started.
struct Pending<'env, T: Transport> {
    transport: &'env T,
    handles: RefCell<SmallVec<[T::Handle; 8]>>,
    /// Places of handles that are spent, to be used again: a scope may last for millions of operations.
    spent: RefCell<SmallVec<[usize; 8]>>,
}

impl<T: Transport> Pending<'_, T> {
    fn keep(&self, handle: T::Handle) -> usize {
        let mut handles = self.handles.borrow_mut();
        if let Some(place) = self.spent.borrow_mut().pop() {
            handles[place] = handle;
            return place;
        }
        handles.push(handle);
        handles.len() - 1
    }

    fn release(&self, place: usize) {
        self.spent.borrow_mut().push(place);
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
