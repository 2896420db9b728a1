//! Waiting for, completing and cancelling operations.

use std::time::{Duration, Instant};

use panto_mpi::Request;
use smallvec::SmallVec;

use super::convert::{native_selector, status};
use super::endpoint::Endpoint;
use super::handle::{Active, Handle, Kind, State};
use super::wait_strategy::WaitStrategy;
use crate::error::{Error, Result};
use crate::message::{Selector, SendMode, Status, Tag};
use crate::transport::Transport;

/// How long a send that cannot be cancelled is waited for when a rank fails.
const CANCEL_LIMIT: Duration = Duration::from_secs(10);

impl Endpoint {
    /// Sends from MPI's attached buffer. A message that does not fit there is copied, and sent from
    /// the copy.
    pub(super) fn send_buffered(&self, data: &[u8], to: usize, tag: Tag) -> Result<()> {
        let comm = self.comm(tag);
        if comm.send(SendMode::Buffered, data, to, tag).is_ok() {
            return Ok(());
        }
        let copy = data.to_vec();
        // SAFETY: the copy is kept unchanged until the request is complete; its bytes do not move
        // with the vector.
        let request = unsafe { comm.start_send(SendMode::Standard, copy.as_ptr(), copy.len(), to, tag) }?;
        let mut copies = self.job.copies.borrow_mut();
        copies.push((request, copy));
        // Copies of messages that are sent are freed.
        copies.retain_mut(|(request, _)| !request.is_complete(&self.job.mpi).unwrap_or(false));
        Ok(())
    }

    pub(super) fn send_yielding(&self, mode: SendMode, data: &[u8], to: usize, tag: Tag) -> Result<()> {
        let comm = self.comm(tag);
        // SAFETY: the data is borrowed until the request is complete, below, or the job aborted.
        let mut request = unsafe { comm.start_send(mode, data.as_ptr(), data.len(), to, tag) }?;
        let outcome = WaitStrategy::wait(|| Ok(request.is_complete(&self.job.mpi)?.then_some(())));
        outcome.map_err(|error| self.job.abort_job(&error.into()))
    }

    pub(super) fn receive_yielding(
        &self,
        buffer: &mut [u8],
        selector: Selector,
    ) -> panto_mpi::Result<panto_mpi::Status> {
        let comm = self.comm(selector.tag.unwrap_or(0));
        // SAFETY: the buffer is borrowed until the request is complete, below, or the job aborted.
        let mut request =
            unsafe { comm.start_receive(buffer.as_mut_ptr(), buffer.len(), native_selector(selector)) }?;
        let outcome = WaitStrategy::wait(|| request.try_receive(&self.job.mpi));
        outcome.map_err(|error| match error {
            panto_mpi::Error::Truncated => error,
            error => self.job.abort_job(&error.into()),
        })
    }

    /// Waits for an operation.
    #[inline]
    pub(super) fn complete(&self, active: &mut Active) -> Result<Status> {
        if self.job.wait_strategy == WaitStrategy::Yielding {
            return loop {
                if let Some(status) = self.try_complete(active)? {
                    break Ok(status);
                }
                std::thread::yield_now();
            };
        }
        let mpi = &self.job.mpi;
        let outcome = match active.kind {
            Kind::Send(status) => active.request.complete(mpi).map(|()| status),
            Kind::Receive(_) => active.request.receive(mpi).map(status),
        };
        self.completed(active.kind, outcome)
    }

    /// Returns the status of an operation if it is complete.
    pub(super) fn try_complete(&self, active: &mut Active) -> Result<Option<Status>> {
        let mpi = &self.job.mpi;
        let outcome = match active.kind {
            Kind::Send(status) => active.request.is_complete(mpi).map(|complete| complete.then_some(status)),
            Kind::Receive(_) => active.request.try_receive(mpi).map(|done| done.map(status)),
        };
        outcome.transpose().map(|outcome| self.completed(active.kind, outcome)).transpose()
    }

