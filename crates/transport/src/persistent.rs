//! Persistent operations that safe code cannot misuse.
//!
//! Each owns its buffer, on the heap: it stays at its place when the operation is moved, and for ever when it is leaked. While
//! the operation is started, nobody gets at what the message layer may be using.

use crate::error::{Error, Result};
use crate::message::{Mode, Status, Tag, Want};
use crate::transport::Transport;

/// A send that is made once and started again and again (`MPI_Send_init` and its kin).
///
/// ```
/// # use panto_transport::{Error, Mode, PersistentReceive, PersistentSend, Transport, Want};
/// fn count(t: &impl Transport, to: usize, from: usize) -> Result<(), Error> {
///     let mut send = PersistentSend::new(t, Mode::Standard, vec![0], to, 1)?;
///     let mut receive = PersistentReceive::new(t, vec![0], Want::new(from, 1))?;
///     for number in 0..10 {
///         receive.start()?;
///         send.buffer_mut().ok_or(Error::Started)?[0] = number;
///         send.start()?;
///         receive.wait()?;
///         send.wait()?;
///         assert_eq!(receive.buffer(), Some(&[number][..]));
///     }
///     Ok(())
/// }
/// ```
pub struct PersistentSend<'t, T: Transport>(Kept<'t, T>);

/// A receive that is made once and started again and again (`MPI_Recv_init`).
pub struct PersistentReceive<'t, T: Transport>(Kept<'t, T>);

impl<'t, T: Transport> PersistentSend<'t, T> {
    /// Makes one that sends all of `buffer`.
    pub fn new(transport: &'t T, mode: Mode, buffer: Vec<u8>, to: usize, tag: Tag) -> Result<Self> {
        // SAFETY: `Kept` keeps what this needs.
        let make =
            |data: *mut u8, len| unsafe { transport.persistent_send(mode, data.cast_const(), len, to, tag) };
        Kept::new(transport, buffer, make).map(Self)
    }

    /// Starts it. Starting it again before it is complete is an error, and changes nothing.
    pub fn start(&mut self) -> Result<()> {
        self.0.start()
    }

    /// Waits for it. That the buffer may be changed again says no more than the mode does.
    pub fn wait(&mut self) -> Result<Status> {
        self.0.wait()
    }

    /// Is it complete?
    pub fn test(&mut self) -> Result<Option<Status>> {
        self.0.test()
    }

    /// What it sends.
    pub fn buffer(&self) -> &[u8] {
        // SAFETY: a started send only reads, and changing needs `buffer_mut`, which borrows `self`.
        unsafe { &*self.0.memory }
    }

    /// What the next start will send; `None` while it is started.
    pub fn buffer_mut(&mut self) -> Option<&mut [u8]> {
        self.0.memory_mut()
    }
}

impl<'t, T: Transport> PersistentReceive<'t, T> {
    /// Makes one that receives into `buffer`, up to its length.
    pub fn new(transport: &'t T, buffer: Vec<u8>, want: Want) -> Result<Self> {
        // SAFETY: `Kept` keeps what this needs.
        let make = |data, len| unsafe { transport.persistent_receive(data, len, want) };
        Kept::new(transport, buffer, make).map(Self)
    }

    /// Starts it. Starting it again before it is complete is an error, and changes nothing.
    pub fn start(&mut self) -> Result<()> {
        self.0.start()
    }

    /// Waits for its message.
    pub fn wait(&mut self) -> Result<Status> {
        self.0.wait()
    }

    /// Is it complete?
    pub fn test(&mut self) -> Result<Option<Status>> {
        self.0.test()
    }

    /// What it received last, and what was there before; `None` while it is started.
    pub fn buffer(&self) -> Option<&[u8]> {
        // SAFETY: nobody uses the memory while the operation is not started, and starting it needs `&mut self`.
        (!self.0.started).then(|| unsafe { &*self.0.memory })
    }

    /// The same, to change it.
    pub fn buffer_mut(&mut self) -> Option<&mut [u8]> {
        self.0.memory_mut()
    }
}

/// An operation with the memory that it works on.
struct Kept<'t, T: Transport> {
    transport: &'t T,
    operation: T::Persistent,
    // Raw, because a box that moves would claim memory that the transport is using.
    memory: *mut [u8],
    started: bool,
}

impl<'t, T: Transport> Kept<'t, T> {
    /// `make` gets memory that stays valid at its place until the operation is retired.
    fn new(
        transport: &'t T,
        buffer: Vec<u8>,
        make: impl FnOnce(*mut u8, usize) -> Result<T::Persistent>,
    ) -> Result<Self> {
        let memory = Box::into_raw(buffer.into_boxed_slice());
        let operation = make(memory.cast(), memory.len()).inspect_err(|_| {
            // SAFETY: it was just leaked, and there is no operation that could use it.
            drop(unsafe { Box::from_raw(memory) });
        })?;
        Ok(Self { transport, operation, memory, started: false })
    }

    fn start(&mut self) -> Result<()> {
        if self.started {
            return Err(Error::Started);
        }
        // SAFETY: it is not started, and `drop` alone retires it. The memory is there until then, and is given out only while
        // the operation is not started.
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
        // SAFETY: nobody uses the memory while the operation is not started, and it is borrowed with `self`.
        (!self.started).then(|| unsafe { &mut *self.memory })
    }
}

impl<T: Transport> Drop for Kept<'_, T> {
    fn drop(&mut self) {
        self.transport.retire(&mut self.operation);
        // SAFETY: it came from a box, and a retired operation does not touch it.
        drop(unsafe { Box::from_raw(self.memory) });
    }
}
