//! How operations of a rank are waited for, completed and given up.

use std::time::{Duration, Instant};

use panto_mpi::Request;
use smallvec::SmallVec;

use super::cadence::Cadence;
use super::endpoint::Endpoint;
use super::handle::{Active, Handle, Kind, State};
use super::words::{native_mode, native_want, status};
use crate::error::{Error, Result};
use crate::message::{Mode, Status, Tag, Want};
use crate::transport::Transport;

/// A send that cannot be taken back is waited for so long, when a rank gives up.
const LAST_WAIT: Duration = Duration::from_secs(10);

impl Endpoint {
    /// From MPI's own buffer; what has no room there is copied by us, and on its way when this returns.
    pub(super) fn send_buffered(&self, data: &[u8], to: usize, tag: Tag) -> Result<()> {
        let comm = self.comm(tag);
        if comm.send(panto_mpi::Mode::Buffered, data, to, tag).is_ok() {
            return Ok(());
        }
        let copy = data.to_vec();
        // SAFETY: the copy is kept, unchanged, until the request is complete; its bytes stay where they are.
        let request =
            unsafe { comm.start_send(panto_mpi::Mode::Standard, copy.as_ptr(), copy.len(), to, tag) }?;
        let mut copies = self.job.copies.borrow_mut();
        copies.push((request, copy));
        // Those that have gone out by now need their copies no more.
        copies.retain_mut(|(request, _)| !request.is_complete(&self.job.mpi).unwrap_or(false));
        Ok(())
    }

    pub(super) fn send_yielding(&self, mode: Mode, data: &[u8], to: usize, tag: Tag) -> Result<()> {
        let comm = self.comm(tag);
        // SAFETY: the data is borrowed until the request is complete, below.
        let mut request = unsafe { comm.start_send(native_mode(mode), data.as_ptr(), data.len(), to, tag) }?;
        Ok(Cadence::wait(|| Ok(request.is_complete(&self.job.mpi)?.then_some(())))?)
    }

    pub(super) fn receive_yielding(
        &self,
        buffer: &mut [u8],
        want: Want,
    ) -> panto_mpi::Result<panto_mpi::Status> {
        let comm = self.comm(want.tag.unwrap_or(0));
        // SAFETY: the buffer is borrowed until the request is complete, below.
        let mut request =
            unsafe { comm.start_receive(buffer.as_mut_ptr(), buffer.len(), native_want(want)) }?;
        Cadence::wait(|| request.try_receive(&self.job.mpi))
    }

    /// Waits for an operation.
    #[inline]
    pub(super) fn complete(&self, active: &mut Active) -> Result<Status> {
        if self.job.cadence == Cadence::Yielding {
            return loop {
                if let Some(status) = self.try_complete(active)? {
                    break Ok(status);
                }
                std::thread::yield_now();
            };
        }
        let mpi = &self.job.mpi;
        let outcome = match active.kind {
            Kind::Send(status) => active.request.complete(mpi).map(|()| status).map_err(Error::from),
            Kind::Receive(capacity) => self.received(active.request.receive(mpi), capacity),
        };
        self.job.watch.beat();
        outcome
    }

    /// Is an operation complete?
    pub(super) fn try_complete(&self, active: &mut Active) -> Result<Option<Status>> {
        let mpi = &self.job.mpi;
        self.job.watch.beat();
        match active.kind {
            Kind::Send(status) => Ok(active.request.is_complete(mpi)?.then_some(status)),
            Kind::Receive(capacity) => match active.request.try_receive(mpi) {
                Ok(None) => Ok(None),
                Ok(Some(status)) => self.received(Ok(status), capacity).map(Some),
                Err(error) => self.received(Err(error), capacity).map(Some),
            },
        }
    }

    /// The place in `which` of an operation that is complete; the handle knows its outcome.
    pub(super) fn first_complete(&self, handles: &mut [Handle], which: &[usize]) -> usize {
        let is_over = |index: &usize| !matches!(handles[*index].0, State::Active(_));
        if let Some(place) = which.iter().position(is_over) {
            return place;
        }
        match self.job.cadence {
            Cadence::Blocking => self.wait_for_first(handles, which),
            Cadence::Yielding => loop {
                // An operation that failed is complete too; waiting for it says how.
                let complete =
                    |&index: &usize| self.test(&mut handles[index]).map_or(true, |done| done.is_some());
                if let Some(place) = which.iter().position(complete) {
                    break place;
                }
            },
        }
    }

    /// All of `which` are active.
    fn wait_for_first(&self, handles: &mut [Handle], which: &[usize]) -> usize {
        let lend =
            |&index: &usize| handles[index].active_mut().map(|active| std::mem::take(&mut active.request));
        let mut requests: SmallVec<[Request; 16]> = which.iter().filter_map(lend).collect();
        let (place, outcome) = Request::wait_any(&self.job.mpi, &mut requests);
        for (&index, request) in which.iter().zip(requests) {
            if let Some(active) = handles[index].active_mut() {
                active.request = request;
            }
        }
        let handle = &mut handles[which[place]];
        let kind = handle.active_mut().map(|active| active.kind);
        let outcome = match kind {
            Some(Kind::Receive(capacity)) => self.received(outcome, capacity),
            Some(Kind::Send(status)) => outcome.map(|_| status).map_err(Error::from),
            None => Err(Error::NothingToWaitFor),
        };
        handle.0 = outcome.map_or_else(State::Failed, State::Complete);
        self.job.watch.beat();
        place
    }

    /// Gives an operation up. A receive is taken back; a send cannot be, and is waited for, because its memory is in use. A rank that
    /// waits in vain ends the job: there is no other way out that is sound.
    pub(super) fn take_back(&self, active: &mut Active) -> Option<Status> {
        let mpi = &self.job.mpi;
        match active.kind {
            Kind::Receive(_) => active.request.cancel_receive(mpi).ok().flatten().map(status),
            Kind::Send(status) => {
                let deadline = Instant::now() + LAST_WAIT;
                while !active.request.is_complete(mpi).unwrap_or(true) {
                    if Instant::now() > deadline {
                        eprintln!("panto: rank {}: a message to nobody cannot be taken back", self.rank());
                        mpi.abort(1);
                    }
                    std::thread::yield_now();
                }
                Some(status)
            }
        }
    }

    /// Nobody who asks and gets no answer should keep the core from those who would give it.
    pub(super) fn give_way(&self) {
        if self.job.cadence == Cadence::Yielding {
            std::thread::yield_now();
        }
    }

    /// What a receive gave.
    #[inline]
    pub(super) fn received(
        &self,
        outcome: panto_mpi::Result<panto_mpi::Status>,
        capacity: usize,
    ) -> Result<Status> {
        match outcome {
            Ok(native) => Ok(status(native)),
            Err(panto_mpi::Error::Truncated) => Err(Error::TooLong { rank: self.rank(), capacity }),
            Err(error) => Err(error.into()),
        }
    }
}
