//! Windows of an MPI.

use std::rc::Rc;

use panto_mpi::Part;

use super::cadence::Cadence;
use super::endpoint::Endpoint;
use super::job::Job;
use crate::error::{Error, Result};
use crate::onesided::{Access, Parts, Synchronisation, Window};
use crate::transport::Transport;

/// A window between this rank and another.
struct Opened {
    job: Rc<Job>,
    native: panto_mpi::Window,
}

impl Endpoint {
    /// A communicator for each pair, and a window on it.
    pub(super) fn open_window(&self, with: Option<usize>, bytes: usize) -> Result<Option<Box<dyn Window>>> {
        if with == Some(self.rank()) {
            return Err(Error::Unsupported("window of a rank with itself"));
        }
        let team = with.map(|with| with.min(self.rank()));
        let Some(pair) = self.group.messages.split_by(team)? else { return Ok(None) };
        let native = panto_mpi::Window::allocate(pair, bytes)?;
        self.job.watch.beat();
        Ok(Some(Box::new(Opened { job: Rc::clone(&self.job), native })))
    }
}

impl Opened {
    /// Nobody knows what a library does with the memory of an access that it could not complete.
    fn or_give_up(&self, outcome: panto_mpi::Result<()>) {
        if let Err(error) = outcome {
            self.job.give_up(&error.into());
        }
        self.job.watch.beat();
    }

    /// All parts, and the call that completes them.
    fn carry_out(&self, how: Synchronisation, access: Access<'_>, parts: Parts) -> panto_mpi::Result<()> {
        let window = &self.native;
        match how {
            Synchronisation::Fence => window.fence()?,
            Synchronisation::Lock => window.lock()?,
            Synchronisation::Post => window.start()?,
            Synchronisation::Flush => {}
        }
        self.start_parts(access, parts)?;
        match how {
            Synchronisation::Fence => window.fence(),
            Synchronisation::Lock => window.unlock(),
            Synchronisation::Post => window.complete(),
            Synchronisation::Flush => window.flush(),
        }
    }

    /// Parts have been checked. They are complete, or the job is over, before the borrow of their buffer ends.
    fn start_parts(&self, mut access: Access<'_>, parts: Parts) -> panto_mpi::Result<()> {
        for (here, there) in parts.starts() {
            let native = match &mut access {
                Access::Put(data) => panto_mpi::Access::Put(data[here..].as_ptr()),
                Access::Get(into) => panto_mpi::Access::Get(into[here..].as_mut_ptr()),
                Access::Accumulate(data) => panto_mpi::Access::Accumulate(data[here..].as_ptr()),
            };
            // SAFETY: the part lies in the buffer, which `access` borrows until `carry_out` has closed or flushed the epoch.
            unsafe { self.native.access(native, Part { at: there, len: parts.bytes }) }?;
        }
        Ok(())
    }
}

impl Window for Opened {
    fn store(&mut self, data: &[u8]) -> Result<()> {
        Ok(self.native.store(data)?)
    }

    fn load(&mut self, into: &mut [u8]) -> Result<()> {
        Ok(self.native.load(into)?)
    }

    fn open(&mut self, how: Synchronisation, accesses: bool) -> Result<()> {
        if how == Synchronisation::Flush && accesses {
            self.native.lock_all()?;
        }
        Ok(())
    }

    fn access(&mut self, how: Synchronisation, access: Access<'_>, parts: Parts) -> Result<()> {
        parts.check(&access, self.native.len())?;
        self.or_give_up(self.carry_out(how, access, parts));
        Ok(())
    }

    fn answer(&mut self, how: Synchronisation) -> Result<()> {
        let window = &self.native;
        match how {
            Synchronisation::Fence => {
                window.fence()?;
                window.fence()?;
            }
            Synchronisation::Post => {
                window.post()?;
                match self.job.cadence {
                    Cadence::Blocking => window.wait()?,
                    Cadence::Yielding => Cadence::wait(|| Ok(window.test()?.then_some(())))?,
                }
            }
            Synchronisation::Lock | Synchronisation::Flush => {}
        }
        self.job.watch.beat();
        Ok(())
    }

    fn close(&mut self, how: Synchronisation, accesses: bool) -> Result<()> {
        match how {
            // A fence opens another epoch, in which nothing else may be used.
            Synchronisation::Fence => Ok(self.native.last_fence()?),
            Synchronisation::Flush if accesses => Ok(self.native.unlock_all()?),
            _ => Ok(()),
        }
    }

    fn free(self: Box<Self>) -> Result<()> {
        Ok(self.native.free()?)
    }
}
