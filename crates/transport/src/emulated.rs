//! Persistent operations for message layers without native ones: the parameters are kept, and each
//! start starts an ordinary operation with them.

use crate::error::{Error, Result};
use crate::message::{MAX_TAG, Selector, SendMode, Status, Tag};
use crate::transport::Transport;

/// A persistent operation whose starts are ordinary operations.
pub struct EmulatedPersistent<H> {
    operation: Operation,
    started: Option<H>,
}

#[derive(Clone, Copy)]
enum Operation {
    Send { mode: SendMode, data: *const u8, len: usize, to: usize, tag: Tag },
    Receive { buffer: *mut u8, len: usize, selector: Selector },
}

impl<H> EmulatedPersistent<H> {
    /// Makes a persistent send.
    ///
    /// # Safety
    /// As for [`Transport::persistent_send`].
    pub(crate) unsafe fn send<T: Transport<Handle = H>>(
        transport: &T,
        mode: SendMode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: Tag,
    ) -> Result<Self> {
        check(transport, Selector::new(to, tag))?;
        Ok(Self { operation: Operation::Send { mode, data, len, to, tag }, started: None })
    }

    /// Makes a persistent receive.
    ///
    /// # Safety
    /// As for [`Transport::persistent_receive`].
    pub(crate) unsafe fn receive<T: Transport<Handle = H>>(
        transport: &T,
        buffer: *mut u8,
        len: usize,
        selector: Selector,
    ) -> Result<Self> {
        check(transport, selector)?;
        Ok(Self { operation: Operation::Receive { buffer, len, selector }, started: None })
    }

    /// Starts the operation.
    ///
    /// # Safety
    /// As for [`Transport::start`].
    pub(crate) unsafe fn start<T: Transport<Handle = H>>(&mut self, transport: &T) -> Result<()> {
        // SAFETY: the memory is valid as the caller promised when the operation was made, and not
        // in use: the caller promises that the operation is not started.
        let handle = unsafe {
            match self.operation {
                Operation::Send { mode, data, len, to, tag } => {
                    transport.start_send(mode, data, len, to, tag)
                }
                Operation::Receive { buffer, len, selector } => {
                    transport.start_receive(buffer, len, selector)
                }
            }
        }?;
        self.started = Some(handle);
        Ok(())
    }

    pub(crate) fn finish<T: Transport<Handle = H>>(&mut self, transport: &T) -> Result<Status> {
        let handle = self.started.as_mut().ok_or(Error::NoRequest)?;
        let outcome = transport.wait(handle);
        self.end(transport, outcome.is_ok());
        outcome
    }

    pub(crate) fn poll<T: Transport<Handle = H>>(&mut self, transport: &T) -> Result<Option<Status>> {
        let handle = self.started.as_mut().ok_or(Error::NoRequest)?;
        let outcome = transport.test(handle);
        if outcome != Ok(None) {
            self.end(transport, outcome.is_ok());
        }
        outcome
    }

    pub(crate) fn retire<T: Transport<Handle = H>>(&mut self, transport: &T) {
        self.end(transport, false);
    }

    /// Ends the current start. Cancels the operation unless it is complete: a wait may fail because
    /// the world has, and leave it pending.
    fn end<T: Transport<Handle = H>>(&mut self, transport: &T, complete: bool) {
        if let Some(mut handle) = self.started.take().filter(|_| !complete) {
            transport.cancel(&mut handle);
        }
    }
}

fn check<T: Transport>(transport: &T, peer: Selector) -> Result<()> {
    let ranks = transport.size();
    match peer {
        Selector { source: Some(rank), .. } if rank >= ranks => Err(Error::NoSuchRank { rank, ranks }),
        Selector { tag: Some(tag), .. } if tag > MAX_TAG => Err(Error::TagTooLarge(tag)),
        _ => Ok(()),
    }
}

/// The persistent operations of a [`Transport`] whose `Persistent` is [`EmulatedPersistent`], for
/// use inside its `impl`.
macro_rules! emulated_persistent_operations {
    () => {
        unsafe fn persistent_send(
            &self,
            mode: crate::SendMode,
            data: *const u8,
            len: usize,
            to: usize,
            tag: crate::Tag,
        ) -> crate::Result<Self::Persistent> {
            // SAFETY: the contracts of both functions are the same, and this one's caller keeps it.
            unsafe { crate::emulated::EmulatedPersistent::send(self, mode, data, len, to, tag) }
        }

        unsafe fn persistent_receive(
            &self,
            buffer: *mut u8,
            len: usize,
            selector: crate::Selector,
        ) -> crate::Result<Self::Persistent> {
            // SAFETY: the contracts of both functions are the same, and this one's caller keeps it.
            unsafe { crate::emulated::EmulatedPersistent::receive(self, buffer, len, selector) }
        }

        unsafe fn start(&self, operation: &mut Self::Persistent) -> crate::Result<()> {
            // SAFETY: the contracts of both functions are the same, and this one's caller keeps it.
            unsafe { operation.start(self) }
        }

        fn finish(&self, operation: &mut Self::Persistent) -> crate::Result<crate::Status> {
            operation.finish(self)
        }

        fn poll(&self, operation: &mut Self::Persistent) -> crate::Result<Option<crate::Status>> {
            operation.poll(self)
        }

        fn retire(&self, operation: &mut Self::Persistent) {
            operation.retire(self);
        }
    };
}

pub(crate) use emulated_persistent_operations;
