//! Transports with something wrong or missing.

use std::cell::Cell;

use panto_schedule::{Collective, HopShape, Problem};
use panto_transport::{
    Buffers, Choice, Error, FIRST_COLLECTIVE_TAG, Handler, Listening, Mode, Prepared, Result, StandardSend,
    Status, Tag, Time, Transport, Want,
};

/// A transport that is right but for what its fields say.
#[expect(clippy::struct_excessive_bools, reason = "each is a flaw of its own")]
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
    /// A clock of its own, in nanoseconds, that goes on by `reading` with each look at it.
    pub clock: Option<&'a Cell<u64>>,
    /// What a look at that clock takes.
    pub reading: u64,
    /// By how much the clocks of the ranks differ, if they have several.
    pub clock_error: Option<Time>,
    /// Only so many ranks take part.
    pub ranks: Option<usize>,
    /// Has it collectives of its own?
    pub native: bool,
    /// Do its allreduces change the last byte of what they give?
    pub lies: bool,
}

/// What a look at the clock of a test takes, unless it says otherwise.
pub const READING: u64 = 30;

impl<'a, T: Transport> Flawed<'a, T> {
    pub fn new(inner: &'a T) -> Self {
        Self {
            inner,
            liar: None,
            handlers: true,
            one_clock: true,
            own_core: false,
            clock: None,
            reading: READING,
            clock_error: None,
            ranks: None,
            native: false,
            lies: false,
        }
    }

    fn changed(&self, data: &[u8], tag: Tag) -> Vec<u8> {
        let mut data = data.to_vec();
        if let Some(last) =
            data.last_mut().filter(|_| tag < FIRST_COLLECTIVE_TAG && self.liar == Some(self.rank()))
        {
            *last ^= 0x10;
        }
        data
    }
}

// SAFETY: all answers about operations are those of the transport inside.
unsafe impl<T: Transport> Transport for Flawed<'_, T> {
    type Handle = T::Handle;
    type Persistent = T::Persistent;

    fn rank(&self) -> usize {
        self.inner.rank()
    }
    fn size(&self) -> usize {
        self.ranks.unwrap_or_else(|| self.inner.size())
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
    unsafe fn persistent_send(
        &self,
        mode: Mode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: Tag,
    ) -> Result<Self::Persistent> {
        // SAFETY: passed on to the caller.
        unsafe { self.inner.persistent_send(mode, data, len, to, tag) }
    }
    unsafe fn persistent_receive(&self, buffer: *mut u8, len: usize, want: Want) -> Result<Self::Persistent> {
        // SAFETY: passed on to the caller.
        unsafe { self.inner.persistent_receive(buffer, len, want) }
    }
    unsafe fn start(&self, operation: &mut Self::Persistent) -> Result<()> {
        // SAFETY: passed on to the caller.
        unsafe { self.inner.start(operation) }
    }
    fn finish(&self, operation: &mut Self::Persistent) -> Result<Status> {
        self.inner.finish(operation)
    }
    fn poll(&self, operation: &mut Self::Persistent) -> Result<Option<Status>> {
        self.inner.poll(operation)
    }
    fn retire(&self, operation: &mut Self::Persistent) {
        self.inner.retire(operation);
    }
    fn now(&self) -> Time {
        let Some(clock) = self.clock else { return self.inner.now() };
        clock.set(clock.get() + self.reading);
        Time::from_nanos(clock.get())
    }
    fn shares_clock(&self) -> bool {
        self.one_clock && self.inner.shares_clock()
    }
    fn clock_error(&self) -> Result<Option<Time>> {
        Ok(self.clock_error)
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
    fn has_native(&self, _problem: &Problem) -> bool {
        self.native
    }
    fn run_native(&self, problem: &Problem, buffers: &mut Buffers<'_>) -> Result<()> {
        let Buffers { input, output, element, combine } = buffers;
        let mut prepared = Prepared::new(self.inner, *problem, *element, Choice::Library)?;
        prepared.run(self.inner, Buffers { input, output, element: *element, combine: *combine })?;
        if let Some(last) =
            output.last_mut().filter(|_| self.lies && problem.collective == Collective::Allreduce)
        {
            *last ^= 0x10;
        }
        Ok(())
    }
    fn on_message(&self, tag: Tag, handler: Handler) -> Result<Listening> {
        if self.handlers {
            return self.inner.on_message(tag, handler);
        }
        Err(Error::Unsupported("message-driven receive"))
    }
}
