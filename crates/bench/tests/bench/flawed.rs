//! Transports with something wrong or missing.

use std::cell::Cell;

use panto_schedule::HopShape;
use panto_transport::{
    COLLECTIVE_TAG, Error, Handler, Listening, Mode, Result, StandardSend, Status, Tag, Time, Transport, Want,
};

/// A transport that is right but for what its fields say.
pub struct Flawed<'a, T> {
    pub inner: &'a T,
    /// This rank changes the last byte of each message that it sends, but for those of collectives.
    pub liar: Option<usize>,
    /// Does it know message-driven receive?
    pub handlers: bool,
    /// Do the ranks share a clock?
    pub one_clock: bool,
    /// Does every rank have a core, whatever the machine says?
    pub own_core: bool,
    /// A clock of its own, in nanoseconds, that goes on by [`READING`] with each look at it.
    pub clock: Option<&'a Cell<u64>>,
}

/// What a look at the clock of a test takes.
pub const READING: u64 = 30;

impl<'a, T: Transport> Flawed<'a, T> {
    pub fn new(inner: &'a T) -> Self {
        Self { inner, liar: None, handlers: true, one_clock: true, own_core: false, clock: None }
    }

    fn changed(&self, data: &[u8], tag: Tag) -> Vec<u8> {
        let mut data = data.to_vec();
        if let Some(last) =
            data.last_mut().filter(|_| tag != COLLECTIVE_TAG && self.liar == Some(self.rank()))
        {
            *last ^= 0x10;
        }
        data
    }
}

// SAFETY: all answers about operations are those of the transport inside.
unsafe impl<T: Transport> Transport for Flawed<'_, T> {
    type Handle = T::Handle;

    fn rank(&self) -> usize {
        self.inner.rank()
    }
    fn size(&self) -> usize {
        self.inner.size()
    }
    fn send(&self, mode: Mode, data: &[u8], to: usize, tag: Tag) -> Result<()> {
        self.inner.send(mode, &self.changed(data, tag), to, tag)
    }
    fn receive(&self, buffer: &mut [u8], want: Want) -> Result<Status> {
        self.inner.receive(buffer, want)
    }
    fn probe(&self, want: Want) -> Result<Status> {
        self.inner.probe(want)
    }
    fn try_probe(&self, want: Want) -> Result<Option<Status>> {
        self.inner.try_probe(want)
    }
    unsafe fn start_send(
        &self,
        mode: Mode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: Tag,
    ) -> Result<Self::Handle> {
        // SAFETY: the caller keeps the bytes readable.
        let changed = self.changed(unsafe { std::slice::from_raw_parts(data, len) }, tag);
        // Leaked, because nobody here knows when the send is complete. Tests send few bytes.
        let changed = Box::leak(changed.into_boxed_slice());
        // SAFETY: leaked memory stays readable for ever.
        unsafe { self.inner.start_send(mode, changed.as_ptr(), len, to, tag) }
    }
    unsafe fn start_receive(&self, buffer: *mut u8, len: usize, want: Want) -> Result<Self::Handle> {
        // SAFETY: passed on to the caller.
        unsafe { self.inner.start_receive(buffer, len, want) }
    }
    fn wait(&self, handle: &mut Self::Handle) -> Result<Status> {
        self.inner.wait(handle)
    }
    fn test(&self, handle: &mut Self::Handle) -> Result<Option<Status>> {
        self.inner.test(handle)
    }
    fn wait_any(&self, handles: &mut [Self::Handle], which: &[usize]) -> Result<(usize, Status)> {
        self.inner.wait_any(handles, which)
    }
    fn cancel(&self, handle: &mut Self::Handle) -> Option<Status> {
        self.inner.cancel(handle)
    }
    fn now(&self) -> Time {
        let Some(clock) = self.clock else { return self.inner.now() };
        clock.set(clock.get() + READING);
        Time::from_nanos(clock.get())
    }
    fn shares_clock(&self) -> bool {
        self.one_clock && self.inner.shares_clock()
    }
    fn standard_send(&self) -> StandardSend {
        self.inner.standard_send()
    }
    fn shape(&self) -> HopShape {
        self.inner.shape()
    }
    fn oversubscribed(&self) -> bool {
        !self.own_core && self.inner.oversubscribed()
    }
    fn abort(&self, message: &str) -> Error {
        self.inner.abort(message)
    }
    fn check(&self) -> Result<()> {
        self.inner.check()
    }
    fn on_message(&self, tag: Tag, handler: Handler) -> Result<Listening> {
        if self.handlers {
            return self.inner.on_message(tag, handler);
        }
        Err(Error::Unsupported("message-driven receive"))
    }
}
