//! The interface as safe Rust.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::abi;
use crate::kind::CollectiveKind;

/// A user-supplied collective. [`register!`](crate::register) exports it.
pub trait Collective {
    /// The collectives that it implements.
    const COLLECTIVES: &'static [CollectiveKind];

    /// Runs the collective. All ranks call this together.
    fn run(world: &World, call: &mut Call) -> Outcome;
}

/// The result of a collective.
pub type Outcome = Result<(), ErrorCode>;

/// The code of a failed collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorCode(pub c_int);

/// The code of a panic.
const PANICKED: ErrorCode = ErrorCode(101);
/// The code of a call whose collective this crate does not know.
const UNKNOWN: ErrorCode = ErrorCode(102);

/// One rank's endpoint of the message layer. The k-th message from one rank to another matches the
/// k-th receive that the other posts for it.
pub struct World<'a>(&'a abi::World);

impl World<'_> {
    /// Returns this rank's number, from 0.
    pub fn rank(&self) -> usize {
        self.0.rank as usize
    }

    /// Returns the number of ranks.
    pub fn size(&self) -> usize {
        self.0.size as usize
    }

    /// Sends, and returns when the data may be changed.
    pub fn send(&self, data: &[u8], to: usize) -> Outcome {
        // SAFETY: `self.0` is a table of Panto, and the data is borrowed until this returns.
        checked(unsafe { (self.0.send)(self.0, data.as_ptr().cast(), data.len(), to as c_int) })
    }

    /// Receives exactly as many bytes as the buffer has.
    pub fn receive(&self, buffer: &mut [u8], from: usize) -> Outcome {
        let (start, len) = (buffer.as_mut_ptr().cast(), buffer.len());
        // SAFETY: `self.0` is a table of Panto, and the buffer is exclusively borrowed until this
        // returns.
        checked(unsafe { (self.0.receive)(self.0, start, len, from as c_int) })
    }

    /// Sends to one rank while receiving from another, or from the same.
    pub fn exchange(&self, data: &[u8], to: usize, buffer: &mut [u8], from: usize) -> Outcome {
        let (mut receive, mut send): (abi::Request, abi::Request) = (0, 0);
        let (start, len) = (buffer.as_mut_ptr().cast(), buffer.len());
        // SAFETY: both buffers are borrowed until this returns, by which time the requests are
        // complete; where a function fails, Panto has cancelled them.
        unsafe {
            checked((self.0.start_receive)(self.0, start, len, from as c_int, &raw mut receive))?;
            let (data, len) = (data.as_ptr().cast(), data.len());
            checked((self.0.start_send)(self.0, data, len, to as c_int, &raw mut send))?;
            checked((self.0.wait)(self.0, &raw mut receive))?;
            checked((self.0.wait)(self.0, &raw mut send))
        }
    }

    /// Copies bytes within the rank, as many as the shorter slice has.
    pub fn copy(&self, from: &[u8], into: &mut [u8]) {
        let len = from.len().min(into.len());
        // SAFETY: both slices have at least `len` bytes, and do not overlap, because one is
        // exclusively borrowed.
        unsafe { (self.0.copy)(self.0, into.as_mut_ptr().cast(), from.as_ptr().cast(), len) }
    }

    /// Combines elements of `from` into those of `into`, as many bytes as the shorter slice has.
    pub fn combine(&self, from: &[u8], into: &mut [u8]) {
        let len = from.len().min(into.len());
        // SAFETY: both slices have at least `len` bytes, and do not overlap, because one is
        // exclusively borrowed.
        unsafe { (self.0.combine)(self.0, from.as_ptr().cast(), into.as_mut_ptr().cast(), len) }
    }
}

/// The parameters of a call.
pub struct Call<'a> {
    raw: &'a abi::Call,
    kind: CollectiveKind,
    ranks: usize,
}

impl<'a> Call<'a> {
    /// Returns the collective.
    pub fn kind(&self) -> CollectiveKind {
        self.kind
    }

