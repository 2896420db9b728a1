//! Persistent operations for message layers that have none of their own: the recipe is kept, and each start is an ordinary
//! start of it.

use crate::error::{Error, Result};
use crate::message::{MAX_TAG, Mode, Status, Tag, Want};
use crate::transport::Transport;

/// A persistent operation whose starts are ordinary ones.
pub struct Repeated<H> {
    recipe: Recipe,
    started: Option<H>,
}

#[derive(Clone, Copy)]
enum Recipe {
    Send { mode: Mode, data: *const u8, len: usize, to: usize, tag: Tag },
    Receive { buffer: *mut u8, len: usize, want: Want },
}

impl<H> Repeated<H> {
    /// # Safety
    /// As for [`Transport::persistent_send`].
    pub(crate) unsafe fn send<T: Transport<Handle = H>>(
        transport: &T,
        mode: Mode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: Tag,
    ) -> Result<Self> {
        check(transport, Want::new(to, tag))?;
        Ok(Self { recipe: Recipe::Send { mode, data, len, to, tag }, started: None })
    }

    /// # Safety
    /// As for [`Transport::persistent_receive`].
    pub(crate) unsafe fn receive<T: Transport<Handle = H>>(
        transport: &T,
        buffer: *mut u8,
        len: usize,
        want: Want,
    ) -> Result<Self> {
        check(transport, want)?;
        Ok(Self { recipe: Recipe::Receive { buffer, len, want }, started: None })
    }

    /// # Safety
    /// As for [`Transport::start`].
    pub(crate) unsafe fn start<T: Transport<Handle = H>>(&mut self, transport: &T) -> Result<()> {
        // SAFETY: the memory is what the caller promised when the operation was made, and it is not in use: the caller says
        // that the operation is not started.
        let handle = unsafe {
            match self.recipe {
                Recipe::Send { mode, data, len, to, tag } => transport.start_send(mode, data, len, to, tag),
                Recipe::Receive { buffer, len, want } => transport.start_receive(buffer, len, want),
            }
        }?;
        self.started = Some(handle);
        Ok(())
    }

    pub(crate) fn finish<T: Transport<Handle = H>>(&mut self, transport: &T) -> Result<Status> {
        let handle = self.started.as_mut().ok_or(Error::NothingToWaitFor)?;
        let outcome = transport.wait(handle);
        self.over(transport, outcome.is_ok());
        outcome
    }

    pub(crate) fn poll<T: Transport<Handle = H>>(&mut self, transport: &T) -> Result<Option<Status>> {
        let handle = self.started.as_mut().ok_or(Error::NothingToWaitFor)?;
        let outcome = transport.test(handle);
        if outcome != Ok(None) {
            self.over(transport, outcome.is_ok());
        }
        outcome
    }

    pub(crate) fn retire<T: Transport<Handle = H>>(&mut self, transport: &T) {
        self.over(transport, false);
    }

    /// It is not started any more. A wait may fail because the world has, and leave the operation pending.
    fn over<T: Transport<Handle = H>>(&mut self, transport: &T, complete: bool) {
        if let Some(mut handle) = self.started.take().filter(|_| !complete) {
            transport.cancel(&mut handle);
        }
    }
}

fn check<T: Transport>(transport: &T, peer: Want) -> Result<()> {
    let ranks = transport.size();
    match peer {
        Want { source: Some(rank), .. } if rank >= ranks => Err(Error::NoSuchRank { rank, ranks }),
        Want { tag: Some(tag), .. } if tag > MAX_TAG => Err(Error::TagTooLarge(tag)),
        _ => Ok(()),
    }
}

/// The persistent operations of a [`Transport`] whose `Persistent` is [`Repeated`], to stand in its `impl`.
macro_rules! repeated_operations {
    () => {
        unsafe fn persistent_send(
            &self,
            mode: crate::Mode,
            data: *const u8,
            len: usize,
            to: usize,
            tag: crate::Tag,
        ) -> crate::Result<Self::Persistent> {
            // SAFETY: the caller.
            unsafe { crate::repeated::Repeated::send(self, mode, data, len, to, tag) }
        }

        unsafe fn persistent_receive(
            &self,
            buffer: *mut u8,
            len: usize,
            want: crate::Want,
        ) -> crate::Result<Self::Persistent> {
            // SAFETY: the caller.
            unsafe { crate::repeated::Repeated::receive(self, buffer, len, want) }
        }

        unsafe fn start(&self, operation: &mut Self::Persistent) -> crate::Result<()> {
            // SAFETY: the caller.
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

pub(crate) use repeated_operations;
