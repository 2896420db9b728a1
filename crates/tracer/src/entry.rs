//! Where the program's stack was when it called an exported function.
//!
//! Rust has no stable way to ask for the return address of the running function. So each exported
//! function is a *trampoline* of three instructions that stores the stack pointer in a variable of
//! the thread and jumps on: the return address is the word that it points to, and stays there until
//! the call returns. The trampoline leaves stack and arguments as they are.
//!
//! Invariant: only functions made by [`trampoline!`] set the variable, and
//! [`thread_state::enter`](crate::thread_state::enter) reads it before anything else is called.
//! Where there is no trampoline (other processors than x86-64), it is zero.

#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".pushsection .tbss.panto_entry_stack,\"awT\",@nobits",
    ".p2align 3",
    ".globl panto_entry_stack",
    ".hidden panto_entry_stack",
    ".type panto_entry_stack, @object",
    ".size panto_entry_stack, 8",
    "panto_entry_stack:",
    ".zero 8",
    ".popsection",
);

/// Returns the stack pointer at the program's last call of an exported function: the address of
/// the return address. Zero if it is not known.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn stack() -> usize {
    let stack: usize;
    // SAFETY: the variable is this library's, one word for each thread.
    unsafe {
        std::arch::asm!(
            "mov {stack}, qword ptr [rip + panto_entry_stack@GOTTPOFF]",
            "mov {stack}, qword ptr fs:[{stack}]",
            stack = out(reg) stack,
            options(nostack, readonly, preserves_flags),
        );
    }
    stack
}

/// Returns zero: return addresses are not known on this processor.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub fn stack() -> usize {
    0
}

/// An exported function that stores the stack pointer and continues in another one.
#[cfg(target_arch = "x86_64")]
macro_rules! trampoline {
    ($name:expr, $body:ident) => {
        #[unsafe(naked)]
        #[unsafe(export_name = $name)]
        pub unsafe extern "C-unwind" fn entry() {
            // The registers that are changed hold no argument.
            std::arch::naked_asm!(
                "mov r11, qword ptr [rip + panto_entry_stack@GOTTPOFF]",
                "mov qword ptr fs:[r11], rsp",
                "jmp {body}",
                body = sym $body,
            )
        }
    };
}

#[cfg(target_arch = "x86_64")]
pub(crate) use trampoline;