    /// Returns the root, where the collective has one.
    pub fn root(&self) -> usize {
        self.raw.root as usize
    }

    /// Returns the bytes of the vector, or of one rank's block; 0 in the v-variants.
    pub fn bytes(&self) -> usize {
        self.raw.bytes
    }

    /// Returns the bytes per element: blocks may only be split between elements.
    pub fn element(&self) -> usize {
        self.raw.element
    }

    /// Returns input and output. In a broadcast the root's data is in the output.
    pub fn buffers(&mut self) -> (&'a [u8], &mut [u8]) {
        let Self { raw, .. } = self;
        // SAFETY: Panto keeps both buffers valid and disjoint during the call (`entry`), and `&mut
        // self` makes the output exclusive.
        unsafe {
            (
                slice(raw.input.cast(), raw.input_bytes),
                std::slice::from_raw_parts_mut(raw.output.cast(), raw.output_bytes),
            )
        }
    }

    /// Returns lengths and starts in bytes of the blocks of the input, in the v-variants.
    pub fn input_blocks(&self) -> Option<(&'a [usize], &'a [usize])> {
        self.blocks(self.raw.input_lens, self.raw.input_starts)
    }

    /// Returns lengths and starts in bytes of the blocks of the output, in the v-variants.
    pub fn output_blocks(&self) -> Option<(&'a [usize], &'a [usize])> {
        self.blocks(self.raw.output_lens, self.raw.output_starts)
    }

    fn blocks(&self, lens: *const usize, starts: *const usize) -> Option<(&'a [usize], &'a [usize])> {
        // SAFETY: Panto passes two arrays with an entry per rank, valid during the call, or two
        // null pointers.
        (!lens.is_null()).then(|| unsafe { (slice(lens, self.ranks), slice(starts, self.ranks)) })
    }
}

/// Returns an array of the interface as a slice.
///
/// # Safety
/// `start` must be valid for `len` elements of `T` for the lifetime `'a`, as for
/// `std::slice::from_raw_parts`.
unsafe fn slice<'a, T>(start: *const T, len: usize) -> &'a [T] {
    // SAFETY: the caller promises what `from_raw_parts` requires.
    unsafe { std::slice::from_raw_parts(start, len) }
}

fn checked(code: c_int) -> Outcome {
    if code == abi::OK { Ok(()) } else { Err(ErrorCode(code)) }
}

/// The function that [`register!`](crate::register) exports for a collective.
///
/// # Safety
/// `world` and `call` must be tables of Panto that are valid, with all that they point to, until
/// this returns.
pub unsafe extern "C-unwind" fn entry<C: Collective>(
    world: *const abi::World,
    call: *const abi::Call,
) -> c_int {
    // SAFETY: the caller promises that both tables are valid until this returns.
    let (world, raw) = unsafe { (&*world, &*call) };
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let kind = CollectiveKind::from_number(raw.collective).ok_or(UNKNOWN)?;
        C::run(&World(world), &mut Call { raw, kind, ranks: world.size as usize })
    }));
    match outcome.unwrap_or(Err(PANICKED)) {
        Ok(()) => abi::OK,
        Err(ErrorCode(code)) => code,
    }
}

/// Exports a [`Collective`] under a name, for `--impl path/to/lib.so:name`.
#[macro_export]
macro_rules! register {
    ($name:ident, $collective:ty) => {
        #[doc = "What Panto finds under this name."]
        #[allow(non_upper_case_globals, reason = "users type it")]
        #[unsafe(no_mangle)]
        pub static $name: $crate::abi::Implementation = $crate::abi::Implementation {
            magic: $crate::abi::MAGIC,
            version: $crate::abi::VERSION,
            collectives: $crate::CollectiveSet::of(<$collective as $crate::Collective>::COLLECTIVES),
            run: Some($crate::entry::<$collective>),
            start: None,
            test: None,
        };
    };
}
