//! What disturbs a measurement: other work on the same cores, and stops.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use rustix::thread::{CpuSet, sched_setaffinity};

use super::cpu_limit::CpuLimit;

/// A kind of disturbance.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Interference {
    /// None.
    Quiet,
    /// A thread that computes on core 0, two seconds on and two seconds off.
    Bursts,
    /// A thread that computes on each core.
    HalfShare,
    /// A thread that reads and writes a gigabyte a few times a second.
    Memory,
    /// The measuring process is stopped for 50 ms, five times a second.
    Stops,
    /// A control group of the kernel gives the measuring process six tenths of two cores.
    CpuLimit,
}

/// Time for which bursts are on, and off.
const BURST: Duration = Duration::from_secs(2);
/// Time for which the process is stopped, and continues.
const STOP: (Duration, Duration) = (Duration::from_millis(50), Duration::from_millis(150));
/// Words of the buffer that the memory is disturbed with: 256 MiB, more than caches hold.
const WORDS: usize = 32 << 20;

impl Interference {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Quiet, Self::Bursts, Self::HalfShare, Self::Memory, Self::Stops, Self::CpuLimit];

    /// Returns what it is, in a phrase.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quiet => "none",
            Self::Bursts => "one core taken, 2 s on and 2 s off",
            Self::HalfShare => "both cores shared with another process",
            Self::Memory => "another process streams through memory",
            Self::Stops => "stopped for 50 ms, five times a second",
            Self::CpuLimit => "limited to 60 % of two cores",
        }
    }

    /// Returns whether this computer allows it.
    pub fn is_possible(self) -> bool {
        self != Self::CpuLimit || CpuLimit::is_possible()
    }
}

/// A disturbance that is going on.
pub struct Disturbance {
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
    /// Held until the measuring process has ended.
    _limit: Option<CpuLimit>,
}

impl Disturbance {
    /// Starts to disturb the process with this id.
    pub fn start(interference: Interference, process: u32) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let thread = |work: Box<dyn FnOnce(&AtomicBool) + Send>| {
            let over = Arc::clone(&over);
            std::thread::spawn(move || work(&over))
        };
        let threads = match interference {
            Interference::Quiet | Interference::CpuLimit => Vec::new(),
            Interference::Bursts => vec![thread(Box::new(bursts))],
            Interference::HalfShare => {
                (0..2).map(|core| thread(Box::new(move |over| compute_on(core, over)))).collect()
            }
            Interference::Memory => vec![thread(Box::new(stream))],
            Interference::Stops => vec![thread(Box::new(move |over| stop_and_go(process, over)))],
        };
        let limit = (interference == Interference::CpuLimit).then(|| CpuLimit::new(process)).flatten();
        Self { over, threads, _limit: limit }
    }

    /// Ends the disturbance.
    pub fn stop(self) {
        self.over.store(true, Ordering::Relaxed);
        for thread in self.threads {
            let _ = thread.join();
        }
    }
}

fn pin(core: usize) {
    let mut cores = CpuSet::new();
    cores.set(core);
    // Where it fails the thread runs on any core, and disturbs as well.
    let _ = sched_setaffinity(None, &cores);
}

fn compute_on(core: usize, over: &AtomicBool) {
    pin(core);
    while !over.load(Ordering::Relaxed) {
        compute(Duration::from_millis(1));
    }
}

fn bursts(over: &AtomicBool) {
    pin(0);
    let start = Instant::now();
    while !over.load(Ordering::Relaxed) {
        let is_on = (start.elapsed().as_millis() / BURST.as_millis()).is_multiple_of(2);
        if is_on { compute(Duration::from_millis(1)) } else { std::thread::sleep(Duration::from_millis(10)) }
    }
}

fn compute(time: Duration) {
    let (start, mut value) = (Instant::now(), 1_u64);
    while start.elapsed() < time {
        (0..1000).for_each(|step| value = black_box(value.wrapping_mul(3).wrapping_add(step)));
    }
}

fn stream(over: &AtomicBool) {
    let mut words = vec![1_u64; WORDS];
    while !over.load(Ordering::Relaxed) {
        for word in &mut words {
            *word = word.wrapping_add(1);
        }
        black_box(&mut words);
    }
}

fn stop_and_go(process: u32, over: &AtomicBool) {
    let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) else { return };
    while !over.load(Ordering::Relaxed) {
        // A process that has ended is still known until it is waited for.
        let _ = kill_process(process, Signal::STOP);
        std::thread::sleep(STOP.0);
        let _ = kill_process(process, Signal::CONT);
        std::thread::sleep(STOP.1);
    }
}
