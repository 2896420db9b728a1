//! All that is known of the rank, behind one lock, because threads may call MPI at the same time.
//!
//! The lock is held while a call is recorded, not while MPI runs. A panic inside ends the recording
//! and not the program.

mod blocks;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use panto_trace::{Action, Key, Name, Recorder, Site, Times};
use smallvec::SmallVec;

use crate::call_sites::CallSites;
use crate::clock;
use crate::compute_token;
use crate::function::Function;
use crate::library::Mpi;
use crate::live::Live;
use crate::lock::Lock;
use crate::message::warn;
use crate::output::Output;
use crate::overhead::Overhead;
use crate::ticks;
use panto_recording::Comms;
use panto_recording::PersistentCalls;
use panto_recording::Requests;
use panto_recording::Types;
use panto_recording::WindowsAndFiles;

static IS_RECORDING: AtomicBool = AtomicBool::new(false);
static RANK: Lock<Option<Box<Rank>>> = Lock::new(None);
/// The process that is recorded.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// The rank of this process.
pub struct Rank {
    pub mpi: &'static Mpi,
    pub recorder: Recorder,
    pub comms: Comms,
    pub types: Types,
    pub requests: Requests,
    pub persistent: PersistentCalls,
    /// Messages that matched probes removed from matching (`MPI_Mprobe`).
    pub messages: Requests,
    pub windows: WindowsAndFiles,
    pub files: WindowsAndFiles,
    /// The regions that the program is in.
    pub regions: Vec<String>,
    output: Output,
    packed: Vec<u8>,
    /// Whether the program wants to be recorded (`MPI_Pcontrol`).
    is_on: bool,
    /// Whether the file cannot be written any more.
    is_stopped: bool,
    thread: u32,
    spins: SmallVec<[Spin; 4]>,
    first: (Name, u32),
    calls: u64,
    started: u64,
    block_started: u64,
    /// The number of blocks that were started.
    blocks: u32,
    /// When the block must be written, in ticks.
    block_ends: u64,
    has_stamps: bool,
    /// When the last call of any thread ended, in nanoseconds since the start.
    last_end: u64,
    costs: Overhead,
    /// The call sites, if they are recorded.
    pub call_sites: Option<CallSites>,
    /// The end of a run in virtual time.
    pub live: Option<Box<Live>>,
}

/// Polls that found nothing and are not recorded yet.
struct Spin {
    name: Name,
    site: Option<Site>,
    thread: u32,
    polls: u64,
    spun: u64,
    /// When the first poll began and the last one ended, in ticks.
    wall: (u64, u64),
}

/// Returns whether calls are recorded.
#[inline]
pub fn is_recording() -> bool {
    IS_RECORDING.load(Ordering::Relaxed)
}

/// Runs a function on the rank, if it is recorded. A panic must not reach the program, which it
/// would end; it ends the recording instead.
#[inline]
pub fn with<T>(body: impl FnOnce(&mut Rank) -> T) -> Option<T> {
    let done = catch_unwind(AssertUnwindSafe(|| RANK.take().as_mut().map(|rank| body(rank))));
    done.unwrap_or_else(|_| {
        give_up("internal error in the tracer; please report it");
        None
    })
}

/// As [`with`], unless another thread holds the lock of the rank.
pub fn try_with(body: impl FnOnce(&mut Rank)) {
    if let Some(mut rank) = RANK.try_take()
        && let Some(rank) = rank.as_mut()
    {
        body(rank);
    }
}

/// Begins to record.
pub fn begin(rank: Rank) {
    *RANK.take() = Some(Box::new(rank));
    PROCESS.store(std::process::id(), Ordering::Relaxed);
    IS_RECORDING.store(true, Ordering::Relaxed);
}

/// Ends recording and closes the file.
pub fn end(why: Option<&str>) {
    if !IS_RECORDING.swap(false, Ordering::Relaxed) {
        return;
    }
    compute_token::end();
    // The program may end inside a signal handler while this thread holds the lock; the last block
    // is lost then.
    let rank = (0..TRIES).find_map(|_| {
        let rank = RANK.try_take().map(|mut rank| rank.take());
        if rank.is_none() {
            std::thread::sleep(Duration::from_millis(10));
        }
        rank
    });
    let closed = catch_unwind(AssertUnwindSafe(|| rank.flatten().map(|mut rank| rank.close(why))));
    if closed.is_err() {
        give_up("internal error in the tracer; please report it");
    }
}

/// Ends recording when the process ends. A child of `vfork` shares this memory, and its end is not
/// that of the process.
pub fn end_of_process(why: &str) {
    if PROCESS.load(Ordering::Relaxed) == std::process::id() {
        end(Some(why));
    }
}

/// Attempts to take the lock at the end, 10 ms apart.
const TRIES: usize = 50;

/// Forgets the rank in a forked process: the file is the parent's, and the lock may be held by a
/// thread that does not exist here.
pub fn forget() {
    IS_RECORDING.store(false, Ordering::Relaxed);
}

/// Ends recording without closing the file, whose state is unknown.
pub fn give_up(why: &str) {
    IS_RECORDING.store(false, Ordering::Relaxed);
    compute_token::end();
    warn(format_args!("recording stopped: {why}; the program continues"));
}