    /// Converts the result of a completed operation. A failure other than a truncated message
    /// aborts the job: it is unknown what the library does with the operation's memory.
    #[inline]
    fn completed(&self, kind: Kind, outcome: panto_mpi::Result<Status>) -> Result<Status> {
        self.job.watchdog.heartbeat();
        match (outcome, kind) {
            (Ok(status), _) => Ok(status),
            (Err(panto_mpi::Error::Truncated), Kind::Receive(capacity)) => {
                Err(Error::TooLong { rank: self.rank(), capacity })
            }
            (Err(error), _) => self.job.abort_job(&error.into()),
        }
    }

    /// Waits until one of `which` is complete, stores its outcome in the handle, and returns its
    /// index in `which`.
    pub(super) fn first_complete(&self, handles: &mut [Handle], which: &[usize]) -> usize {
        let is_over = |index: &usize| !matches!(handles[*index].0, State::Active(_));
        if let Some(place) = which.iter().position(is_over) {
            return place;
        }
        match self.job.wait_strategy {
            WaitStrategy::Blocking => self.wait_for_first(handles, which),
            WaitStrategy::Yielding => loop {
                // A failed operation is complete too; waiting for it returns the error.
                let complete =
                    |&index: &usize| self.test(&mut handles[index]).map_or(true, |done| done.is_some());
                if let Some(place) = which.iter().position(complete) {
                    break place;
                }
            },
        }
    }

    /// Waits in the library for the first of `which`, all of which are active.
    fn wait_for_first(&self, handles: &mut [Handle], which: &[usize]) -> usize {
        // SAFETY: each request is put back below before its handle is used otherwise.
        let take =
            |&index: &usize| handles[index].active_mut().map(|active| unsafe { active.request.take() });
        let mut requests: SmallVec<[Request; 16]> = which.iter().filter_map(take).collect();
        let outcome = Request::wait_any(&self.job.mpi, &mut requests);
        for (&index, request) in which.iter().zip(requests) {
            if let Some(active) = handles[index].active_mut() {
                active.request = request;
            }
        }
        let (place, outcome) = outcome.unwrap_or_else(|error| self.job.abort_job(&error.into()));
        let handle = &mut handles[which[place]];
        if let Some(kind) = handle.active_mut().map(|active| active.kind) {
            let outcome = outcome.map(|native| match kind {
                Kind::Receive(_) => status(native),
                Kind::Send(status) => status,
            });
            handle.0 = self.completed(kind, outcome).map_or_else(State::Failed, State::Complete);
        }
        place
    }

    /// Cancels an operation. A receive can be cancelled; a send cannot, and is waited for, because
    /// its memory is in use. A wait without success aborts the job.
    pub(super) fn withdraw(&self, active: &mut Active) -> Option<Status> {
        let mpi = &self.job.mpi;
        match active.kind {
            Kind::Receive(_) => match active.request.cancel_receive(mpi) {
                Ok(message) => message.map(status),
                Err(panto_mpi::Error::Truncated) => None,
                Err(error) => self.job.abort_job(&error.into()),
            },
            Kind::Send(status) => {
                let deadline = Instant::now() + CANCEL_LIMIT;
                while !active
                    .request
                    .is_complete(mpi)
                    .unwrap_or_else(|error| self.job.abort_job(&error.into()))
                {
                    if Instant::now() > deadline {
                        self.job.abort_job(&Error::Start("cannot cancel a send that is not received".into()));
                    }
                    std::thread::yield_now();
                }
                Some(status)
            }
        }
    }

    /// Yields the core where ranks outnumber cores.
    pub(super) fn yield_core(&self) {
        if self.job.wait_strategy == WaitStrategy::Yielding {
            std::thread::yield_now();
        }
    }

    /// Sends and receives in one call of the library.
    #[inline]
    pub(super) fn send_and_receive(
        &self,
        outgoing: (&[u8], usize),
        incoming: (&mut [u8], usize),
        tag: Tag,
    ) -> Result<Status> {
        let capacity = incoming.0.len();
        let outcome = self.comm(tag).send_receive(outgoing, incoming, tag);
        self.job.watchdog.heartbeat();
        self.received(outcome, capacity)
    }

    /// Converts the result of a receive.
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
