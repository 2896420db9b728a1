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
        let outcome = Cadence::wait(|| Ok(request.is_complete(&self.job.mpi)?.then_some(())));
        outcome.map_err(|error| self.job.give_up(&error.into()))
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
        let outcome = Cadence::wait(|| request.try_receive(&self.job.mpi));
        outcome.map_err(|error| match error {
            panto_mpi::Error::Truncated => error,
            error => self.job.give_up(&error.into()),
        })
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
            Kind::Send(status) => active.request.complete(mpi).map(|()| status),
            Kind::Receive(_) => active.request.receive(mpi).map(status),
        };
        self.completed(active.kind, outcome)
    }

    /// Is an operation complete?
    pub(super) fn try_complete(&self, active: &mut Active) -> Result<Option<Status>> {
        let mpi = &self.job.mpi;
        let outcome = match active.kind {
            Kind::Send(status) => active.request.is_complete(mpi).map(|complete| complete.then_some(status)),
            Kind::Receive(_) => active.request.try_receive(mpi).map(|done| done.map(status)),
        };
        outcome.transpose().map(|outcome| self.completed(active.kind, outcome)).transpose()
    }

    /// What the end of an operation means. Nobody knows what a library does with the memory of one that it could not complete, but
    /// for a message that was too long.
    #[inline]
    fn completed(&self, kind: Kind, outcome: panto_mpi::Result<Status>) -> Result<Status> {
        self.job.watch.beat();
        match (outcome, kind) {
            (Ok(status), _) => Ok(status),
            (Err(panto_mpi::Error::Truncated), Kind::Receive(capacity)) => {
                Err(Error::TooLong { rank: self.rank(), capacity })
            }
            (Err(error), _) => self.job.give_up(&error.into()),
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
        // SAFETY: each is put back before anything else is done with its handle.
        let lend =
            |&index: &usize| handles[index].active_mut().map(|active| unsafe { active.request.take() });
        let mut requests: SmallVec<[Request; 16]> = which.iter().filter_map(lend).collect();
        let outcome = Request::wait_any(&self.job.mpi, &mut requests);
        for (&index, request) in which.iter().zip(requests) {
            if let Some(active) = handles[index].active_mut() {
                active.request = request;
            }
        }
        let (place, outcome) = outcome.unwrap_or_else(|error| self.job.give_up(&error.into()));
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

    /// Gives an operation up. A receive is taken back; a send cannot be, and is waited for, because its memory is in use. A rank that
    /// waits in vain ends the job.
    pub(super) fn take_back(&self, active: &mut Active) -> Option<Status> {
        let mpi = &self.job.mpi;
        match active.kind {
            Kind::Receive(_) => match active.request.cancel_receive(mpi) {
                Ok(message) => message.map(status),
                Err(panto_mpi::Error::Truncated) => None,
                Err(error) => self.job.give_up(&error.into()),
            },
            Kind::Send(status) => {
                let deadline = Instant::now() + LAST_WAIT;
                while !active.request.is_complete(mpi).unwrap_or_else(|error| self.job.give_up(&error.into()))
                {
                    if Instant::now() > deadline {
                        self.job.give_up(&Error::Start(
                            "a message that nobody receives cannot be taken back".into(),
                        ));
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

    /// In one call of the library.
    #[inline]
    pub(super) fn send_and_receive(
        &self,
        outgoing: (&[u8], usize),
        incoming: (&mut [u8], usize),
        tag: Tag,
    ) -> Result<Status> {
        let capacity = incoming.0.len();
        let outcome = self.comm(tag).send_receive(outgoing, incoming, tag);
        self.job.watch.beat();
        self.received(outcome, capacity)
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
