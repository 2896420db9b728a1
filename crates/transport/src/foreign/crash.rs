//! Says whose code it was when a process crashes in a stranger's: under MPI the job dies, but not without a word.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use super::watch::Slot;

/// The signals that a program gets for its own mistakes.
pub(crate) const SIGNALS: [(c_int, &str); 5] = [
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGILL, "SIGILL"),
    (libc::SIGABRT, "SIGABRT"),
];

thread_local! {
    /// In whose code this thread is.
    static INSIDE: Cell<*const Slot> = const { Cell::new(ptr::null()) };
}

/// What was there before, by the places of [`SIGNALS`].
static BEFORE: Mutex<Vec<libc::sigaction>> = Mutex::new(Vec::new());

/// The thread is in a stranger's code, or no longer.
#[inline]
pub(super) fn inside(slot: Option<&Slot>) {
    INSIDE.set(slot.map_or(ptr::null(), ptr::from_ref));
}

/// From now on a crash in a stranger's code is named on the way out.
pub(super) fn name_culprits() {
    let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
    if !before.is_empty() {
        return;
    }
    for (signal, _) in SIGNALS {
        // SAFETY: all zeros is an action without flags and with an empty mask.
        let (mut action, mut old): (libc::sigaction, libc::sigaction) = unsafe { std::mem::zeroed() };
        action.sa_sigaction = speak as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESETHAND;
        // SAFETY: the handler calls only what may be called in one.
        unsafe { libc::sigaction(signal, &raw const action, &raw mut old) };
        before.push(old);
    }
}

/// Writes one line, and lets what was there before have the signal: the faulty instruction is tried again.
extern "C" fn speak(signal: c_int, _: *mut libc::siginfo_t, _: *mut c_void) {
    let slot = INSIDE.get();
    if !slot.is_null() {
        // SAFETY: a slot outlives the calls for which it is set.
        let slot = unsafe { &*slot };
        say("panto: ");
        say(slot.title);
        say(" crashed: signal ");
        say_number(signal.unsigned_abs() as usize);
        say(SIGNALS.iter().find(|(number, _)| *number == signal).map_or("", |_| " ("));
        say(SIGNALS.iter().find(|(number, _)| *number == signal).map_or("", |(_, name)| name));
        say(SIGNALS.iter().find(|(number, _)| *number == signal).map_or("", |_| ")"));
        say(" on rank ");
        say_number(slot.rank);
        say("; the job is ended\n");
    }
    // Nobody changes it any more, so the lock is free unless the crash is in there.
    let place = SIGNALS.iter().position(|(number, _)| *number == signal);
    if let (Ok(before), Some(place)) = (BEFORE.try_lock(), place)
        && let Some(old) = before.get(place)
    {
        // SAFETY: it is what was there before.
        unsafe { libc::sigaction(signal, ptr::from_ref(old), ptr::null_mut()) };
    }
    if signal == libc::SIGABRT {
        // SAFETY: `abort` was called; it sends the signal once more when this returns, and this is that.
        unsafe { libc::raise(signal) };
    }
}

fn say(text: &str) {
    // SAFETY: the text is there, and the descriptor may be anything.
    unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
}

/// Without memory of its own: this runs in a handler of signals.
fn say_number(number: usize) {
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
    say(std::str::from_utf8(&digits[place..]).unwrap_or("?"));
}
