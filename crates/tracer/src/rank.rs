//! All that is known of the rank, behind one lock: threads may call at the same time.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use panto_trace::{Action, Facts, Name, Recorder, Times, key, stream_end};
use smallvec::SmallVec;

use crate::clock;
use crate::comms::Comms;
use crate::library::Mpi;
use crate::output::Output;
use crate::requests::Requests;
use crate::say::say;
use crate::site::Site;
use crate::things::Things;
use crate::ticks;
use crate::types::Types;

static IS_RECORDING: AtomicBool = AtomicBool::new(false);
static RANK: Mutex<Option<Box<Rank>>> = Mutex::new(None);

/// Blocks have at most so many events ...
const MOST_EVENTS: u32 = 1 << 16;
/// ... and about so many bytes before they are packed.
const MOST_BYTES: usize = 1 << 20;
/// A block is written when it is older than this, so that a program that calls rarely loses little when it is killed.
const OLDEST_NS: u64 = 1_000_000_000;

/// The rank of this process.
pub struct Rank {
    pub mpi: &'static Mpi,
    pub recorder: Recorder,
    pub comms: Comms,
    pub types: Types,
    pub requests: Requests,
    /// Messages that probes took out of matching.
    pub messages: Requests,
    pub windows: Things,
    pub files: Things,
    output: Output,
    packed: Vec<u8>,
    /// Does the program want to be recorded (`MPI_Pcontrol`)?
    is_on: bool,
    thread: u32,
    spins: SmallVec<[Spin; 4]>,
    first: (Name, u32),
    calls: u64,
    started: u64,
    block_started: u64,
    last_end: u64,
    /// CPU time of the process and of its first thread when recording began.
    cpu_at_start: (u64, u64),
}

/// Looks that found nothing, so far.
struct Spin {
    name: Name,
    thread: u32,
    polls: u64,
    spun: u64,
}

/// CPU time of threads that called MPI, in nanoseconds: what they had at their last call.
static CALLERS_NS: AtomicU64 = AtomicU64::new(0);
/// The tracer's own time.
static OWN_TICKS: AtomicU64 = AtomicU64::new(0);
/// How often any thread read its CPU clock.
static CLOCK_READS: AtomicU64 = AtomicU64::new(0);

/// Is anything recorded?
#[inline]
pub fn is_recording() -> bool {
    IS_RECORDING.load(Ordering::Relaxed)
}

/// The rank. A thread that panicked meanwhile has stopped the recording.
fn lock() -> MutexGuard<'static, Option<Box<Rank>>> {
    RANK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does something with the rank, if it is recorded. A panic must not leave the library, because it would end the program; it ends the recording.
pub fn with<T>(body: impl FnOnce(&mut Rank) -> T) -> Option<T> {
    let done = catch_unwind(AssertUnwindSafe(|| lock().as_mut().map(|rank| body(rank))));
    done.unwrap_or_else(|_| {
        give_up("an error in the tracer; please report it");
        None
    })
}

/// Begins to record.
pub fn begin(rank: Rank) {
    *lock() = Some(Box::new(rank));
    IS_RECORDING.store(true, Ordering::Relaxed);
}

/// Ends it: the program does not need to be followed any more.
pub fn end(why: Option<&str>) {
    if !IS_RECORDING.swap(false, Ordering::Relaxed) {
        return;
    }
    let rank = lock().take();
    if let Some(mut rank) = rank {
        rank.close(why);
    }
}

/// In a process that was forked: the file is the parent's. The lock may be held by a thread that does not exist here.
pub fn forget() {
    IS_RECORDING.store(false, Ordering::Relaxed);
}

/// Ends it without a word into the file, which cannot be trusted.
pub fn give_up(why: &str) {
    IS_RECORDING.store(false, Ordering::Relaxed);
    say(format_args!("recording stops here, the program goes on: {why}"));
}

impl Rank {
    pub fn new(mpi: &'static Mpi, recorder: Recorder, output: Output, first: (Name, u32)) -> Self {
        let now = ticks::now();
        Self {
            mpi,
            recorder,
            comms: Comms::default(),
            types: Types::default(),
            requests: Requests::default(),
            messages: Requests::default(),
            windows: Things::default(),
            files: Things::default(),
            output,
            packed: Vec::new(),
            is_on: true,
            thread: 0,
            spins: SmallVec::new(),
            first,
            calls: 0,
            started: now,
            block_started: now,
            last_end: now,
            cpu_at_start: (clock::process_ns(), clock::thread_ns()),
        }
    }

    /// Records a call of a thread.
    #[inline]
    pub fn record(&mut self, site: &Site, action: &Action<'_>, thread: u32, times: Times) {
        if !self.is_on {
            return;
        }
        if !self.spins.is_empty() {
            self.end_spins();
        }
        if thread != self.thread {
            self.switch_to(thread);
        }
        let name = self.name(site);
        self.recorder.record(name, action, times);
        self.calls += 1;
    }

