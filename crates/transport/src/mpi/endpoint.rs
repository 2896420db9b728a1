//! One rank of an MPI job: the operations of the trait. Waiting and completion are in `operations`,
//! collectives in `native`.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use panto_mpi::{Abi, Comm};
use panto_schedule::{BlockProblem, Collective, HopShape, Problem};
use panto_units::Time;

use super::convert::{native_selector, status};
use super::handle::{Handle, Kind, Persistent, PersistentSpec, State};
use super::job::{Group, Job};
use super::selection::Selection;
use super::wait_strategy::WaitStrategy;
use crate::clock;
use crate::collective::BufferLayouts;
use crate::error::{Error, Result};
use crate::handler::{Handler, HandlerGuard};
use crate::message::{FIRST_COLLECTIVE_TAG, MAX_TAG, Selector, SendMode, Status, Tag};
use crate::onesided::Window;
use crate::transport::{Buffers, StandardSend, Transport};

/// One rank among the first ranks of a job.
pub struct Endpoint {
    pub(super) job: Rc<Job>,
    pub(super) group: Group,
    pub(super) clock: Cell<clock::LinearModel>,
    pub(super) is_synchronised: Cell<bool>,
    pub(super) selection: RefCell<Option<Selection>>,
}

// SAFETY: MPI does not access the memory of an operation that it has completed or reported
// cancelled; `cancel` waits for operations that cannot be cancelled.
unsafe impl Transport for Endpoint {
    type Handle = Handle;
    type Persistent = Persistent;

    #[inline]
    fn rank(&self) -> usize {
        self.group.messages.rank()
    }

    #[inline]
    fn size(&self) -> usize {
        self.group.messages.size()
    }

    #[inline]
    fn send(&self, mode: SendMode, data: &[u8], to: usize, tag: Tag) -> Result<()> {
        self.check_send(to, tag)?;
        let outcome = match (mode, self.job.wait_strategy) {
            (SendMode::Buffered, _) => self.send_buffered(data, to, tag),
            (_, WaitStrategy::Blocking) => Ok(self.comm(tag).send(mode, data, to, tag)?),
            (_, WaitStrategy::Yielding) => self.send_yielding(mode, data, to, tag),
        };
        self.job.watchdog.heartbeat();
        outcome
    }

    #[inline]
    fn receive(&self, buffer: &mut [u8], selector: Selector) -> Result<Status> {
        self.check_selector(selector)?;
        let outcome = match self.job.wait_strategy {
            WaitStrategy::Blocking => self.comm_of(selector).receive(buffer, native_selector(selector)),
            WaitStrategy::Yielding => self.receive_yielding(buffer, selector),
        };
        self.job.watchdog.heartbeat();
        self.received(outcome, buffer.len())
    }

    fn probe(&self, selector: Selector) -> Result<Status> {
        self.check_selector(selector)?;
        let comm = self.comm_of(selector);
        let outcome = match self.job.wait_strategy {
            WaitStrategy::Blocking => comm.probe(native_selector(selector)),
            WaitStrategy::Yielding => WaitStrategy::wait(|| comm.try_probe(native_selector(selector))),
        };
        self.job.watchdog.heartbeat();
        Ok(status(outcome?))
    }

    fn try_probe(&self, selector: Selector) -> Result<Option<Status>> {
        self.check_selector(selector)?;
        let found = self.comm_of(selector).try_probe(native_selector(selector))?;
        // An unsuccessful probe is not progress, and must not reset the stall timer.
        if found.is_some() {
            self.job.watchdog.heartbeat();
        } else {
            self.yield_core();
        }
        Ok(found.map(status))
    }

    unsafe fn start_send(
        &self,
        mode: SendMode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: Tag,
    ) -> Result<Handle> {
        self.check_send(to, tag)?;
        let at = Status { source: self.rank(), tag, len };
        if mode == SendMode::Buffered {
            // SAFETY: the caller promises that `data[..len]` is readable; it is copied before this
            // returns.
            self.send_buffered(unsafe { std::slice::from_raw_parts(data, len) }, to, tag)?;
            return Ok(Handle(State::Complete(at)));
        }
        // SAFETY: the contracts of both functions are the same, and this one's caller keeps it.
        let request = unsafe { self.comm(tag).start_send(mode, data, len, to, tag) }?;
        Ok(Handle::active(request, Kind::Send(at)))
    }

