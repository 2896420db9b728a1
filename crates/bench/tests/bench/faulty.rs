//! A transport with faults and missing features, selected by its fields.

use std::cell::Cell;

use panto_schedule::{Collective, HopShape, Problem};
use panto_transport::{
    AlgorithmChoice, Buffers, Error, FIRST_COLLECTIVE_TAG, Handler, HandlerGuard, PreparedCollective, Result,
    Selector, SendMode, StandardSend, Status, Tag, Time, Transport,
};

/// A transport that delegates to another one, except for the faults that its fields select.
#[expect(clippy::struct_excessive_bools, reason = "the faults are independent")]
pub struct Faulty<'a, T> {
    pub inner: &'a T,
    /// The rank that corrupts the last byte of each message that it sends, except in collectives.
    pub corrupting_rank: Option<usize>,
    /// Whether it supports message-driven receives.
    pub handlers: bool,
    /// Whether the ranks share a clock.
    pub one_clock: bool,
    /// Whether it claims that every rank has its own core.
    pub own_core: bool,
    /// A virtual clock in nanoseconds, which advances by `reading` each time it is read.
    pub clock: Option<&'a Cell<u64>>,
    /// The time to read that clock, in nanoseconds.
    pub reading: u64,
    /// The bound on the difference between the clocks of the ranks.
    pub clock_error: Option<Time>,
    /// The number of participating ranks, if not all.
    pub ranks: Option<usize>,
    /// Whether it has native collectives.
    pub native: bool,
    /// Whether its native allreduces corrupt the last byte of the result.
    pub corrupts_allreduce: bool,
}

/// The default time to read a test's clock, in nanoseconds.
pub const READING: u64 = 30;

impl<'a, T: Transport> Faulty<'a, T> {
    pub fn new(inner: &'a T) -> Self {
        Self {
            inner,
            corrupting_rank: None,
            handlers: true,
            one_clock: true,
            own_core: false,
            clock: None,
            reading: READING,
            clock_error: None,
            ranks: None,
            native: false,
            corrupts_allreduce: false,
        }
    }

    fn changed(&self, data: &[u8], tag: Tag) -> Vec<u8> {
        let mut data = data.to_vec();
        if let Some(last) = data
            .last_mut()
            .filter(|_| tag < FIRST_COLLECTIVE_TAG && self.corrupting_rank == Some(self.rank()))
        {
            *last ^= 0x10;
        }
        data
    }
}

// SAFETY: operations are delegated to the inner transport.
unsafe impl<T: Transport> Transport for Faulty<'_, T> {
    type Handle = T::Handle;
    type Persistent = T::Persistent;

    fn rank(&self) -> usize {
        self.inner.rank()
    }
    fn size(&self) -> usize {
        self.ranks.unwrap_or_else(|| self.inner.size())
    }
    fn send(&self, mode: SendMode, data: &[u8], to: usize, tag: Tag) -> Result<()> {
        self.inner.send(mode, &self.changed(data, tag), to, tag)
    }
    fn receive(&self, buffer: &mut [u8], want: Selector) -> Result<Status> {
        self.inner.receive(buffer, want)
    }
    fn probe(&self, want: Selector) -> Result<Status> {
        self.inner.probe(want)
    }
    fn try_probe(&self, want: Selector) -> Result<Option<Status>> {
        self.inner.try_probe(want)
    }
    unsafe fn start_send(
        &self,
        mode: SendMode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: Tag,
    ) -> Result<Self::Handle> {
        // SAFETY: the caller keeps the bytes readable.
        let changed = self.changed(unsafe { std::slice::from_raw_parts(data, len) }, tag);
        // Leaked, because completion of the send is not observed here. Tests send few bytes.
        let changed = Box::leak(changed.into_boxed_slice());
        // SAFETY: leaked memory stays readable indefinitely.
        unsafe { self.inner.start_send(mode, changed.as_ptr(), len, to, tag) }
    }
    unsafe fn start_receive(&self, buffer: *mut u8, len: usize, want: Selector) -> Result<Self::Handle> {
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
        mode: SendMode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: Tag,
    ) -> Result<Self::Persistent> {
        // SAFETY: passed on to the caller.
        unsafe { self.inner.persistent_send(mode, data, len, to, tag) }
    }
    unsafe fn persistent_receive(
        &self,
        buffer: *mut u8,
        len: usize,
        want: Selector,
    ) -> Result<Self::Persistent> {
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
        let mut prepared = PreparedCollective::new(self.inner, *problem, *element, AlgorithmChoice::Library)?;
        prepared.run(self.inner, Buffers { input, output, element: *element, combine: *combine })?;
        if let Some(last) = output
            .last_mut()
            .filter(|_| self.corrupts_allreduce && problem.collective == Collective::Allreduce)
        {
            *last ^= 0x10;
        }
        Ok(())
    }
    fn on_message(&self, tag: Tag, handler: Handler) -> Result<HandlerGuard> {
        if self.handlers {
            return self.inner.on_message(tag, handler);
        }
        Err(Error::Unsupported("message-driven receive"))
    }
}
