//! Messages that the program does not see: sends from copies of its data.

use std::collections::VecDeque;
use std::ffi::c_int;
use std::sync::Arc;
use std::time::{Duration, Instant};

use panto_recording::Library;

use super::{real, waiting};
use crate::library::{self, Mpi};
use crate::message::warn;

/// Hidden sends that are tested at once. Each test drives the progress of all, so more would only
/// cost time: a rank may be ahead of its receivers by thousands.
const TESTED: usize = 8;

/// How long messages may still arrive after the last rank has made its last call.
const GRACE: Duration = Duration::from_secs(1);

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

/// The sends of this rank that were not complete when they were last tested.
#[derive(Default)]
pub struct HiddenSends(VecDeque<HiddenSend>);

impl HiddenSends {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Starts a send; returns MPI's code.
    pub fn send(&mut self, payload: &Payload, to: usize, tag: usize, comm: usize) -> c_int {
        let mut request = Box::new(0_usize);
        // SAFETY: the data stays until the request is complete; partner, tag and communicator are
        // the program's.
        let code = unsafe {
            let (buf, handle) = (payload.bytes.as_ptr() as usize, &raw mut *request as usize);
            real::isend(buf, payload.count, payload.datatype, to, tag, comm, handle)
        };
        if code == 0 {
            self.0.push_front(HiddenSend { request, _data: Arc::clone(&payload.bytes) });
            // Small messages are complete at once. Testing two removes more than come in.
            self.test(2);
            waiting::sent(to, comm);
        }
        code
    }

    /// Drives MPI's progress, and forgets sends that are complete. Returns whether there were any.
    pub fn progress(&mut self) -> bool {
        let constants = &mpi().constants;
        if self.0.is_empty() {
            // A probe drives progress as well.
            mpi().has_message(constants.any_source, constants.any_tag, constants.comm_self);
            return false;
        }
        let before = self.0.len();
        self.test(TESTED);
        self.0.len() < before
    }

    /// Tests the first sends, and forgets those that are complete. The others become the last.
    fn test(&mut self, count: usize) {
        let ignored = mpi().constants.status_ignore;
        for _ in 0..count.min(self.0.len()) {
            let Some(mut send) = self.0.pop_front() else { return };
            let mut flag: c_int = 0;
            // SAFETY: the request is active; the flag is a local variable.
            let code =
                unsafe { real::test(&raw mut *send.request as usize, &raw mut flag as usize, ignored) };
            if code == 0 && flag == 0 {
                self.0.push_back(send);
            }
        }
    }

    /// Waits until all are complete. A message that no rank receives never is; that is known when
    /// all ranks have made their last call.
    pub fn complete_all(&mut self, have_all_ended: impl Fn() -> bool) {
        let mut end: Option<Instant> = None;
        let is_over = |end: Option<Instant>| end.is_some_and(|end| end.elapsed() > GRACE);
        // Each time that one completes, others wait for the next: without a pause.
        while !self.is_empty() && !is_over(end) {
            waiting::until(|| {
                let has_completed = self.progress();
                if end.is_none() && have_all_ended() {
                    end = Some(Instant::now());
                }
                has_completed || is_over(end)
            });
        }
        if !self.is_empty() {
            warn(format_args!("{} messages were sent and never received", self.0.len()));
        }
    }
}
