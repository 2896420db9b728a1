//! MPI windows.

use std::rc::Rc;

use panto_mpi::Part;

use super::endpoint::Endpoint;
use super::job::Job;
use super::wait_strategy::WaitStrategy;
use crate::error::{Error, Result};
use crate::onesided::{Access, AccessPattern, Synchronisation, Window};
use crate::transport::Transport;

/// A window between this rank and another.
struct PairWindow {
    job: Rc<Job>,
    native: panto_mpi::Window,
}

impl Endpoint {
    /// Creates a communicator for each pair of ranks, and a window on it.
    pub(super) fn open_window(&self, with: Option<usize>, bytes: usize) -> Result<Option<Box<dyn Window>>> {
        if with == Some(self.rank()) {
            return Err(Error::Unsupported("window of a rank with itself"));
        }
        let team = with.map(|with| with.min(self.rank()));
        let Some(pair) = self.group.messages.split_by(team)? else { return Ok(None) };
        let native = panto_mpi::Window::allocate(pair, bytes)?;
        self.job.watchdog.heartbeat();
        Ok(Some(Box::new(PairWindow { job: Rc::clone(&self.job), native })))
    }
}

impl PairWindow {
    /// Aborts the job on an error: it is unknown what the library does with the memory of a failed
    /// access.
    fn or_abort_job(&self, outcome: panto_mpi::Result<()>) {
        if let Err(error) = outcome {
            self.job.abort_job(&error.into());
        }
        self.job.watchdog.heartbeat();
    }

    /// Runs one access epoch: all blocks, and the call that completes them.
    fn carry_out(
        &self,
        synchronisation: Synchronisation,
        access: Access<'_>,
        pattern: AccessPattern,
    ) -> panto_mpi::Result<()> {
        let window = &self.native;
        match synchronisation {
            Synchronisation::Fence => window.fence()?,
            Synchronisation::Lock => window.lock()?,
            Synchronisation::Post => window.start()?,
            Synchronisation::Flush => {}
        }
        self.start_blocks(access, pattern)?;
        match synchronisation {
            Synchronisation::Fence => window.fence(),
            Synchronisation::Lock => window.unlock(),
            Synchronisation::Post => window.complete(),
            Synchronisation::Flush => window.flush(),
        }
    }

    /// Starts the accesses of all blocks, which were checked. They are complete, or the job
    /// aborted, before the borrow of the buffer ends.
    fn start_blocks(&self, mut access: Access<'_>, pattern: AccessPattern) -> panto_mpi::Result<()> {
        for (here, there) in pattern.starts() {
            let native = match &mut access {
                Access::Put(data) => panto_mpi::Access::Put(data[here..].as_ptr()),
                Access::Get(into) => panto_mpi::Access::Get(into[here..].as_mut_ptr()),
                Access::Accumulate(data) => panto_mpi::Access::Accumulate(data[here..].as_ptr()),
            };
            // SAFETY: the block lies in the buffer, which `access` borrows until `carry_out` has
            // completed or flushed the epoch.
            unsafe { self.native.access(native, Part { at: there, len: pattern.bytes }) }?;
        }
        Ok(())
    }
}

impl Window for PairWindow {
    fn store(&mut self, data: &[u8]) -> Result<()> {
        Ok(self.native.store(data)?)
    }

    fn load(&mut self, into: &mut [u8]) -> Result<()> {
        Ok(self.native.load(into)?)
    }

    fn open(&mut self, synchronisation: Synchronisation, accesses: bool) -> Result<()> {
        if synchronisation == Synchronisation::Flush && accesses {
            self.native.lock_all()?;
        }
        Ok(())
    }

    fn access(
        &mut self,
        synchronisation: Synchronisation,
        access: Access<'_>,
        pattern: AccessPattern,
    ) -> Result<()> {
        pattern.check(&access, self.native.len())?;
        self.or_abort_job(self.carry_out(synchronisation, access, pattern));
        Ok(())
    }

    fn expose(&mut self, synchronisation: Synchronisation) -> Result<()> {
        let window = &self.native;
        match synchronisation {
            Synchronisation::Fence => {
                window.fence()?;
                window.fence()?;
            }
            Synchronisation::Post => {
                window.post()?;
                match self.job.wait_strategy {
                    WaitStrategy::Blocking => window.wait()?,
                    WaitStrategy::Yielding => WaitStrategy::wait(|| Ok(window.test()?.then_some(())))?,
                }
            }
            Synchronisation::Lock | Synchronisation::Flush => {}
        }
        self.job.watchdog.heartbeat();
        Ok(())
    }

    fn close(&mut self, synchronisation: Synchronisation, accesses: bool) -> Result<()> {
        match synchronisation {
            // A fence opens another epoch, in which no other synchronisation may be used.
            Synchronisation::Fence => Ok(self.native.last_fence()?),
            Synchronisation::Flush if accesses => Ok(self.native.unlock_all()?),
            _ => Ok(()),
        }
    }

    fn free(self: Box<Self>) -> Result<()> {
        Ok(self.native.free()?)
    }
}
