//! The cheapest clock: the processor's time-stamp counter where it is steady, else the system's clock.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Decided once, before the first call is timed.
static IS_COUNTER: AtomicBool = AtomicBool::new(false);

static SCALE: OnceLock<Scale> = OnceLock::new();

/// Ticks to nanoseconds, as a fixed-point number.
#[derive(Clone, Copy)]
struct Scale(u64);

const FRACTION: u32 = 32;

/// The time, in ticks.
#[inline]
pub fn now() -> u64 {
    if IS_COUNTER.load(Ordering::Relaxed) { counter() } else { system_clock() }
}

/// The time, in ticks, when everything before has been done. A processor works ahead of what it waits for, and would read its counter too
/// early: a short block of computation would be finished inside MPI.
#[inline]
pub fn after_all_before() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of this kind has the instruction.
    unsafe {
        std::arch::x86_64::_mm_lfence();
    }
    now()
}

/// Ticks in nanoseconds.
#[inline]
pub fn to_ns(ticks: u64) -> u64 {
    let scale = SCALE.get().map_or(1 << FRACTION, |scale| scale.0);
    ((u128::from(ticks) * u128::from(scale)) >> FRACTION) as u64
}

/// The ticks of a millisecond.
pub fn per_millisecond() -> u64 {
    let scale = SCALE.get().map_or(1 << FRACTION, |scale| scale.0);
    ((1_000_000_u128 << FRACTION) / u128::from(scale.max(1))) as u64
}

/// What the clock is called in a trace.
pub fn name() -> &'static str {
    if IS_COUNTER.load(Ordering::Relaxed) { "time-stamp counter" } else { "CLOCK_MONOTONIC" }
}

/// Two readings of both clocks, far enough apart, tell how long a tick is.
pub struct Calibration {
    start: Instant,
    ticks: u64,
}

/// Shorter than this, reading two clocks one after the other would be an error of more than some millionths.
const LONG_ENOUGH: Duration = Duration::from_millis(20);

impl Calibration {
    /// Chooses the clock and reads it.
    pub fn start() -> Self {
        IS_COUNTER.store(is_steady(), Ordering::Relaxed);
        Self { start: Instant::now(), ticks: now() }
    }

    /// Reads it again. `MPI_Init` has passed meanwhile, which takes longer than needed.
    pub fn end(self) {
        if let Some(missing) = LONG_ENOUGH.checked_sub(self.start.elapsed()) {
            std::thread::sleep(missing);
        }
        let (elapsed, ticks) = (self.start.elapsed(), now().saturating_sub(self.ticks));
        let scale = (elapsed.as_nanos() << FRACTION) / u128::from(ticks.max(1));
        let scale = if IS_COUNTER.load(Ordering::Relaxed) { scale as u64 } else { 1 << FRACTION };
        SCALE.get_or_init(|| Scale(scale));
    }
}

fn system_clock() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC)
}

/// One of the system's clocks, in nanoseconds.
pub fn clock_ns(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a place for the answer.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn counter() -> u64 {
    // SAFETY: every processor of this kind has the instruction. No fence: what is timed is longer than what the processor reorders.
    unsafe { std::arch::x86_64::_rdtsc() }
}

/// The kernel uses the counter for its own clock where it found it to be steady on all cores. (kvm-clock is the counter, scaled.)
#[cfg(target_arch = "x86_64")]
fn is_steady() -> bool {
    let source = std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    source.is_ok_and(|name| matches!(name.trim(), "tsc" | "kvm-clock" | "hyperv_clocksource_tsc_page"))
}

#[cfg(target_arch = "aarch64")]
#[inline]
fn counter() -> u64 {
    let ticks: u64;
    // SAFETY: reads a register that Linux lets programs read.
    unsafe { std::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack)) };
    ticks
}

/// The architecture demands it.
#[cfg(target_arch = "aarch64")]
fn is_steady() -> bool {
    true
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn counter() -> u64 {
    system_clock()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn is_steady() -> bool {
    false
}
