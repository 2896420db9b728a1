//! The C interface: `panto_collective.h`, field by field.

use std::ffi::{c_int, c_void};

use crate::kind::CollectiveSet;

/// The version of this interface. It changes when a field does.
pub const VERSION: u32 = 1;
/// The magic number at the beginning of an implementation, which detects other symbols of the same
/// name: the letters `PANTOCOL`.
pub const MAGIC: u64 = u64::from_be_bytes(*b"PANTOCOL");
/// What functions return on success.
pub const OK: c_int = 0;

/// A pending message; 0 is none.
pub type Request = u64;

/// One rank's endpoint of the message layer. A collective's messages are separate from all others:
/// the k-th message from one rank to another matches the k-th receive that the other posts for it.
///
/// Functions return [`OK`], or another value when the collective should return that value at once.
/// All requests are cancelled then.
#[derive(Debug)]
#[repr(C)]
pub struct World {
    /// [`VERSION`].
    pub version: u32,
    /// This rank, from 0.
    pub rank: c_int,
    /// The number of ranks.
    pub size: c_int,
    /// Panto's own state.
    pub context: *const c_void,
    /// Sends, and returns when the data may be changed.
    pub send: unsafe extern "C-unwind" fn(*const World, *const c_void, usize, c_int) -> c_int,
    /// Receives this number of bytes.
    pub receive: unsafe extern "C-unwind" fn(*const World, *mut c_void, usize, c_int) -> c_int,
    /// Starts a send; the data must not change until it is complete.
    pub start_send:
        unsafe extern "C-unwind" fn(*const World, *const c_void, usize, c_int, *mut Request) -> c_int,
    /// Starts a receive; the buffer must not be accessed until it is complete.
    pub start_receive:
        unsafe extern "C-unwind" fn(*const World, *mut c_void, usize, c_int, *mut Request) -> c_int,
    /// Tests a request, and makes progress on all messages. A complete request is set to 0.
    pub test: unsafe extern "C-unwind" fn(*const World, *mut Request, *mut c_int) -> c_int,
    /// Waits for a request, which is set to 0.
    pub wait: unsafe extern "C-unwind" fn(*const World, *mut Request) -> c_int,
    /// Copies bytes within the rank; a simulated machine charges for it.
    pub copy: unsafe extern "C-unwind" fn(*const World, *mut c_void, *const c_void, usize),
    /// Combines this number of bytes of elements: `into = from op into`. The operator commutes.
    pub combine: unsafe extern "C-unwind" fn(*const World, *const c_void, *mut c_void, usize),
}

/// The parameters of a call.
#[derive(Debug)]
#[repr(C)]
pub struct Call {
    /// The number of a [`CollectiveKind`](crate::CollectiveKind).
    pub collective: u32,
    /// The root, where the collective has one.
    pub root: c_int,
    /// What this rank contributes; must not be changed.
    pub input: *const c_void,
    /// What this rank receives. In a broadcast the root's data is here.
    pub output: *mut c_void,
    /// Bytes of the input.
    pub input_bytes: usize,
    /// Bytes of the output.
    pub output_bytes: usize,
    /// Bytes of the vector, or of one rank's block; 0 in the v-variants.
    pub bytes: usize,
    /// Bytes per element: blocks may only be split between elements.
    pub element: usize,
    /// Bytes of each block of the input, in the v-variants; else null.
    pub input_lens: *const usize,
    /// Start of each block of the input in bytes, in the v-variants; else null.
    pub input_starts: *const usize,
    /// Bytes of each block of the output, in the v-variants; else null.
    pub output_lens: *const usize,
    /// Start of each block of the output in bytes, in the v-variants; else null.
    pub output_starts: *const usize,
}

/// Runs a collective.
pub type Run = unsafe extern "C-unwind" fn(*const World, *const Call) -> c_int;
/// Starts a collective, and may store a state of its own.
pub type Start = unsafe extern "C-unwind" fn(*const World, *const Call, *mut *mut c_void) -> c_int;
/// Advances a collective and reports whether it is complete. If so, the state has been freed.
pub type Test = unsafe extern "C-unwind" fn(*const World, *const Call, *mut c_void, *mut c_int) -> c_int;

/// The table that a library exports under a name.
#[derive(Debug)]
#[repr(C)]
pub struct Implementation {
    /// [`MAGIC`].
    pub magic: u64,
    /// [`VERSION`].
    pub version: u32,
    /// The collectives that it implements.
    pub collectives: CollectiveSet,
    /// Runs a collective; may be null if `start` and `test` are set.
    pub run: Option<Run>,
    /// Starts a collective; null if it cannot be overlapped.
    pub start: Option<Start>,
    /// Set together with `start`.
    pub test: Option<Test>,
}

// SAFETY: it is a table of constants.
unsafe impl Sync for Implementation {}
