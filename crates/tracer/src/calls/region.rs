//! Regions that the program names: `panto_region_begin` and `panto_region_end`, which
//! `include/panto.h` and its likes look up, and `MPI_Pcontrol` with levels from 4 on.

use std::ffi::{CStr, c_char, c_int};

use panto_trace::{Action, REGION_LEVEL, region_begin, region_end};

use crate::call_context::CallContext;
use crate::function::Function;
use crate::interpose::record_before;
use crate::thread_state;

static BEGIN: Function = Function::new(c"panto_region_begin");
static END: Function = Function::new(c"panto_region_end");

/// The most bytes of a name; longer ones are cut.
const MAX_NAME: usize = 80;

/// Begins a region. The name is copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn panto_region_begin(name: *const c_char) {
    if name.is_null() {
        return;
    }
    // SAFETY: the caller passes a C string, as `include/panto.h` requires.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    if let Some(mut entered) = thread_state::enter() {
        entered.forget_stack();
        record_before(&BEGIN, entered, &mut |at| at.region_begins(&name)).leave(0, None);
    }
}

/// Ends the innermost region.
#[unsafe(no_mangle)]
pub extern "C" fn panto_region_end() {
    if let Some(mut entered) = thread_state::enter() {
        entered.forget_stack();
        record_before(&END, entered, &mut |at| at.region_ends()).leave(0, None);
    }
}

impl CallContext<'_> {
    fn region_begins(&mut self, name: &str) {
        let name = cut(name);
        self.rank.regions.push(name.to_owned());
        self.record_as(&region_begin(name), &Action::Control { level: REGION_LEVEL });
    }

    fn region_ends(&mut self) {
        let Some(name) = self.rank.regions.pop() else { return };
        self.record_as(&region_end(&name), &Action::Control { level: -REGION_LEVEL });
    }

    /// Carries out `MPI_Pcontrol` with a level that is that of a region. Its second argument is the
    /// name, if it has one.
    pub fn region_level(&mut self, level: c_int, argument: usize) {
        if level < 0 {
            return self.region_ends();
        }
        let name = (level == REGION_LEVEL).then(|| text_at(argument)).flatten();
        self.region_begins(&name.unwrap_or_else(|| format!("level {level}")));
    }
}

/// Returns whether a level of `MPI_Pcontrol` begins or ends a region.
pub fn is_region(level: c_int) -> bool {
    level.checked_abs().is_some_and(|level| level >= REGION_LEVEL)
}

fn cut(name: &str) -> &str {
    let end = (0..=MAX_NAME.min(name.len())).rev().find(|end| name.is_char_boundary(*end));
    &name[..end.unwrap_or(0)]
}

/// Returns the text at an address that may be anything: `MPI_Pcontrol` takes any number of
/// arguments, and what the program did not pass is what was in a register before. The kernel reads
/// it, which fails where there is no memory.
fn text_at(address: usize) -> Option<String> {
    const PAGE: usize = 4096;
    let mut bytes = Vec::new();
    while bytes.len() < MAX_NAME && !bytes.contains(&0) {
        let from = address.checked_add(bytes.len())?;
        let length = (MAX_NAME - bytes.len()).min(PAGE - from % PAGE);
        bytes.extend(read(from, length)?);
    }
    let end = bytes.iter().position(|byte| *byte == 0)?;
    let text = std::str::from_utf8(&bytes[..end]).ok()?;
    let is_name = !text.is_empty() && !text.chars().any(char::is_control);
    is_name.then(|| text.to_owned())
}

/// Reads memory of this process; `None` if there is none.
fn read(from: usize, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0_u8; length];
    let local = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: length };
    let remote = libc::iovec { iov_base: from as *mut _, iov_len: length };
    // SAFETY: the kernel writes `length` bytes into `bytes`, or fails.
    let read =
        unsafe { libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0) };
    (read == length as isize).then_some(bytes)
}