    #[inline]
    pub fn name(&mut self, site: &Site) -> Name {
        let recorder = &mut self.recorder;
        Name(site.number(|name| recorder.name(name).0))
    }

    #[cold]
    fn switch_to(&mut self, thread: u32) {
        self.thread = thread;
        let name = self.recorder.name("thread");
        self.recorder.record(name, &Action::Thread { thread }, Times::default());
    }

    /// A look found nothing, shortly after the last one: counted, not recorded.
    pub fn spin(&mut self, site: &Site, thread: u32, spun: u64) {
        if !self.is_on {
            return;
        }
        let name = self.name(site);
        if let Some(spin) = self.spins.iter_mut().find(|spin| (spin.name, spin.thread) == (name, thread)) {
            spin.polls += 1;
            spin.spun += spun;
        } else {
            self.spins.push(Spin { name, thread, polls: 1, spun });
        }
    }

    fn end_spins(&mut self) {
        for Spin { name, thread, polls, spun } in std::mem::take(&mut self.spins) {
            if thread != self.thread {
                self.switch_to(thread);
            }
            self.recorder.record(name, &Action::Spin { polls, spun }, Times::default());
        }
    }

    /// The wall clock between the end of the last call of any thread and the beginning of this one, and inside it, in nanoseconds.
    pub fn stamps(&mut self, start: u64, end: u64) -> (u64, u64) {
        let gap = ticks::to_ns(start.saturating_sub(self.last_end));
        self.last_end = end;
        (gap, ticks::to_ns(end.saturating_sub(start)))
    }

    /// After each call: writes the block if it is time. Did it?
    #[inline]
    pub fn after_call(&mut self, now: u64) -> bool {
        let is_full = self.recorder.events() >= MOST_EVENTS || self.recorder.bytes() >= MOST_BYTES;
        let is_time = is_full || ticks::to_ns(now.saturating_sub(self.block_started)) > OLDEST_NS;
        if is_time {
            self.flush();
        }
        is_time
    }

    /// Writes what waits.
    pub fn flush(&mut self) {
        let start = ticks::now();
        self.end_spins();
        self.packed.clear();
        let wall = ticks::to_ns(self.block_started.saturating_sub(self.started));
        self.recorder.seal(wall, &mut self.packed);
        self.block_started = ticks::now();
        let packed = std::mem::take(&mut self.packed);
        if let Err(error) = self.output.append(&packed) {
            self.stop(&error);
        }
        self.packed = packed;
        note_own(ticks::now().saturating_sub(start));
    }

    /// Records, or does not record, from now on.
    pub fn switch(&mut self, on: bool) {
        self.end_spins();
        self.is_on = on;
    }

    /// Drops what was recorded, except the beginning, which cannot be had again.
    pub fn start_anew(&mut self) {
        self.spins.clear();
        self.recorder.drop_events();
        let (name, threads) = self.first;
        self.recorder.record(name, &Action::Initialise { threads }, Times::default());
        self.thread = 0;
        self.calls = 1;
        self.flush();
    }

    /// The file cannot be written any more.
    fn stop(&mut self, error: &io::Error) {
        let mut facts = Facts::default();
        let why = format!("{}: {error}", self.output.path().display());
        facts.set(key::STOPPED, &why);
        // A disk that is full may still have room for these few bytes.
        let _ = self.output.append(&stream_end(&facts));
        give_up(&format!("{why}; the trace has the calls up to here"));
    }

    fn close(&mut self, why: Option<&str>) {
        self.flush();
        let mut facts = Facts::default();
        facts.set(key::CALLS, &self.calls);
        facts.set(key::WALL, &ticks::to_ns(ticks::now().saturating_sub(self.started)));
        facts.set(key::COST, &ticks::to_ns(OWN_TICKS.load(Ordering::Relaxed)));
        facts.set(key::OTHER_THREADS, &self.other_threads());
        facts.set(key::CLOCK_READS, &CLOCK_READS.load(Ordering::Relaxed));
        if let Some(why) = why {
            facts.set(key::STOPPED, why);
        }
        if let Err(error) = self.output.append(&stream_end(&facts)) {
            give_up(&format!("{}: {error}", self.output.path().display()));
        }
    }

    /// CPU time of threads that never called MPI, since recording began.
    fn other_threads(&self) -> u64 {
        let (process, thread) = self.cpu_at_start;
        let all = clock::process_ns().saturating_sub(process);
        let own = clock::thread_ns().saturating_sub(thread);
        all.saturating_sub(own).saturating_sub(CALLERS_NS.load(Ordering::Relaxed))
    }
}

/// The tracer itself took so many ticks.
pub fn note_own(ticks: u64) {
    OWN_TICKS.fetch_add(ticks, Ordering::Relaxed);
}

/// A thread other than the first computed so much since its last call, and read its CPU clock so often.
pub fn note_caller(cpu_ns: u64, reads: u64) {
    CALLERS_NS.fetch_add(cpu_ns, Ordering::Relaxed);
    CLOCK_READS.fetch_add(reads, Ordering::Relaxed);
}
