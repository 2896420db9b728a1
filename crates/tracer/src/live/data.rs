//! Messages that the program does not see: sends from copies of its data.

use std::ffi::c_int;
use std::sync::Arc;

use panto_recording::Library;

use super::real;
use crate::library::{self, Mpi};
use crate::message::warn;

/// Hidden sends above which those that are complete are looked for at the next one.
const MANY: usize = 64;

/// Returns the MPI library, which is there since the program runs.
pub fn mpi() -> &'static Mpi {
    match library::get() {
        Ok(mpi) => mpi,
        Err(_) => super::leave(),
    }
}

/// A copy of data to send. Data of a datatype that the program made is packed.
#[derive(Clone)]
pub struct Payload {
    bytes: Arc<Vec<u8>>,
    count: usize,
    datatype: usize,
}

impl Payload {
    /// Copies `count` elements.
    ///
    /// # Safety
    /// The elements must be there.
    pub unsafe fn copy(buf: usize, count: usize, datatype: usize, comm: usize) -> Self {
        let known = mpi().datatype(mpi().handle(datatype));
        let is_plain = !known.is_derived && known.extent == known.size as i64;
        if !is_plain {
            // SAFETY: as the caller promises.
            return unsafe { Self::pack(buf, count, datatype, comm) };
        }
        let length = count * known.size as usize;
        let mut bytes = Vec::with_capacity(length);
        if length > 0 {
            // SAFETY: the caller promises `count` elements of this size, without gaps.
            bytes.extend_from_slice(unsafe { std::slice::from_raw_parts(buf as *const u8, length) });
        }
        Self { bytes: Arc::new(bytes), count, datatype }
    }

    unsafe fn pack(buf: usize, count: usize, datatype: usize, comm: usize) -> Self {
        let (mut size, mut place): (c_int, c_int) = (0, 0);
        // SAFETY: the datatype and the communicator are the program's; the result is a local
        // variable.
        unsafe { real::pack_size(count, datatype, comm, &raw mut size as usize) };
        let mut bytes = vec![0_u8; size.max(0) as usize];
        // SAFETY: the caller promises the elements, and the buffer has the size that MPI wants.
        unsafe {
            let out = bytes.as_mut_ptr() as usize;
            real::pack(buf, count, datatype, out, size as usize, &raw mut place as usize, comm);
        }
        bytes.truncate(place.max(0) as usize);
        let count = bytes.len();
        Self { bytes: Arc::new(bytes), count, datatype: mpi().constants.byte }
    }
}

/// A send that is not complete.
struct HiddenSend {
    request: Box<usize>,
    _data: Arc<Vec<u8>>,
}

/// The sends of this rank that are not complete.
#[derive(Default)]
pub struct HiddenSends(Vec<HiddenSend>);

impl HiddenSends {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Starts a send; returns MPI's code.
    pub fn send(&mut self, payload: &Payload, to: usize, tag: usize, comm: usize) -> c_int {
        if self.0.len() > MANY {
            self.progress();
        }
        let mut request = Box::new(0_usize);
        // SAFETY: the data stays until the request is complete; partner, tag and communicator are
        // the program's.
        let code = unsafe {
            let (buf, handle) = (payload.bytes.as_ptr() as usize, &raw mut *request as usize);
            real::isend(buf, payload.count, payload.datatype, to, tag, comm, handle)
        };
        if code == 0 {
            self.0.push(HiddenSend { request, _data: Arc::clone(&payload.bytes) });
        }
        code
    }

    /// Drives MPI's progress, and forgets the sends that are complete.
    pub fn progress(&mut self) {
        let constants = &mpi().constants;
        if self.0.is_empty() {
            // A probe drives progress as well.
            mpi().has_message(constants.any_source, constants.any_tag, constants.comm_self);
            return;
        }
        let ignored = constants.status_ignore;
        self.0.retain_mut(|send| {
            let mut flag: c_int = 0;
            // SAFETY: the request is active; the flag is a local variable.
            let code =
                unsafe { real::test(&raw mut *send.request as usize, &raw mut flag as usize, ignored) };
            code == 0 && flag == 0
        });
    }

    /// Waits until all are complete, for ten seconds at most: a message that no rank receives never
    /// is.
    pub fn complete_all(&mut self) {
        let start = std::time::Instant::now();
        real::until(|| {
            self.progress();
            self.is_empty() || start.elapsed().as_secs() >= 10
        });
        if !self.is_empty() {
            warn(format_args!("{} messages were sent and never received", self.0.len()));
        }
    }
}
