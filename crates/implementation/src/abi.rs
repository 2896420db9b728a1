//! The interface as C has it: `panto_collective.h`, field for field.

use std::ffi::{c_int, c_void};

use crate::kind::Kinds;

/// The version of this interface. It changes when a field does.
pub const VERSION: u32 = 1;
/// What an implementation begins with, so that something else of that name is noticed: the letters `PANTOCOL`.
pub const MAGIC: u64 = u64::from_be_bytes(*b"PANTOCOL");
/// What functions answer when all went well.
pub const OK: c_int = 0;

/// A message that is on its way; 0 is none.
pub type Request = u64;

/// One rank's end of the message layer. All messages of a collective are its own: the k-th that one rank sends to another meets the
/// k-th receive that the other has for it.
///
/// Functions answer [`OK`], or something else when the collective should give up and return that. Then all requests are gone.
#[derive(Debug)]
#[repr(C)]
pub struct World {
    /// [`VERSION`].
    pub version: u32,
    /// This rank, from 0.
    pub rank: c_int,
    /// How many there are.
    pub size: c_int,
    /// Panto's own.
    pub context: *const c_void,
    /// Sends, and returns when the data may be changed.
    pub send: unsafe extern "C-unwind" fn(*const World, *const c_void, usize, c_int) -> c_int,
    /// Receives so many bytes.
    pub receive: unsafe extern "C-unwind" fn(*const World, *mut c_void, usize, c_int) -> c_int,
    /// Starts a send; the data must not change before it is complete.
    pub start_send:
        unsafe extern "C-unwind" fn(*const World, *const c_void, usize, c_int, *mut Request) -> c_int,
    /// Starts a receive; the buffer must not be touched before it is complete.
    pub start_receive:
        unsafe extern "C-unwind" fn(*const World, *mut c_void, usize, c_int, *mut Request) -> c_int,
    /// Is it complete? Lets all messages go on. A complete request becomes 0.
    pub test: unsafe extern "C-unwind" fn(*const World, *mut Request, *mut c_int) -> c_int,
    /// Waits for it; the request becomes 0.
    pub wait: unsafe extern "C-unwind" fn(*const World, *mut Request) -> c_int,
    /// Copies within the rank: a simulated machine charges for it.
    pub copy: unsafe extern "C-unwind" fn(*const World, *mut c_void, *const c_void, usize),
    /// Combines so many bytes of elements into others: `into = from op into`. The operation commutes.
    pub combine: unsafe extern "C-unwind" fn(*const World, *const c_void, *mut c_void, usize),
}

/// What is to be done.
#[derive(Debug)]
#[repr(C)]
pub struct Call {
    /// The number of a [`Kind`](crate::Kind).
    pub collective: u32,
    /// The rank with a part of its own, where there is one.
    pub root: c_int,
    /// What this rank contributes; not to be changed.
    pub input: *const c_void,
    /// What it gets. In a broadcast the root's data lies here.
    pub output: *mut c_void,
    /// Bytes of the input.
    pub input_bytes: usize,
    /// Bytes of the output.
    pub output_bytes: usize,
    /// Bytes of the vector, or of the block of one rank; 0 where blocks differ.
    pub bytes: usize,
    /// Bytes of an element: blocks are cut between elements only.
    pub element: usize,
    /// Where blocks differ: bytes of each block of the input, and where it begins; else null.
    pub input_lens: *const usize,
    /// See `input_lens`.
    pub input_starts: *const usize,
    /// The same for the output.
    pub output_lens: *const usize,
    /// The same for the output.
    pub output_starts: *const usize,
}

/// Carries a collective out.
pub type Run = unsafe extern "C-unwind" fn(*const World, *const Call) -> c_int;
/// Starts one, and may leave a state of its own.
pub type Start = unsafe extern "C-unwind" fn(*const World, *const Call, *mut *mut c_void) -> c_int;
/// Lets it go on, and says whether it is complete. If so, the state is gone.
pub type Test = unsafe extern "C-unwind" fn(*const World, *const Call, *mut c_void, *mut c_int) -> c_int;

/// What a library exports under a name.
#[derive(Debug)]
#[repr(C)]
pub struct Implementation {
    /// [`MAGIC`].
    pub magic: u64,
    /// [`VERSION`].
    pub version: u32,
    /// What it serves.
    pub collectives: Kinds,
    /// Carries a collective out; may be null if it can be started.
    pub run: Option<Run>,
    /// Starts one; null where it cannot go on beside other work.
    pub start: Option<Start>,
    /// Goes with `start`.
    pub test: Option<Test>,
}

// SAFETY: it is a table of constants.
unsafe impl Sync for Implementation {}
