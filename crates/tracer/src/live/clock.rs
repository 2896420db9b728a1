//! The program's clock in virtual time: `MPI_Wtime`, `MPI_Wtick` and sleeping.

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

use panto_coupling::message::Question;

use super::calls::with_call;
use super::{is_on, turn};
use crate::function;
use crate::rank;
use crate::thread_state;

/// The most computation between two readings of a program that only waits for the clock, in
/// nanoseconds.
const QUICK_NS: u64 = 1_000;

/// Quick readings in a row after which time passes by itself, since the program waits for it.
const PATIENT_READINGS: u32 = 100;

/// The least and the most time that passes then with each reading, in nanoseconds.
const READING_NS: (u64, u64) = (1_000, 100_000);

/// The share of a waiting loop's time so far that passes with its next reading, as a divisor.
const GROWTH: u64 = 64;

/// The clock as any thread has seen it last, in picoseconds.
static LAST: AtomicU64 = AtomicU64::new(0);

/// The clock as the program has seen it.
#[derive(Default)]
pub struct VirtualClock {
    picos: u64,
    /// The clock at the first of the last quick readings.
    since: u64,
    /// How often it was read quickly, without a call in between.
    readings: u32,
}

impl VirtualClock {
    /// Sets the clock to what the simulation says.
    pub fn set(&mut self, picos: u64) {
        self.picos = picos;
        LAST.store(picos, Ordering::Relaxed);
    }

    /// The program has made a call: it does not only read the clock.
    pub fn called(&mut self) {
        self.readings = 0;
    }

    /// Returns the nanoseconds that pass with a reading after a computation of `computed`
    /// nanoseconds.
    fn read(&mut self, computed: u64) -> u64 {
        self.readings = if computed < QUICK_NS { self.readings.saturating_add(1) } else { 1 };
        if self.readings == 1 {
            self.since = self.picos;
        }
        let elapsed = self.picos.saturating_sub(self.since) / 1_000;
        let (least, most) = READING_NS;
        if self.readings > PATIENT_READINGS { (elapsed / GROWTH).clamp(least, most) } else { 0 }
    }
}

/// Returns the time of the simulated machine, in picoseconds; none outside of a run, and inside
/// MPI.
pub fn virtual_time() -> Option<u64> {
    if !is_on() {
        return None;
    }
    if thread_state::with(|local| local.is_inside()) {
        return None;
    }
    // While another thread is in a call, the clock of the rank stands still.
    if !turn::try_take() {
        return Some(LAST.load(Ordering::Relaxed));
    }
    let mut entered = thread_state::enter_with_turn()?;
    let (thread, before) = (entered.thread(), entered.before());
    let picos = rank::with(|rank| {
        if let Some(live) = &mut rank.live {
            live.switch_to(thread);
            live.measured = before;
            // The name of a refused call; reading the clock is none.
            live.site.get_or_insert(&WTIME);
            let is_measured = live.computation.is_measured();
            let computed = if is_measured { live.before().saturating_sub(live.since.reported_ns) } else { 0 };
            let passes = live.clock.read(computed);
            live.pass(passes);
        }
    })
    .map(|()| {
        with_call(|at| {
            at.report_computation();
            at.ask(&Question::Clock).clock.as_picos()
        })
    });
    entered.returned();
    // The computation belongs to the next call.
    entered.leave(before, None);
    picos
}

/// Lets virtual time pass in which the program does nothing. Returns false outside of a run.
pub fn sleep(nanos: u64) -> bool {
    turn::take_patiently();
    let Some(mut entered) = thread_state::enter_with_turn() else { return false };
    let (thread, before) = (entered.thread(), entered.before());
    let is_speed_known = rank::with(|rank| {
        let live = rank.live.as_mut()?;
        live.switch_to(thread);
        live.measured = before;
        live.site.get_or_insert(&SLEEP);
        Some(live.end.speed().is_some())
    });
    if is_speed_known.flatten() == Some(false) {
        // The simulation has published the speed before it replies.
        with_call(|at| at.ask(&Question::Clock));
    }
    let slept = rank::with(|rank| {
        let live = rank.live.as_mut()?;
        live.clock.called();
        // Sleep takes as long on each processor; computation is divided by its speed.
        let speed = live.end.speed().unwrap_or(1.0);
        live.pass((nanos as f64 * speed).round() as u64);
        Some(())
    });
    entered.returned();
    entered.leave(before, None);
    slept.flatten().is_some()
}

static WTIME: function::Function = function::Function::new(c"MPI_Wtime");
static SLEEP: function::Function = function::Function::new(c"sleep");

/// Returns the time of the simulated machine, in seconds.
fn virtual_seconds() -> Option<f64> {
    virtual_time().map(|picos| picos as f64 * 1e-12)
}

/// Calls MPI's own function without arguments that returns a time.
fn real(name: &CStr) -> f64 {
    let address = function::real(name);
    if address.is_null() {
        return 0.0;
    }
    // SAFETY: this is MPI's function of that name, which has no arguments and returns a `double`.
    unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> f64>(address)() }
}

/// As in MPI; virtual time in a run on a simulated machine.
#[unsafe(no_mangle)]
pub extern "C" fn MPI_Wtime() -> f64 {
    virtual_seconds().unwrap_or_else(|| real(c"MPI_Wtime"))
}

/// As [`MPI_Wtime`].
#[unsafe(no_mangle)]
pub extern "C" fn PMPI_Wtime() -> f64 {
    virtual_seconds().unwrap_or_else(|| real(c"PMPI_Wtime"))
}

/// The resolution of virtual time in seconds: a picosecond.
const TICK: f64 = 1e-12;

/// As in MPI; the resolution of virtual time in a run on a simulated machine.
#[unsafe(no_mangle)]
pub extern "C" fn MPI_Wtick() -> f64 {
    if is_on() { TICK } else { real(c"MPI_Wtick") }
}

/// As [`MPI_Wtick`].
#[unsafe(no_mangle)]
pub extern "C" fn PMPI_Wtick() -> f64 {
    if is_on() { TICK } else { real(c"PMPI_Wtick") }
}
