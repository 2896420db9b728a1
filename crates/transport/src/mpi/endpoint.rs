//! One rank of an MPI job: the operations of the trait. How they wait and complete stands in `operations`, collectives in
//! `native`.

use std::cell::Cell;
use std::rc::Rc;

use panto_mpi::{Abi, Comm};
use panto_schedule::{HopShape, Problem, UnevenProblem};
use panto_units::Time;

use super::cadence::Cadence;
use super::handle::{Handle, Kind, Persistent, Recipe, State};
use super::job::{Group, Job};
use super::words::{native_mode, native_want, status};
use crate::clock;
use crate::collective::Extents;
use crate::error::{Error, Result};
use crate::message::{FIRST_COLLECTIVE_TAG, MAX_TAG, Mode, Status, Tag, Want};
use crate::onesided::Window;
use crate::transport::{Buffers, StandardSend, Transport};

/// One rank among the first ones of a job.
pub struct Endpoint {
    pub(super) job: Rc<Job>,
    pub(super) group: Group,
    pub(super) clock: Cell<clock::Model>,
    pub(super) is_synchronised: Cell<bool>,
}

// SAFETY: MPI does not touch the memory of an operation that it has completed, or that it says was taken back; `cancel` waits for
// what cannot be taken back.
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
    fn send(&self, mode: Mode, data: &[u8], to: usize, tag: Tag) -> Result<()> {
        self.check_send(to, tag)?;
        let outcome = match (mode, self.job.cadence) {
            (Mode::Buffered, _) => self.send_buffered(data, to, tag),
            (_, Cadence::Blocking) => Ok(self.comm(tag).send(native_mode(mode), data, to, tag)?),
            (_, Cadence::Yielding) => self.send_yielding(mode, data, to, tag),
        };
        self.job.watch.beat();
        outcome
    }

    #[inline]
    fn receive(&self, buffer: &mut [u8], want: Want) -> Result<Status> {
        self.check_want(want)?;
        let outcome = match self.job.cadence {
            Cadence::Blocking => self.comm_of(want).receive(buffer, native_want(want)),
            Cadence::Yielding => self.receive_yielding(buffer, want),
        };
        self.job.watch.beat();
        self.received(outcome, buffer.len())
    }

    fn probe(&self, want: Want) -> Result<Status> {
        self.check_want(want)?;
        let comm = self.comm_of(want);
        let outcome = match self.job.cadence {
            Cadence::Blocking => comm.probe(native_want(want)),
            Cadence::Yielding => Cadence::wait(|| comm.try_probe(native_want(want))),
        };
        self.job.watch.beat();
        Ok(status(outcome?))
    }

    fn try_probe(&self, want: Want) -> Result<Option<Status>> {
        self.check_want(want)?;
        let found = self.comm_of(want).try_probe(native_want(want))?;
        // Asking is no progress; only an answer is.
        if found.is_some() {
            self.job.watch.beat();
        } else {
            self.give_way();
        }
        Ok(found.map(status))
    }

    unsafe fn start_send(
        &self,
        mode: Mode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: Tag,
    ) -> Result<Handle> {
        self.check_send(to, tag)?;
        let at = Status { source: self.rank(), tag, len };
        if mode == Mode::Buffered {
            // SAFETY: the caller keeps the bytes readable.
            self.send_buffered(unsafe { std::slice::from_raw_parts(data, len) }, to, tag)?;
            return Ok(Handle(State::Complete(at)));
        }
        // SAFETY: the caller.
        let request = unsafe { self.comm(tag).start_send(native_mode(mode), data, len, to, tag) }?;
        Ok(Handle::active(request, Kind::Send(at)))
    }

    unsafe fn start_receive(&self, buffer: *mut u8, len: usize, want: Want) -> Result<Handle> {
        self.check_want(want)?;
        // SAFETY: the caller.
        let request = unsafe { self.comm_of(want).start_receive(buffer, len, native_want(want)) }?;
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
            self.give_way();
            return Ok(None);
        };
        settle(handle, outcome).map(Some)
    }

    fn wait_any(&self, handles: &mut [Handle], which: &[usize]) -> Result<(usize, Status)> {
        if which.is_empty() {
            return Err(Error::NothingToWaitFor);
        }
        let place = self.first_complete(handles, which);
        let status = self.wait(&mut handles[which[place]])?;
        Ok((place, status))
    }

    fn cancel(&self, handle: &mut Handle) -> Option<Status> {
        let done = match &mut handle.0 {
            State::Complete(status) => return Some(*status),
            State::Failed(_) => return None,
            State::Active(active) => self.take_back(active),
        };
        handle.0 = State::Complete(done.unwrap_or(Status { source: self.rank(), tag: 0, len: 0 }));
        done
    }

    unsafe fn persistent_send(
        &self,
        mode: Mode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: Tag,
    ) -> Result<Persistent> {
        self.check_send(to, tag)?;
        let at = Status { source: self.rank(), tag, len };
        // SAFETY: the caller.
        unsafe { self.make(Recipe::Send { mode, data, to, at }) }
    }

    unsafe fn persistent_receive(&self, buffer: *mut u8, len: usize, want: Want) -> Result<Persistent> {
        self.check_want(want)?;
        // SAFETY: the caller.
        unsafe { self.make(Recipe::Receive { buffer, len, want }) }
    }

    unsafe fn start(&self, operation: &mut Persistent) -> Result<()> {
        // SAFETY: the caller.
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

    /// MPI leaves it to the library, and so nobody may count on its waiting or on its not waiting.
    fn standard_send(&self) -> StandardSend {
        StandardSend::Synchronous
    }

    /// Not where ranks outnumber cores: the call would wait without giving the core away.
    fn has_send_receive(&self) -> bool {
        self.job.cadence == Cadence::Blocking
    }

    #[inline]
    fn send_receive(
        &self,
        outgoing: (&[u8], usize),
        incoming: (&mut [u8], usize),
        tag: Tag,
    ) -> Result<Status> {
        self.check_send(outgoing.1, tag)?;
        self.check_want(Want::new(incoming.1, tag))?;
        self.send_and_receive(outgoing, incoming, tag)
    }

    /// Open MPI 4.1 and 5.0 copy a whole message that goes by rendezvous, whatever the buffer has room for.
    fn keeps_bounds(&self) -> bool {
        self.job.mpi.library().abi() != Abi::OpenMpi
    }

    fn shape(&self) -> HopShape {
        self.group.shape
    }

    fn oversubscribed(&self) -> bool {
        self.job.cadence == Cadence::Yielding
    }

    /// The caller returns the error, which ends the job.
    fn abort(&self, message: &str) -> Error {
        Error::Aborted { rank: self.rank(), message: message.into() }
    }

    /// An MPI job that has failed is gone; whoever can ask is in one that has not.
    #[inline]
    fn check(&self) -> Result<()> {
        self.job.watch.beat();
        Ok(())
    }

    fn has_native(&self, _problem: &Problem) -> bool {
        true
    }

    fn run_native(&self, problem: &Problem, buffers: &mut Buffers<'_>) -> Result<()> {
        self.native(problem, buffers)
    }

    unsafe fn start_native(&self, problem: &Problem, buffers: &mut Buffers<'_>) -> Result<Handle> {
        // SAFETY: the caller.
        unsafe { self.start_collective(problem, buffers) }
    }

    fn has_native_uneven(&self) -> bool {
        true
    }

    fn run_native_uneven(
        &self,
        problem: &UnevenProblem,
        extents: &Extents,
        buffers: &mut Buffers<'_>,
    ) -> Result<()> {
        self.native_uneven(problem, extents, buffers)
    }

    unsafe fn start_native_uneven(
        &self,
        problem: &UnevenProblem,
        extents: &Extents,
        buffers: &mut Buffers<'_>,
    ) -> Result<Handle> {
        // SAFETY: the caller.
        unsafe { self.start_uneven(problem, extents, buffers) }
    }

    fn window(&self, with: Option<usize>, bytes: usize) -> Result<Option<Box<dyn Window>>> {
        with.map_or(Ok(()), |with| self.check_rank(with))?;
        self.open_window(with, bytes)
    }
}

impl Endpoint {
    /// Takes part in a run of the first `ranks` ranks. All processes must come here together.
    pub(super) fn join(job: &Rc<Job>, ranks: usize) -> Result<Option<Self>> {
        let Some(group) = job.group(ranks)? else { return Ok(None) };
        let endpoint =
            Self { job: Rc::clone(job), group, clock: Cell::default(), is_synchronised: Cell::new(false) };
        if !job.clocks.is_one(ranks) {
            endpoint.synchronise()?;
        }
        Ok(Some(endpoint))
    }

    /// Collectives' messages have a communicator of their own.
    #[inline]
    pub(super) fn comm(&self, tag: Tag) -> &Comm {
        if tag < FIRST_COLLECTIVE_TAG { &self.group.messages } else { &self.group.collectives }
    }

    #[inline]
    pub(super) fn comm_of(&self, want: Want) -> &Comm {
        self.comm(want.tag.unwrap_or(0))
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
    fn check_want(&self, want: Want) -> Result<()> {
        want.source.map_or(Ok(()), |source| self.check_rank(source))?;
        want.tag.map_or(Ok(()), check_tag)
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
