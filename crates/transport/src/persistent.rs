//! Persistent operations (`MPI_Send_init`, `MPI_Recv_init`) that safe code cannot misuse.
//!
//! Each owns its buffer, on the heap, so the address stays the same when the operation is moved,
//! and the memory stays valid when it is leaked. While the operation is started, a receive's buffer
//! is not accessible at all, and a send's only for reading.

use crate::error::{Error, Result};
use crate::message::{Selector, SendMode, Status, Tag};
use crate::transport::Transport;

/// A send that is set up once and started repeatedly (`MPI_Send_init` and its variants).
///
/// ```
/// # use panto_transport::{Error, SendMode, PersistentReceive, PersistentSend, Transport, Selector};
/// fn count(t: &impl Transport, to: usize, from: usize) -> Result<(), Error> {
///     let mut send = PersistentSend::new(t, SendMode::Standard, vec![0], to, 1)?;
///     let mut receive = PersistentReceive::new(t, vec![0], Selector::new(from, 1))?;
///     for number in 0..10 {
///         receive.start()?;
///         send.buffer_mut().ok_or(Error::AlreadyStarted)?[0] = number;
///         send.start()?;
///         receive.wait()?;
///         send.wait()?;
///         assert_eq!(receive.buffer(), Some(&[number][..]));
///     }
///     Ok(())
/// }
/// ```
pub struct PersistentSend<'t, T: Transport>(OwnedOperation<'t, T>);

/// A receive that is set up once and started repeatedly (`MPI_Recv_init`).
pub struct PersistentReceive<'t, T: Transport>(OwnedOperation<'t, T>);

impl<'t, T: Transport> PersistentSend<'t, T> {
    /// Makes a send of all of `buffer`.
    pub fn new(transport: &'t T, mode: SendMode, buffer: Vec<u8>, to: usize, tag: Tag) -> Result<Self> {
        // SAFETY: `OwnedOperation` keeps the memory at its address until the operation is retired,
        // and gives out mutable access only while it is not started.
        let make =
            |data: *mut u8, len| unsafe { transport.persistent_send(mode, data.cast_const(), len, to, tag) };
        OwnedOperation::new(transport, buffer, make).map(Self)
    }

    /// Starts it. Returns an error, and changes nothing, if it is started already.
    pub fn start(&mut self) -> Result<()> {
        self.0.start()
    }

    /// Waits for it. When this returns the buffer may be changed; whether the message was received
    /// depends on the mode.
    pub fn wait(&mut self) -> Result<Status> {
        self.0.wait()
    }

    /// Returns its status if it is complete.
    pub fn test(&mut self) -> Result<Option<Status>> {
        self.0.test()
    }

    /// Returns the bytes that it sends.
    pub fn buffer(&self) -> &[u8] {
        // SAFETY: a started send only reads its memory, and changing it needs `buffer_mut`, which
        // borrows `self` exclusively.
        unsafe { &*self.0.memory }
    }

    /// Returns the bytes of the next start, for changing them; `None` while it is started.
    pub fn buffer_mut(&mut self) -> Option<&mut [u8]> {
        self.0.memory_mut()
    }
}

impl<'t, T: Transport> PersistentReceive<'t, T> {
    /// Makes a receive into `buffer`, of at most its length.
    pub fn new(transport: &'t T, buffer: Vec<u8>, selector: Selector) -> Result<Self> {
        // SAFETY: `OwnedOperation` keeps the memory at its address until the operation is retired,
        // and gives out access only while it is not started.
        let make = |data, len| unsafe { transport.persistent_receive(data, len, selector) };
        OwnedOperation::new(transport, buffer, make).map(Self)
    }

    /// Starts it. Returns an error, and changes nothing, if it is started already.
    pub fn start(&mut self) -> Result<()> {
        self.0.start()
    }

    /// Waits for its message.
    pub fn wait(&mut self) -> Result<Status> {
        self.0.wait()
    }

    /// Returns its status if it is complete.
    pub fn test(&mut self) -> Result<Option<Status>> {
        self.0.test()
    }

    /// Returns the buffer, whose beginning has the message that was received last; `None` while it
    /// is started.
    pub fn buffer(&self) -> Option<&[u8]> {
        // SAFETY: the operation is not started, so the transport does not use the memory, and
        // starting it needs `&mut self`.
        (!self.0.started).then(|| unsafe { &*self.0.memory })
    }

    /// Returns the buffer for changing it; `None` while the operation is started.
    pub fn buffer_mut(&mut self) -> Option<&mut [u8]> {
        self.0.memory_mut()
    }
}

/// A persistent operation with the memory that it uses.
struct OwnedOperation<'t, T: Transport> {
    transport: &'t T,
    operation: T::Persistent,
    // Raw: moving a box would assert access to memory that the transport is using.
    memory: *mut [u8],
    started: bool,
}

impl<'t, T: Transport> OwnedOperation<'t, T> {
    /// Calls `make` with memory that stays valid at its address until the operation is retired.
    fn new(
        transport: &'t T,
        buffer: Vec<u8>,
        make: impl FnOnce(*mut u8, usize) -> Result<T::Persistent>,
    ) -> Result<Self> {
        let memory = Box::into_raw(buffer.into_boxed_slice());
        let operation = make(memory.cast(), memory.len()).inspect_err(|_| {
            // SAFETY: it was leaked above, and there is no operation that could use it.
            drop(unsafe { Box::from_raw(memory) });
        })?;
        Ok(Self { transport, operation, memory, started: false })
    }

    fn start(&mut self) -> Result<()> {
        if self.started {
            return Err(Error::AlreadyStarted);
        }
        // SAFETY: it is not started, and only `drop` retires it. The memory is valid until then,
        // and is given out only while the operation is not started.
        unsafe { self.transport.start(&mut self.operation) }?;
        self.started = true;
        Ok(())
    }

    fn wait(&mut self) -> Result<Status> {
        let outcome = self.transport.finish(&mut self.operation);
        self.started = false;
        outcome
    }

    fn test(&mut self) -> Result<Option<Status>> {
        let outcome = self.transport.poll(&mut self.operation);
        self.started &= outcome == Ok(None);
        outcome
    }

    fn memory_mut(&mut self) -> Option<&mut [u8]> {
        // SAFETY: the operation is not started, so the transport does not use the memory, which is
        // exclusively borrowed with `self`.
        (!self.started).then(|| unsafe { &mut *self.memory })
    }
}

impl<T: Transport> Drop for OwnedOperation<'_, T> {
    fn drop(&mut self) {
        self.transport.retire(&mut self.operation);
        // SAFETY: it was made by `Box::into_raw`, and a retired operation does not access it.
        drop(unsafe { Box::from_raw(self.memory) });
    }
}
