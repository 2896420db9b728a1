//! The interface as safe Rust.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::abi;
use crate::kind::Kind;

/// A collective that somebody wrote. [`register!`](crate::register) exports it.
pub trait Collective {
    /// What it serves.
    const SERVES: &'static [Kind];

    /// Carries it out. All ranks call this together.
    fn run(world: &World, call: &mut Call) -> Outcome;
}

/// How a collective ended.
pub type Outcome = Result<(), Stop>;

/// Why a collective gives up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop(pub c_int);

/// What a panic becomes.
const PANICKED: Stop = Stop(101);
/// A call whose collective this crate does not know.
const UNKNOWN: Stop = Stop(102);

/// One rank's end of the message layer. The k-th message that one rank sends to another meets the k-th receive that the other has
/// for it.
pub struct World<'a>(&'a abi::World);

impl World<'_> {
    /// This rank, from 0.
    pub fn rank(&self) -> usize {
        self.0.rank as usize
    }

    /// How many there are.
    pub fn size(&self) -> usize {
        self.0.size as usize
    }

    /// Sends, and returns when the data may be changed.
    pub fn send(&self, data: &[u8], to: usize) -> Outcome {
        // SAFETY: the data is borrowed until this returns.
        checked(unsafe { (self.0.send)(self.0, data.as_ptr().cast(), data.len(), to as c_int) })
    }

    /// Receives as many bytes as there is room for.
    pub fn receive(&self, buffer: &mut [u8], from: usize) -> Outcome {
        let (start, len) = (buffer.as_mut_ptr().cast(), buffer.len());
        // SAFETY: the buffer is borrowed until this returns.
        checked(unsafe { (self.0.receive)(self.0, start, len, from as c_int) })
    }

    /// Sends to one rank while it receives from another, or from the same.
    pub fn exchange(&self, data: &[u8], to: usize, buffer: &mut [u8], from: usize) -> Outcome {
        let (mut receive, mut send): (abi::Request, abi::Request) = (0, 0);
        let (start, len) = (buffer.as_mut_ptr().cast(), buffer.len());
        // SAFETY: both are borrowed until this returns, and by then the requests are complete; where a function fails, Panto has
        // taken them back.
        unsafe {
            checked((self.0.start_receive)(self.0, start, len, from as c_int, &raw mut receive))?;
            let (data, len) = (data.as_ptr().cast(), data.len());
            checked((self.0.start_send)(self.0, data, len, to as c_int, &raw mut send))?;
            checked((self.0.wait)(self.0, &raw mut receive))?;
            checked((self.0.wait)(self.0, &raw mut send))
        }
    }

    /// Copies within the rank; both have one length.
    pub fn copy(&self, from: &[u8], into: &mut [u8]) {
        let len = from.len().min(into.len());
        // SAFETY: both are as long, and apart, because they are borrowed.
        unsafe { (self.0.copy)(self.0, into.as_mut_ptr().cast(), from.as_ptr().cast(), len) }
    }

    /// Combines elements into others; both have one length.
    pub fn combine(&self, from: &[u8], into: &mut [u8]) {
        let len = from.len().min(into.len());
        // SAFETY: both are as long, and apart, because they are borrowed.
        unsafe { (self.0.combine)(self.0, from.as_ptr().cast(), into.as_mut_ptr().cast(), len) }
    }
}

/// What is to be done.
pub struct Call<'a> {
    raw: &'a abi::Call,
    kind: Kind,
    ranks: usize,
}

impl<'a> Call<'a> {
    /// Which collective.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The rank with a part of its own, where there is one.
    pub fn root(&self) -> usize {
        self.raw.root as usize
    }

    /// Bytes of the vector, or of the block of one rank; 0 where blocks differ.
    pub fn bytes(&self) -> usize {
        self.raw.bytes
    }

    /// Bytes of an element: blocks are cut between elements only.
    pub fn element(&self) -> usize {
        self.raw.element
    }

    /// Input and output. In a broadcast the root's data lies in the output.
    pub fn buffers(&mut self) -> (&'a [u8], &mut [u8]) {
        let Self { raw, .. } = self;
        // SAFETY: Panto lends both for the time of the call, and this call is the only one that has them.
        unsafe {
            (
                slice(raw.input.cast(), raw.input_bytes),
                std::slice::from_raw_parts_mut(raw.output.cast(), raw.output_bytes),
            )
        }
    }

    /// Lengths and beginnings of the blocks of the input, where blocks differ.
    pub fn input_blocks(&self) -> Option<(&'a [usize], &'a [usize])> {
        self.blocks(self.raw.input_lens, self.raw.input_starts)
    }

    /// The same for the output.
    pub fn output_blocks(&self) -> Option<(&'a [usize], &'a [usize])> {
        self.blocks(self.raw.output_lens, self.raw.output_starts)
    }

    fn blocks(&self, lens: *const usize, starts: *const usize) -> Option<(&'a [usize], &'a [usize])> {
        // SAFETY: Panto gives both with a place for each rank, or neither.
        (!lens.is_null()).then(|| unsafe { (slice(lens, self.ranks), slice(starts, self.ranks)) })
    }
}

/// # Safety
/// As for `from_raw_parts`, for longer than the caller says.
unsafe fn slice<'a, T>(start: *const T, len: usize) -> &'a [T] {
    // SAFETY: the caller.
    unsafe { std::slice::from_raw_parts(start, len) }
}

fn checked(code: c_int) -> Outcome {
    if code == abi::OK { Ok(()) } else { Err(Stop(code)) }
}

/// What [`register!`](crate::register) exports as the function of a collective.
///
/// # Safety
/// To be called by Panto alone, with a world and a call that are valid until this returns.
pub unsafe extern "C-unwind" fn entry<C: Collective>(
    world: *const abi::World,
    call: *const abi::Call,
) -> c_int {
    // SAFETY: the caller.
    let (world, raw) = unsafe { (&*world, &*call) };
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let kind = Kind::from_number(raw.collective).ok_or(UNKNOWN)?;
        C::run(&World(world), &mut Call { raw, kind, ranks: world.size as usize })
    }));
    match outcome.unwrap_or(Err(PANICKED)) {
        Ok(()) => abi::OK,
        Err(Stop(code)) => code,
    }
}

/// Exports a [`Collective`] under a name: `--impl path/to/lib.so:name`.
#[macro_export]
macro_rules! register {
    ($name:ident, $collective:ty) => {
        #[doc = "What Panto finds under this name."]
        #[allow(non_upper_case_globals, reason = "users type it")]
        #[unsafe(no_mangle)]
        pub static $name: $crate::abi::Implementation = $crate::abi::Implementation {
            magic: $crate::abi::MAGIC,
            version: $crate::abi::VERSION,
            collectives: $crate::Kinds::of(<$collective as $crate::Collective>::SERVES),
            run: Some($crate::entry::<$collective>),
            start: None,
            test: None,
        };
    };
}
