//! Stacks for tens of thousands of ranks, from one mapping.
//!
//! A mapping with a guard page for each stack would split into two mappings a stack, and the kernel allows some 65,000. From
//! Linux 6.13 on, guards can be set inside of a mapping; before, only so many stacks can be had.

use std::num::NonZeroUsize;
use std::ptr::NonNull;
use std::rc::Rc;

use corosensei::stack::{Stack, StackPointer};

use crate::error::{Error, Result};

const PAGE: usize = 4096;
/// `MADV_GUARD_INSTALL` of Linux 6.13.
const GUARD_INSTALL: libc::c_int = 102;
/// Stacks whose guards may be mappings of their own.
const MOST_SPLIT: usize = 30_000;

/// Stacks begin at different places of their last pages. If all began at the same, the frames of all ranks would compete for
/// the same few sets of the processor's caches.
const COLOURS: usize = 61;
const COLOUR: usize = 192;

/// One mapping with many stacks.
pub(super) struct Arena {
    memory: NonNull<libc::c_void>,
    len: usize,
    each: usize,
}

/// One of them.
pub(super) struct ArenaStack {
    arena: Rc<Arena>,
    number: usize,
}

impl Arena {
    /// Room for so many stacks of `size` bytes each, a multiple of the page. Memory is taken only as stacks grow into it.
    pub(super) fn new(stacks: usize, size: usize) -> Result<Rc<Self>> {
        let each = size + (COLOURS * COLOUR).next_multiple_of(PAGE) + PAGE;
        let too_much = || Error::Start(format!("{stacks} ranks need more address space than there is"));
        let len = stacks.checked_mul(each).ok_or_else(too_much)?;
        let (access, flags) = (
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_STACK,
        );
        // SAFETY: a fresh anonymous mapping, wherever the kernel likes.
        let memory = unsafe { libc::mmap(std::ptr::null_mut(), len, access, flags, -1, 0) };
        if memory == libc::MAP_FAILED {
            let why = std::io::Error::last_os_error();
            return Err(Error::Start(format!("no memory for the stacks of {stacks} ranks: {why}")));
        }
        let memory = NonNull::new(memory).ok_or_else(too_much)?;
        let arena = Self { memory, len, each };
        // Huge pages would back every stack with memory that it never touches.
        // SAFETY: the whole of our own mapping; a kernel without huge pages says no, and that is as well.
        unsafe { libc::madvise(arena.memory.as_ptr(), len, libc::MADV_NOHUGEPAGE) };
        (0..stacks).try_for_each(|number| arena.guard(number, stacks))?;
        Ok(Rc::new(arena))
    }

    pub(super) fn stack(self: &Rc<Self>, number: usize) -> ArenaStack {
        ArenaStack { arena: Rc::clone(self), number }
    }

    fn start(&self, number: usize) -> usize {
        self.memory.as_ptr() as usize + number * self.each
    }

    /// The lowest page of a stack may not be touched.
    fn guard(&self, number: usize, stacks: usize) -> Result<()> {
        let page = self.start(number) as *mut libc::c_void;
        // SAFETY: a page of our own mapping that nobody uses yet.
        if unsafe { libc::madvise(page, PAGE, GUARD_INSTALL) } == 0 {
            return Ok(());
        }
        // SAFETY: as above.
        if stacks <= MOST_SPLIT && unsafe { libc::mprotect(page, PAGE, libc::PROT_NONE) } == 0 {
            return Ok(());
        }
        Err(Error::Start(format!(
            "{stacks} ranks: this kernel can guard no more than {MOST_SPLIT} stacks; use fewer ranks, or Linux 6.13 or later"
        )))
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: our own mapping; the stacks in it hold a reference to the arena, so there are none any more.
        unsafe { libc::munmap(self.memory.as_ptr(), self.len) };
    }
}

// SAFETY: the lowest page is a guard, the rest is ours alone as long as the arena lives, and there are more than 4 KiB.
unsafe impl Stack for ArenaStack {
    fn base(&self) -> StackPointer {
        let end = self.arena.start(self.number) + self.arena.each;
        NonZeroUsize::new(end - self.number % COLOURS * COLOUR).unwrap_or(NonZeroUsize::MIN)
    }

    fn limit(&self) -> StackPointer {
        NonZeroUsize::new(self.arena.start(self.number)).unwrap_or(NonZeroUsize::MIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_do_not_overlap() {
        let arena = Arena::new(3, 4 * PAGE).unwrap();
        let stacks: Vec<ArenaStack> = (0..3).map(|number| arena.stack(number)).collect();
        for pair in stacks.windows(2) {
            assert!(pair[0].base() <= pair[1].limit());
            assert!(pair[0].base().get() - pair[0].limit().get() >= 5 * PAGE);
            assert_eq!(pair[0].base().get() % 64, 0);
        }
    }

    #[test]
    fn more_than_there_is_is_an_error() {
        assert!(Arena::new(usize::MAX / PAGE, PAGE).is_err());
        assert!(Arena::new(1 << 40, 1 << 20).is_err());
    }
}
