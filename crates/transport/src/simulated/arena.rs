//! Stacks for tens of thousands of ranks, from one memory mapping.
//!
//! A guard page per stack by `mprotect` splits a mapping into two per stack, and the kernel allows
//! about 65,000 mappings per process (`vm.max_map_count`). From Linux 6.13 on, guard pages can be
//! installed inside a mapping; before, only a limited number of stacks can have one.

use std::num::NonZeroUsize;
use std::ptr::NonNull;
use std::rc::Rc;

use corosensei::stack::{Stack, StackPointer};

use crate::error::{Error, Result};

const PAGE: usize = 4096;
/// `MADV_GUARD_INSTALL` of Linux 6.13.
const GUARD_INSTALL: libc::c_int = 102;
/// Maximum number of stacks whose guard pages are separate mappings: two each, below the kernel's
/// limit of about 65,000.
const MAX_SPLIT_STACKS: usize = 30_000;

/// Cache colouring: stacks begin at `COLOURS` different offsets, `COLOUR` bytes apart, from their
/// ends. If all began at the same offset, the frames of all ranks would compete for the same few
/// cache sets.
const COLOURS: usize = 61;
const COLOUR: usize = 192;

/// One mapping with many stacks.
pub(super) struct Arena {
    memory: NonNull<libc::c_void>,
    len: usize,
    each: usize,
}

/// One stack of an arena.
pub(super) struct ArenaStack {
    arena: Rc<Arena>,
    number: usize,
}

impl Arena {
    /// Maps `stacks` stacks of `size` bytes each, a multiple of the page size. Pages are allocated
    /// only as stacks grow into them.
    pub(super) fn new(stacks: usize, size: usize) -> Result<Rc<Self>> {
        let each = size + (COLOURS * COLOUR).next_multiple_of(PAGE) + PAGE;
        let too_much = || Error::Start(format!("the stacks of {stacks} ranks exceed the address space"));
        let len = stacks.checked_mul(each).ok_or_else(too_much)?;
        let (access, flags) = (
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_STACK,
        );
        // SAFETY: a new anonymous mapping at an address of the kernel's choice.
        let memory = unsafe { libc::mmap(std::ptr::null_mut(), len, access, flags, -1, 0) };
        if memory == libc::MAP_FAILED {
            let why = std::io::Error::last_os_error();
            return Err(Error::Start(format!("cannot map the stacks of {stacks} ranks: {why}")));
        }
        let memory = NonNull::new(memory).ok_or_else(too_much)?;
        let arena = Self { memory, len, each };
        // Huge pages would back every stack with memory that it never touches. Failure does not
        // matter: a kernel without huge pages rejects the advice. SAFETY: the range is exactly this
        // mapping.
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

    /// Makes the lowest page of a stack inaccessible.
    fn guard(&self, number: usize, stacks: usize) -> Result<()> {
        let page = self.start(number) as *mut libc::c_void;
        // SAFETY: a page of this mapping that no stack uses yet.
        if unsafe { libc::madvise(page, PAGE, GUARD_INSTALL) } == 0 {
            return Ok(());
        }
        // SAFETY: as above.
        if stacks <= MAX_SPLIT_STACKS && unsafe { libc::mprotect(page, PAGE, libc::PROT_NONE) } == 0 {
            return Ok(());
        }
        Err(Error::Start(format!(
            "{stacks} ranks: this kernel supports guard pages for at most {MAX_SPLIT_STACKS} stacks; use fewer ranks, or Linux 6.13 or later"
        )))
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: exactly this mapping. Stacks hold a reference to the arena, so none is left.
        unsafe { libc::munmap(self.memory.as_ptr(), self.len) };
    }
}

// SAFETY: the lowest page is a guard, the rest is used by this stack alone and lives as long as the
// arena, and there are more than 4 KiB.
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
    fn too_many_stacks_are_an_error() {
        assert!(Arena::new(usize::MAX / PAGE, PAGE).is_err());
        assert!(Arena::new(1 << 40, 1 << 20).is_err());
    }
}
