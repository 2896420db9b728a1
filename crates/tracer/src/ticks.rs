//! The cheapest clock: the processor's time-stamp counter where it is steady, else
//! `CLOCK_MONOTONIC`.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::live::real_time;

/// Whether the counter is used. Decided once, before the first call is timed.
static IS_COUNTER: AtomicBool = AtomicBool::new(false);

static SCALE: OnceLock<Scale> = OnceLock::new();

/// Nanoseconds of a tick, as a fixed-point number with [`FRACTION`] fractional bits.
#[derive(Clone, Copy)]
struct Scale(u64);

const FRACTION: u32 = 32;

/// Returns the time, in ticks.
#[inline]
pub fn now() -> u64 {
    if IS_COUNTER.load(Ordering::Relaxed) { counter() } else { system_clock() }
}

/// Returns the time, in ticks, when all instructions before have been executed. Without the fence,
/// the processor would execute the reading of its counter early, and a short block of computation
/// would end inside MPI.
#[inline]
pub fn after_all_before() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction.
    unsafe {
        std::arch::x86_64::_mm_lfence();
    }
    now()
}

/// Converts ticks to nanoseconds.
#[inline]
pub fn to_ns(ticks: u64) -> u64 {
    let scale = SCALE.get().map_or(1 << FRACTION, |scale| scale.0);
    ((u128::from(ticks) * u128::from(scale)) >> FRACTION) as u64
}

/// Returns the ticks of a millisecond.
pub fn per_millisecond() -> u64 {
    let scale = SCALE.get().map_or(1 << FRACTION, |scale| scale.0);
    ((1_000_000_u128 << FRACTION) / u128::from(scale.max(1))) as u64
}

/// Returns the clock's name in a trace.
pub fn name() -> &'static str {
    if IS_COUNTER.load(Ordering::Relaxed) { "time-stamp counter" } else { "CLOCK_MONOTONIC" }
}

/// Two readings of counter and system clock, from which the length of a tick follows.
pub struct Calibration {
    start: Instant,
    ticks: u64,
}

/// The least time between the two readings: over a shorter one, the delay between reading one clock
/// and the other is an error of more than some millionths.
const LONG_ENOUGH: Duration = Duration::from_millis(20);

impl Calibration {
    /// Chooses the clock and reads it.
    pub fn start() -> Self {
        IS_COUNTER.store(is_steady(), Ordering::Relaxed);
        Self { start: Instant::now(), ticks: now() }
    }

    /// Reads the clock again. `MPI_Init` has run in between, which usually takes longer than
    /// needed.
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

/// Readings of both clocks of which the closest are taken.
const PAIRED_READINGS: usize = 5;

/// Returns the time in ticks, and by the monotonic clock of the host at the same moment, in
/// nanoseconds: the closest of several readings.
pub fn with_monotonic() -> (u64, u64) {
    let pair = |_| {
        let before = now();
        let monotonic = system_clock();
        let between = now().saturating_sub(before);
        (between, (before + between / 2, monotonic))
    };
    (0..PAIRED_READINGS).map(pair).min().map_or((0, 0), |(_, pair)| pair)
}

/// Returns one of the system's clocks in real time, in nanoseconds.
pub fn clock_ns(clock: libc::clockid_t) -> u64 {
    real_time(clock) as u64
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn counter() -> u64 {
    // SAFETY: every x86-64 processor has the instruction. Without a fence: what is timed is longer
    // than what the processor reorders.
    unsafe { std::arch::x86_64::_rdtsc() }
}

/// Returns whether the counter is steady: the kernel uses it for its own clock where it found it so
/// on all cores. (kvm-clock is the counter, scaled.)
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

/// The architecture guarantees a steady counter.
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
