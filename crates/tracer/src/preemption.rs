//! Whether the kernel has preempted a thread, without a system call.
//!
//! Linux has *restartable sequences* (rseq): a thread can name a piece of its code that must not be
//! interrupted, by writing the address of a descriptor to a word that it shares with the kernel.
//! When the kernel preempts the thread, migrates it or delivers a signal, it looks at that word. If
//! the thread was outside of the named code, the kernel clears the word, because nothing must be
//! restarted (`Documentation/userspace-api/rseq.rst`, and `rseq_ip_fixup` in `kernel/rseq.c`). So a
//! word that names code that never runs is a flag: it is still set if the thread kept its core.
//! glibc (2.35 and later) registers the word and exports its place as `__rseq_offset`.
//!
//! That the word is cleared is how Linux behaves (seen on 6.18), not what it promises. So it is
//! tried once at the start, and not used where it does not work. Cost: a store to set the flag, a
//! load to check it.

use std::ffi::{CStr, c_uint};
use std::sync::OnceLock;

/// The rseq word of a thread; none where kernel, C library or processor do not have it.
#[derive(Clone, Copy)]
pub struct PreemptionFlag(*mut u64);

impl PreemptionFlag {
    /// The flag of no thread.
    pub const NONE: Self = Self(std::ptr::null_mut());

    /// Returns whether there is a flag.
    pub fn is_available(self) -> bool {
        !self.0.is_null()
    }

    /// Sets the flag.
    #[inline]
    pub fn set(self) {
        if self.is_available() {
            // SAFETY: `of_this_thread` found this thread's word, and a flag never leaves its
            // thread. The kernel demands a valid descriptor, which this is.
            unsafe { self.0.write_volatile(descriptor()) }
        }
    }

    /// Returns whether the flag is still set. If not, the thread was preempted or got a signal, or
    /// the program itself uses the word.
    #[inline]
    pub fn is_set(self) -> bool {
        // SAFETY: `of_this_thread` found this thread's word, and a flag never leaves its thread.
        self.is_available() && unsafe { self.0.read_volatile() } == descriptor()
    }

    /// Returns the flag of the calling thread, if the kernel clears such flags.
    pub fn of_this_thread() -> Self {
        static WORKS: OnceLock<bool> = OnceLock::new();
        let flag = Self::find();
        if *WORKS.get_or_init(|| flag.is_available() && flag.is_cleared_by_switch()) {
            flag
        } else {
            Self::NONE
        }
    }

    /// Returns whether a switch to another thread clears the flag.
    fn is_cleared_by_switch(self) -> bool {
        self.set();
        let stood = self.is_set();
        std::thread::sleep(std::time::Duration::from_micros(10));
        stood && !self.is_set()
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

/// Returns the offset of glibc's rseq area from the thread pointer, and its length; none if it did
/// not register one.
fn registered() -> Option<(isize, c_uint)> {
    let offset = symbol(c"__rseq_offset")? as *const isize;
    let size = symbol(c"__rseq_size")? as *const c_uint;
    // SAFETY: glibc defines these variables with these types, and does not change them after the
    // start.
    let (offset, size) = unsafe { (offset.read(), size.read()) };
    (size > 0).then_some((offset, size))
}

fn symbol(name: &CStr) -> Option<usize> {
    // SAFETY: the name is a C string.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!address.is_null()).then_some(address as usize)
}

// A valid descriptor: version, flags, first address, length, and the address of the abort handler.
// Before the handler stands the signature that glibc registers (RSEQ_SIG of <sys/rseq.h>), inside
// of an instruction that is never executed.
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
    // SAFETY: on x86-64 Linux the first word of the thread control block is its own address.
    unsafe { std::arch::asm!("mov {}, fs:[0]", out(reg) pointer, options(nostack, readonly)) };
    pointer
}

/// Other processors have other signatures; the CPU clock is read more often there.
#[cfg(not(target_arch = "x86_64"))]
fn descriptor() -> u64 {
    0
}

#[cfg(not(target_arch = "x86_64"))]
fn thread_pointer() -> usize {
    0
}