    unsafe fn start_receive(&self, buffer: *mut u8, len: usize, selector: Selector) -> Result<Handle> {
        self.check_selector(selector)?;
        // SAFETY: the contracts of both functions are the same, and this one's caller keeps it.
        let request =
            unsafe { self.comm_of(selector).start_receive(buffer, len, native_selector(selector)) }?;
        Ok(Handle::active(request, Kind::Receive(len)))
    }

    #[inline]
    fn wait(&self, handle: &mut Handle) -> Result<Status> {
        let outcome = match &mut handle.0 {
            State::Complete(status) => return Ok(*status),
            State::Failed(error) => return Err(error.clone()),
            State::Active(active) => self.complete(active),
        };
        settle(handle, outcome)
    }

    fn test(&self, handle: &mut Handle) -> Result<Option<Status>> {
        let outcome = match &mut handle.0 {
            State::Complete(status) => return Ok(Some(*status)),
            State::Failed(error) => return Err(error.clone()),
            State::Active(active) => self.try_complete(active),
        };
        let Some(outcome) = outcome.transpose() else {
            self.yield_core();
            return Ok(None);
        };
        settle(handle, outcome).map(Some)
    }

    fn wait_any(&self, handles: &mut [Handle], which: &[usize]) -> Result<(usize, Status)> {
        if which.is_empty() {
            return Err(Error::NoRequest);
        }
        let place = self.first_complete(handles, which);
        let status = self.wait(&mut handles[which[place]])?;
        Ok((place, status))
    }

    fn cancel(&self, handle: &mut Handle) -> Option<Status> {
        let done = match &mut handle.0 {
            State::Complete(status) => return Some(*status),
            State::Failed(_) => return None,
            State::Active(active) => self.withdraw(active),
        };
        handle.0 = State::Complete(done.unwrap_or(Status { source: self.rank(), tag: 0, len: 0 }));
        done
    }

    unsafe fn persistent_send(
        &self,
        mode: SendMode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: Tag,
    ) -> Result<Persistent> {
        self.check_send(to, tag)?;
        let at = Status { source: self.rank(), tag, len };
        // SAFETY: the contracts of both functions are the same, and this one's caller keeps it.
        unsafe { self.make(PersistentSpec::Send { mode, data, to, at }) }
    }

    unsafe fn persistent_receive(
        &self,
        buffer: *mut u8,
        len: usize,
        selector: Selector,
    ) -> Result<Persistent> {
        self.check_selector(selector)?;
        // SAFETY: the contracts of both functions are the same, and this one's caller keeps it.
        unsafe { self.make(PersistentSpec::Receive { buffer, len, selector }) }
    }

    unsafe fn start(&self, operation: &mut Persistent) -> Result<()> {
        // SAFETY: the contracts of both functions are the same, and this one's caller keeps it.
        unsafe { self.start_again(operation) }
    }

    fn finish(&self, operation: &mut Persistent) -> Result<Status> {
        self.finish_started(operation)
    }

    fn poll(&self, operation: &mut Persistent) -> Result<Option<Status>> {
        self.poll_started(operation)
    }

    fn retire(&self, operation: &mut Persistent) {
        self.retire_operation(operation);
    }

    #[inline]
    fn now(&self) -> Time {
        let local = self.job.clocks.local();
        if self.is_synchronised.get() { self.clock.get().global(local) } else { local }
    }

    fn shares_clock(&self) -> bool {
        true
    }

    fn clock_error(&self) -> Result<Option<Time>> {
        self.compare_clocks()
    }

    /// MPI leaves it to the library whether a standard send waits for its receiver.
    fn standard_send(&self) -> StandardSend {
        StandardSend::Synchronous
    }

    /// Not where ranks outnumber cores: the call would wait without yielding the core.
    fn has_send_receive(&self) -> bool {
        self.job.wait_strategy == WaitStrategy::Blocking
    }

    #[inline]
    fn send_receive(
        &self,
        outgoing: (&[u8], usize),
        incoming: (&mut [u8], usize),
        tag: Tag,
    ) -> Result<Status> {
        self.check_send(outgoing.1, tag)?;
        self.check_selector(Selector::new(incoming.1, tag))?;
        self.send_and_receive(outgoing, incoming, tag)
    }

    /// Open MPI 4.1 and 5.0 copy a whole rendezvous message, whatever the length of the buffer.
    fn keeps_bounds(&self) -> bool {
        self.job.mpi.library().abi() != Abi::OpenMpi
    }