impl Rank {
    pub fn new(
        mpi: &'static Mpi,
        recorder: Recorder,
        output: Output,
        first: (Name, u32),
        started: u64,
    ) -> Self {
        let mut rank = Self {
            mpi,
            recorder,
            comms: Comms::default(),
            types: Types::default(),
            requests: Requests::default(),
            persistent: PersistentCalls::default(),
            messages: Requests::default(),
            windows: WindowsAndFiles::default(),
            files: WindowsAndFiles::default(),
            regions: Vec::new(),
            output,
            packed: Vec::new(),
            is_on: true,
            is_stopped: false,
            thread: 0,
            spins: SmallVec::new(),
            first,
            calls: 0,
            started,
            block_started: started,
            blocks: 0,
            block_ends: 0,
            has_stamps: clock::get().has_stamps,
            last_end: 0,
            costs: Overhead::start(),
            call_sites: None,
            live: None,
        };
        rank.start_block();
        rank
    }

    /// Returns the call site of a call that has not returned, if call sites are recorded.
    ///
    /// # Safety
    /// `stack` must be the stack pointer at the beginning of the call, or zero.
    #[inline]
    pub unsafe fn call_site(&mut self, stack: usize) -> Option<Site> {
        let sites = self.call_sites.as_mut().filter(|_| stack != 0)?;
        // SAFETY: the caller promises it.
        unsafe { sites.find(stack, &mut self.recorder) }
    }

    /// Records an event of a thread.
    #[inline]
    pub fn record(
        &mut self,
        name: Name,
        site: Option<Site>,
        action: &Action<'_>,
        thread: u32,
        before: u64,
        wall: (u64, u64),
    ) {
        self.persistent.keep(name, action, self.is_on);
        if !self.is_on {
            return;
        }
        if !self.spins.is_empty() {
            self.end_spins();
        }
        if thread != self.thread {
            self.switch_to(thread);
        }
        let (gap, inside) = self.stamps(wall);
        self.recorder.record_at(name, site, action, Times { before, gap, inside });
        self.calls += 1;
        self.weigh();
    }

    /// Records a call of a thread if its key is the one that is expected next. Returns whether it
    /// was.
    #[inline]
    pub fn repeat(&mut self, key: &Key, thread: u32, before: u64, wall: (u64, u64)) -> bool {
        let can_repeat = self.is_on && self.live.is_none() && self.spins.is_empty() && thread == self.thread;
        let repeats = can_repeat && self.recorder.repeats(key);
        if repeats {
            let (gap, inside) = self.stamps(wall);
            self.recorder.repeat(Times { before, gap, inside });
            self.calls += 1;
        }
        repeats
    }

    #[inline]
    pub fn name(&mut self, site: &Function) -> Name {
        let recorder = &mut self.recorder;
        Name(site.number(|name| recorder.name(name).0))
    }

    #[cold]
    fn switch_to(&mut self, thread: u32) {
        self.thread = thread;
        let name = self.recorder.name("thread");
        self.recorder.record(name, &Action::Thread { thread }, Times::default());
    }

    /// Counts a poll that found nothing shortly after the last one, without recording it.
    pub fn spin(&mut self, name: Name, site: Option<Site>, thread: u32, spun: u64, wall: (u64, u64)) {
        if !self.is_on {
            return;
        }
        let is_same = |spin: &&mut Spin| (spin.name, spin.site, spin.thread) == (name, site, thread);
        if let Some(spin) = self.spins.iter_mut().find(is_same) {
            spin.polls += 1;
            spin.spun += spun;
            spin.wall.1 = wall.1;
        } else {
            self.spins.push(Spin { name, site, thread, polls: 1, spun, wall });
        }
    }

    fn end_spins(&mut self) {
        for Spin { name, site, thread, polls, spun, wall } in std::mem::take(&mut self.spins) {
            if thread != self.thread {
                self.switch_to(thread);
            }
            let (gap, inside) = self.stamps(wall);
            let times = Times { before: 0, gap, inside };
            self.recorder.record_at(name, site, &Action::Spin { polls, spun }, times);
        }
    }

    /// Returns the wall-clock time between the end of the last call of any thread and the beginning
    /// of this one, and the time inside it, in nanoseconds.
    #[inline]
    fn stamps(&mut self, (start, end): (u64, u64)) -> (u64, u64) {
        if !self.has_stamps {
            return (0, 0);
        }
        // Moments are rounded and not differences, whose errors would add up.
        let since_start = |moment: u64| ticks::to_ns(moment.saturating_sub(self.started));
        let last_end = self.last_end;
        let from = since_start(start).max(last_end);
        let to = since_start(end).max(from);
        self.last_end = to;
        (from - last_end, to - from)
    }

    /// Returns whether the program is recorded at the moment.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Switches recording on or off. Returns whether it was on.
    pub fn switch(&mut self, on: bool) -> bool {
        self.end_spins();
        let was_on = std::mem::replace(&mut self.is_on, on && !self.is_stopped);
        if self.is_on {
            self.persistent.record(&mut self.recorder);
        }
        was_on
    }

    /// Drops what was recorded, except for the initialization of MPI, which happens once.
    pub fn start_anew(&mut self) {
        self.spins.clear();
        self.recorder.drop_events();
        let (name, threads) = self.first;
        self.recorder.record(name, &Action::Initialise { threads }, Times::default());
        self.persistent.drop_events();
        self.persistent.record(&mut self.recorder);
        self.thread = 0;
        self.calls = 1;
        self.flush();
    }
}
