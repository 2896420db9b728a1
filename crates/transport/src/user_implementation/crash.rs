//! Names the user's implementation when the process crashes inside it. Under MPI the job ends with
//! the process, so this is the only report.
//!
//! Code that runs in the signal handler uses only async-signal-safe functions, and does not
//! allocate.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use super::watchdog::CallState;

/// Signals of program errors.
pub(crate) const SIGNALS: [(c_int, &str); 5] = [
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGILL, "SIGILL"),
    (libc::SIGABRT, "SIGABRT"),
];

thread_local! {
    /// The call of user code that this thread is in, or null.
    static CURRENT: Cell<*const CallState> = const { Cell::new(ptr::null()) };
}

/// Previous signal actions, in the order of [`SIGNALS`].
static PREVIOUS: Mutex<Vec<libc::sigaction>> = Mutex::new(Vec::new());

/// Records that this thread has entered a call of user code, or left it.
#[inline]
pub(super) fn set_current(state: Option<&CallState>) {
    CURRENT.set(state.map_or(ptr::null(), ptr::from_ref));
}

/// Installs signal handlers that report a crash in user code.
pub(super) fn install_handlers() {
    let mut before = PREVIOUS.lock().unwrap_or_else(PoisonError::into_inner);
    if !before.is_empty() {
        return;
    }
    for (signal, _) in SIGNALS {
        // SAFETY: all zeros is a valid action without flags and with an empty mask.
        let (mut action, mut old): (libc::sigaction, libc::sigaction) = unsafe { std::mem::zeroed() };
        action.sa_sigaction = report_crash as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESETHAND;
        // SAFETY: the handler is async-signal-safe, and both actions outlive the call.
        unsafe { libc::sigaction(signal, &raw const action, &raw mut old) };
        before.push(old);
    }
}

/// Writes one line and restores the previous action, which handles the signal when the faulting
/// instruction is executed again.
extern "C" fn report_crash(signal: c_int, _: *mut libc::siginfo_t, _: *mut c_void) {
    let state = CURRENT.get();
    if !state.is_null() {
        // SAFETY: `CURRENT` is set only while the call state is alive.
        let state = unsafe { &*state };
        write_text("panto: ");
        write_text(state.title);
        write_text(" crashed: signal ");
        write_number(signal.unsigned_abs() as usize);
        write_text(SIGNALS.iter().find(|(number, _)| *number == signal).map_or("", |_| " ("));
        write_text(SIGNALS.iter().find(|(number, _)| *number == signal).map_or("", |(_, name)| name));
        write_text(SIGNALS.iter().find(|(number, _)| *number == signal).map_or("", |_| ")"));
        write_text(" on rank ");
        write_number(state.rank);
        write_text("; job aborted\n");
    }
    // Nothing changes the list after installation, so the lock is free unless the crash is in
    // there.
    let place = SIGNALS.iter().position(|(number, _)| *number == signal);
    if let (Ok(before), Some(place)) = (PREVIOUS.try_lock(), place)
        && let Some(old) = before.get(place)
    {
        // SAFETY: `old` is the action that was replaced.
        unsafe { libc::sigaction(signal, ptr::from_ref(old), ptr::null_mut()) };
    }
    if signal == libc::SIGABRT {
        // SAFETY: `abort` raised the signal; raising it again with the previous action ends the
        // process.
        unsafe { libc::raise(signal) };
    }
}

fn write_text(text: &str) {
    // SAFETY: `text` is readable for its length; an invalid descriptor only makes the call fail.
    unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
}

/// Writes a decimal number without allocating.
fn write_number(number: usize) {
    let mut digits = [0_u8; 20];
    let (mut place, mut rest) = (digits.len(), number);
    loop {
        place -= 1;
        digits[place] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    write_text(std::str::from_utf8(&digits[place..]).unwrap_or("?"));
}