    fn shape(&self) -> HopShape {
        self.group.shape
    }

    fn oversubscribed(&self) -> bool {
        self.job.wait_strategy == WaitStrategy::Yielding
    }

    /// The caller returns the error, which ends the job.
    fn abort(&self, message: &str) -> Error {
        Error::Aborted { rank: self.rank(), message: message.into() }
    }

    /// An MPI job that has failed has ended, so there is nothing to check.
    #[inline]
    fn check(&self) -> Result<()> {
        self.job.watchdog.heartbeat();
        Ok(())
    }

    fn has_native(&self, _problem: &Problem) -> bool {
        true
    }

    fn run_native(&self, problem: &Problem, buffers: &mut Buffers<'_>) -> Result<()> {
        self.native(problem, buffers)
    }

    unsafe fn start_native(&self, problem: &Problem, buffers: &mut Buffers<'_>) -> Result<Handle> {
        // SAFETY: the contracts of both functions are the same, and this one's caller keeps it.
        unsafe { self.start_collective(problem, buffers) }
    }

    fn select_native(&self, collective: Collective, algorithm: Option<&str>) -> Result<()> {
        self.select(collective, algorithm)
    }

    fn has_native_blocks(&self) -> bool {
        true
    }

    fn prepare_native_blocks(&self, problem: &BlockProblem) -> Result<()> {
        self.prepare_blocks(problem)
    }

    fn run_native_blocks(
        &self,
        problem: &BlockProblem,
        layouts: &BufferLayouts,
        buffers: &mut Buffers<'_>,
    ) -> Result<()> {
        self.native_blocks(problem, layouts, buffers)
    }

    unsafe fn start_native_blocks(
        &self,
        problem: &BlockProblem,
        layouts: &BufferLayouts,
        buffers: &mut Buffers<'_>,
    ) -> Result<Handle> {
        // SAFETY: the contracts of both functions are the same, and this one's caller keeps it.
        unsafe { self.start_blocks(problem, layouts, buffers) }
    }

    fn on_message(&self, tag: Tag, handler: Handler) -> Result<HandlerGuard> {
        self.listen(tag, handler)
    }

    fn window(&self, with: Option<usize>, bytes: usize) -> Result<Option<Box<dyn Window>>> {
        with.map_or(Ok(()), |with| self.check_rank(with))?;
        self.open_window(with, bytes)
    }
}

impl Endpoint {
    /// Joins a run of the first `ranks` ranks. All processes must call this together.
    pub(super) fn join(job: &Rc<Job>, ranks: usize) -> Result<Option<Self>> {
        let Some(group) = job.group(ranks)? else { return Ok(None) };
        let endpoint = Self {
            job: Rc::clone(job),
            group,
            clock: Cell::default(),
            is_synchronised: Cell::new(false),
            selection: RefCell::default(),
        };
        if !job.clocks.is_one(ranks) {
            endpoint.synchronise()?;
        }
        Ok(Some(endpoint))
    }

    /// Returns the communicator for a tag: collectives have one of their own.
    #[inline]
    pub(super) fn comm(&self, tag: Tag) -> &Comm {
        if tag < FIRST_COLLECTIVE_TAG { &self.group.messages } else { &self.group.collectives }
    }

    #[inline]
    pub(super) fn comm_of(&self, selector: Selector) -> &Comm {
        self.comm(selector.tag.unwrap_or(0))
    }

    #[inline]
    fn check_rank(&self, rank: usize) -> Result<()> {
        let ranks = self.size();
        if rank < ranks { Ok(()) } else { Err(Error::NoSuchRank { rank, ranks }) }
    }

    #[inline]
    fn check_send(&self, to: usize, tag: Tag) -> Result<()> {
        self.check_rank(to)?;
        check_tag(tag)
    }

    #[inline]
    fn check_selector(&self, selector: Selector) -> Result<()> {
        selector.source.map_or(Ok(()), |source| self.check_rank(source))?;
        selector.tag.map_or(Ok(()), check_tag)
    }
}

#[inline]
fn check_tag(tag: Tag) -> Result<()> {
    if tag > MAX_TAG { Err(Error::TagTooLarge(tag)) } else { Ok(()) }
}

#[inline]
fn settle(handle: &mut Handle, outcome: Result<Status>) -> Result<Status> {
    handle.0 = match &outcome {
        Ok(status) => State::Complete(*status),
        Err(error) => State::Failed(error.clone()),
    };
    outcome
}
