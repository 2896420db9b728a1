//! The system's clocks and sleeps in virtual time: `clock_gettime` and its like, unless the user
//! wants MPI's clock alone (`--clocks mpi`).
//!
//! Each clock begins with its real value at the beginning of the run and advances by virtual time,
//! so it does not go backwards where the run begins. Only the thread that initialized MPI sees it,
//! outside of MPI: the real MPI, its threads and this library need the real time for their own
//! waiting. After `MPI_Finalize` the clocks advance by real time from where they are.
//!
//! *Invariant*: this library reads clocks by [`real_time`], because the program's functions are
//! bound to those below, and so are its own.

use std::ffi::{c_int, c_long, c_uint, c_void};
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use libc::{clockid_t, time_t, timespec, timeval, timezone};
use panto_units::Time;

use super::clock;
use super::is_on;
use crate::function::Function;
use crate::thread_state;

const NANOS: i64 = 1_000_000_000;

/// Clocks that advance by the time of day, whatever the process does.
const CLOCKS: [clockid_t; 7] = [
    libc::CLOCK_REALTIME,
    libc::CLOCK_MONOTONIC,
    libc::CLOCK_MONOTONIC_RAW,
    libc::CLOCK_REALTIME_COARSE,
    libc::CLOCK_MONOTONIC_COARSE,
    libc::CLOCK_BOOTTIME,
    libc::CLOCK_TAI,
];

/// For each of [`CLOCKS`], its value at virtual time 0, in nanoseconds; after the end of the run,
/// what is added to its real value.
static ORIGINS: [AtomicI64; CLOCKS.len()] = [const { AtomicI64::new(0) }; CLOCKS.len()];

static STATE: AtomicU32 = AtomicU32::new(REAL);
/// The clocks are the system's.
const REAL: u32 = 0;
/// They are in virtual time.
const VIRTUAL: u32 = 1;
/// They are real ones again, which continue where virtual time ended.
const SHIFTED: u32 = 2;

/// From now on the program sees virtual time, which is 0.
pub fn begin() {
    for (clock, origin) in CLOCKS.iter().zip(&ORIGINS) {
        origin.store(real_time(*clock), Ordering::Relaxed);
    }
    STATE.store(VIRTUAL, Ordering::Relaxed);
}

/// The run ends; `now` returns the virtual time.
pub fn end(now: impl FnOnce() -> Time) {
    if STATE.load(Ordering::Relaxed) != VIRTUAL {
        return;
    }
    let now = nanos(now().as_picos());
    for (clock, origin) in CLOCKS.iter().zip(&ORIGINS) {
        origin.fetch_add(now - real_time(*clock), Ordering::Relaxed);
    }
    STATE.store(SHIFTED, Ordering::Relaxed);
}

fn nanos(picos: u64) -> i64 {
    (picos / 1_000) as i64
}

/// Returns what the program sees of a clock, in nanoseconds; none if that is the real time.
fn seen_time(clock: clockid_t) -> Option<i64> {
    let state = STATE.load(Ordering::Relaxed);
    if state == REAL {
        return None;
    }
    let place = CLOCKS.iter().position(|known| *known == clock)?;
    if !thread_state::with(|local| local.is_first_outside()) {
        return None;
    }
    let origin = &ORIGINS[place];
    if state == VIRTUAL {
        let picos = clock::virtual_time()?;
        return Some(origin.load(Ordering::Relaxed) + nanos(picos));
    }
    Some(origin.load(Ordering::Relaxed) + real_time(clock))
}

/// Lets the program sleep in virtual time; returns false if it must sleep in real time.
fn sleep_virtually(nanos: i64) -> bool {
    let is_virtual = is_on()
        && STATE.load(Ordering::Relaxed) == VIRTUAL
        && thread_state::with(|local| local.is_first_outside());
    is_virtual && clock::sleep(nanos.max(0).unsigned_abs())
}

/// A function of the C library that is exported here, and its real one.
macro_rules! real_function {
    ($name:literal: fn($($type:ty),*) -> $result:ty) => {{
        static FUNCTION: Function = Function::new($name);
        let address = FUNCTION.real();
        // SAFETY: the C library has a function of this name with these parameters; null is none.
        unsafe { std::mem::transmute::<*mut c_void, Option<unsafe extern "C" fn($($type),*) -> $result>>(address) }
    }};
}

/// Returns a clock of the system in real time, in nanoseconds.
pub fn real_time(clock: clockid_t) -> i64 {
    let mut time = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a local variable.
    unsafe { real_clock_gettime(clock, &raw mut time) };
    time.tv_sec * NANOS + time.tv_nsec
}

unsafe fn real_clock_gettime(clock: clockid_t, time: *mut timespec) -> c_int {
    match real_function!(c"clock_gettime": fn(clockid_t, *mut timespec) -> c_int) {
        // SAFETY: the caller's arguments, which it passed for this function.
        Some(real) => unsafe { real(clock, time) },
        // SAFETY: as above; this is the system call of that function.
        None => unsafe { libc::syscall(libc::SYS_clock_gettime, clock, time) as c_int },
    }
}

