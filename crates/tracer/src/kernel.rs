//! Did the kernel take the core away meanwhile? Asked without a system call.
//!
//! Linux has *restartable sequences*: a thread can name a piece of its code that must not be interrupted. When the kernel gives the core
//! to another thread, moves this one, or delivers a signal, it looks at the word in which the piece is named. If the thread was
//! elsewhere at that time, the kernel clears the word, because nothing needs to be restarted (`Documentation/userspace-api/rseq.rst`
//! and `rseq_ip_fixup` in `kernel/rseq.c`). So a word that names a piece of code that nobody ever runs is a flag: it still stands there
//! if the thread kept its core. glibc (from 2.35 on) makes the word known as `__rseq_offset`. That the word is cleared is how Linux does it
//! (seen on 6.18), not what it promises: so it is tried once at the start, and not used where it does not work.

use std::ffi::{CStr, c_uint};
use std::sync::OnceLock;

/// The word of this thread. None where system, C library or processor do not have it.
#[derive(Clone, Copy)]
pub struct Flag(*mut u64);

impl Flag {
    /// That of no thread.
    pub const NONE: Self = Self(std::ptr::null_mut());

    /// Is there one?
    pub fn is_there(self) -> bool {
        !self.0.is_null()
    }

    /// Raises it.
    #[inline]
    pub fn raise(self) {
        if self.is_there() {
            // SAFETY: `of_this_thread` found this thread's word, and a flag never leaves its thread. The kernel wants a valid descriptor.
            unsafe { self.0.write_volatile(descriptor()) }
        }
    }

    /// Does it still stand? If not, the core was taken away, a signal came, or the program itself uses the word.
    #[inline]
    pub fn stands(self) -> bool {
        // SAFETY: as above.
        self.is_there() && unsafe { self.0.read_volatile() } == descriptor()
    }

    /// That of the calling thread, if it does what it should.
    pub fn of_this_thread() -> Self {
        static WORKS: OnceLock<bool> = OnceLock::new();
        let flag = Self::find();
        if *WORKS.get_or_init(|| flag.is_there() && flag.falls()) { flag } else { Self::NONE }
    }

    /// Does it fall when the thread gives its core away? Not every kernel must do what is not promised.
    fn falls(self) -> bool {
        self.raise();
        let stood = self.stands();
        std::thread::sleep(std::time::Duration::from_micros(10));
        stood && !self.stands()
    }

    fn find() -> Self {
        let Some((offset, size)) = registered().filter(|_| cfg!(target_arch = "x86_64")) else {
            return Self::NONE;
        };
        // The word begins at byte 8 of the area and has 8 bytes.
        if size < 16 {
            return Self::NONE;
        }
        let area = thread_pointer().wrapping_add_signed(offset);
        if area == 0 { Self::NONE } else { Self((area + 8) as *mut u64) }
    }
}

/// Where glibc put the area, from the thread pointer on, and how long it is; none if it did not register one.
fn registered() -> Option<(isize, c_uint)> {
    let offset = symbol(c"__rseq_offset")? as *const isize;
    let size = symbol(c"__rseq_size")? as *const c_uint;
    // SAFETY: glibc defines these variables with these types, and never changes them after start.
    let (offset, size) = unsafe { (offset.read(), size.read()) };
    (size > 0).then_some((offset, size))
}

fn symbol(name: &CStr) -> Option<usize> {
    // SAFETY: the name ends with a nul.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!address.is_null()).then_some(address as usize)
}

// The kernel wants a real descriptor: version, flags, first address, length, and where to go on; before the latter the signature that
// glibc registers (RSEQ_SIG of <sys/rseq.h>), so that it lies inside an instruction that is never run.
#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".pushsection .text.panto_rseq,\"ax\",@progbits",
    ".balign 16",
    ".byte 0x0f, 0xb9, 0x3d",
    ".long 0x53053053",
    "2: ud2",
    "3: nop",
    "nop",
    ".popsection",
    ".pushsection .data.rel.ro.panto_rseq,\"aw\",@progbits",
    ".balign 32",
    ".globl panto_rseq_descriptor",
    ".hidden panto_rseq_descriptor",
    "panto_rseq_descriptor:",
    ".long 0, 0",
    ".quad 3b",
    ".quad 1",
    ".quad 2b",
    ".popsection",
);

#[cfg(target_arch = "x86_64")]
unsafe extern "C" {
    static panto_rseq_descriptor: u8;
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn descriptor() -> u64 {
    (&raw const panto_rseq_descriptor) as u64
}

#[cfg(target_arch = "x86_64")]
fn thread_pointer() -> usize {
    let pointer: usize;
    // SAFETY: on x86-64 Linux the first word of the thread's block is its own address.
    unsafe { std::arch::asm!("mov {}, fs:[0]", out(reg) pointer, options(nostack, readonly)) };
    pointer
}

/// Other processors have other signatures; there the CPU clock is read more often instead.
#[cfg(not(target_arch = "x86_64"))]
fn descriptor() -> u64 {
    0
}

#[cfg(not(target_arch = "x86_64"))]
fn thread_pointer() -> usize {
    0
}