fn parts(nanos: i64) -> timespec {
    timespec { tv_sec: nanos.div_euclid(NANOS), tv_nsec: nanos.rem_euclid(NANOS) }
}

/// As in POSIX; virtual time in a run on a simulated machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_gettime(clock: clockid_t, time: *mut timespec) -> c_int {
    match seen_time(clock) {
        Some(nanos) if !time.is_null() => {
            // SAFETY: the caller passes a pointer to a time.
            unsafe { time.write(parts(nanos)) };
            0
        }
        // SAFETY: the caller's arguments.
        _ => unsafe { real_clock_gettime(clock, time) },
    }
}

/// As in POSIX; virtual time in a run on a simulated machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gettimeofday(time: *mut timeval, zone: *mut timezone) -> c_int {
    let code = match real_function!(c"gettimeofday": fn(*mut timeval, *mut timezone) -> c_int) {
        // SAFETY: the caller's arguments.
        Some(real) => unsafe { real(time, zone) },
        // SAFETY: as above; this is the system call of that function.
        None => unsafe { libc::syscall(libc::SYS_gettimeofday, time, zone) as c_int },
    };
    if code == 0
        && !time.is_null()
        && let Some(nanos) = seen_time(libc::CLOCK_REALTIME)
    {
        let timespec { tv_sec, tv_nsec } = parts(nanos);
        // SAFETY: the caller passes a pointer to a time.
        unsafe { time.write(timeval { tv_sec, tv_usec: tv_nsec / 1_000 }) };
    }
    code
}

/// As in ISO C; virtual time in a run on a simulated machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn time(result: *mut time_t) -> time_t {
    // The coarse clock is the one that the C library returns here.
    let clock = libc::CLOCK_REALTIME_COARSE;
    let seconds = seen_time(clock).unwrap_or_else(|| real_time(clock)).div_euclid(NANOS);
    if !result.is_null() {
        // SAFETY: the caller passes a pointer to a time.
        unsafe { result.write(seconds) };
    }
    seconds
}

/// Returns the nanoseconds of a valid time.
unsafe fn length(time: *const timespec) -> Option<i64> {
    // SAFETY: the caller passes a pointer to a time, or null.
    let time = unsafe { time.as_ref() }?;
    let is_valid = time.tv_sec >= 0 && (0..NANOS).contains(&time.tv_nsec);
    is_valid.then(|| time.tv_sec.saturating_mul(NANOS).saturating_add(time.tv_nsec))
}

/// As in POSIX; returns at once in virtual time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nanosleep(time: *const timespec, left: *mut timespec) -> c_int {
    // SAFETY: the caller's argument.
    if unsafe { length(time) }.is_some_and(sleep_virtually) {
        return 0;
    }
    match real_function!(c"nanosleep": fn(*const timespec, *mut timespec) -> c_int) {
        // SAFETY: the caller's arguments.
        Some(real) => unsafe { real(time, left) },
        // SAFETY: as above; this is the system call of that function.
        None => unsafe { libc::syscall(libc::SYS_nanosleep, time, left) as c_int },
    }
}

/// As in POSIX; returns at once in virtual time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_nanosleep(
    clock: clockid_t,
    flags: c_int,
    time: *const timespec,
    left: *mut timespec,
) -> c_int {
    // SAFETY: the caller's argument.
    let length = unsafe { length(time) };
    let is_until = flags & libc::TIMER_ABSTIME != 0;
    let rest = if is_until { length.and_then(|end| Some(end - seen_time(clock)?)) } else { length };
    if CLOCKS.contains(&clock) && rest.is_some_and(sleep_virtually) {
        return 0;
    }
    let real =
        real_function!(c"clock_nanosleep": fn(clockid_t, c_int, *const timespec, *mut timespec) -> c_int);
    match real {
        // SAFETY: the caller's arguments.
        Some(real) => unsafe { real(clock, flags, time, left) },
        None => libc::ENOSYS,
    }
}

/// As in POSIX; returns at once in virtual time.
#[unsafe(no_mangle)]
pub extern "C" fn usleep(micros: c_uint) -> c_int {
    let time = parts(i64::from(micros) * 1_000);
    // SAFETY: the time is a local variable.
    unsafe { nanosleep(&raw const time, std::ptr::null_mut()) }
}

/// As in POSIX; returns at once in virtual time.
#[unsafe(no_mangle)]
pub extern "C" fn sleep(seconds: c_uint) -> c_uint {
    let mut time = parts(i64::from(seconds) * NANOS);
    let rest: *mut timespec = &raw mut time;
    // SAFETY: the time is a local variable, which also takes what is left.
    let is_interrupted = unsafe { nanosleep(rest, rest) } != 0;
    // Rounded, as the C library does.
    let half_up = c_long::from(time.tv_nsec >= NANOS / 2);
    if is_interrupted { c_uint::try_from(time.tv_sec + half_up).unwrap_or(seconds) } else { 0 }
}
