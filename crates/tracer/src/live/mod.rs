//! `panto run`: the program runs in the virtual time of a simulated machine.
//!
//! The real MPI moves the bytes; the simulation, in another process, decides time and order. Each
//! call is *reported* to the simulation through shared memory ([`panto_coupling`]), and where the
//! program must know what the simulation decides, the rank *asks* and waits for the reply: the
//! time, what a wildcard matches, whether a request is complete.
//!
//! *Invariant*: a rank never blocks in the real MPI for something that the simulation does not make
//! it wait for as well. Otherwise the simulation could wait for the next call of a rank that itself
//! waits for a rank whose question the simulation has not answered. So:
//!
//! - A call that may block is reported before it is made ([`plan`](mod@plan)).
//! - A send is made from a copy of its data, and its real request is hidden (`point`): it completes
//!   when the simulation says so, whatever the real MPI needs.
//! - A receive with wildcards is made when the simulation has chosen its source and tag, and so is
//!   one from a named source while a pending one with wildcards might take its message. Until then
//!   the program has a generalized request in its place (`placeholder`).
//! - Collectives with a root, and scans, are made of hidden messages (`rooted`), since the real
//!   ones may synchronise ranks that need not wait. In the others no rank completes before all have
//!   called, in both worlds; they are started non-blocking.
//! - Threads take turns ([`turn`]): a rank is in one call at a time.
//! - A rank that waits yields the core, because ranks outnumber cores, and drives MPI's progress.
//!
//! What cannot be run in this way is refused by its name, and the job ends.

mod calls;
mod clock;
mod complete;
mod computation;
mod data;
mod persistent;
mod placeholder;
mod plan;
mod point;
mod real;
mod rooted;
mod system_clocks;
pub mod turn;
mod waiting;

pub use calls::{abort, finalise, prepared, recorded, traced};
pub use complete::{Completion, complete};
pub use placeholder::ReceiveArguments;
pub use plan::{CachedPlan, Plan};
pub use point::{SendArguments, exchange, probe, receive};
pub use system_clocks::real_time;

use std::ffi::c_int;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use panto_coupling::message::{self, Kind, Question, Reply};
use panto_coupling::{Ended, RankEnd, Watch};
use panto_trace::{Action, Name, Recorder};

use crate::function::Function;
use crate::message::warn;
use crate::rank::{self, Rank};
use computation::Computation;
use data::HiddenSends;
use placeholder::DeferredReceives;

static IS_ON: AtomicBool = AtomicBool::new(false);

/// Where ranks that wait in the real MPI see that the run is over.
static WATCH: OnceLock<Watch> = OnceLock::new();

/// How long a rank waits for a reply before it drives MPI's progress, at first and at most: another
/// rank may wait in the real MPI for data that this one sends.
const PROGRESS: (Duration, Duration) = (Duration::from_micros(200), Duration::from_millis(5));

/// How long a rank waits for its end, after the run is over, before it ends itself: the launcher
/// may end all ranks first.
const GRACE: Duration = Duration::from_millis(200);

/// Settings of a run, by environment variables that `panto run` sets.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The shared memory.
    pub memory: PathBuf,
    /// The process of the simulation.
    pub hub: u32,
    /// `measured`, `none`, or the folder with the computation of each rank.
    pub computation: String,
    /// Whether computation that is repeated from a trace contains the program's sleeps.
    pub has_sleeps: bool,
    /// The time of an element of a DAXPY, in picoseconds, by which computation is scaled.
    pub daxpy: Option<u64>,
    /// Whether the system's clocks are in virtual time, too.
    pub has_system_clocks: bool,
}

/// The rank's end of the run.
pub struct Live {
    end: RankEnd,
    words: Vec<u64>,
    values: Vec<i64>,
    computation: Computation,
    /// The thread that calls.
    thread: u32,
    /// What each other thread has reported since its last call.
    others: Vec<Since>,
    /// The function that the rank is in.
    site: Option<&'static Function>,
    is_wide: bool,
    /// The measured computation before the current call, in nanoseconds.
    measured: u64,
    /// Whether the current call was reported.
    is_reported: bool,
    /// What the thread has reported since its last call.
    since: Since,
    /// Whether the current call is a poll that found nothing.
    is_failed_poll: bool,
    /// What the current call returns, if it was carried out here.
    outcome: Option<c_int>,
    hidden: HiddenSends,
    deferred: DeferredReceives,
    persistent: persistent::PersistentReceives,
    clock: clock::VirtualClock,
}

/// What a thread has reported since its last call.
#[derive(Debug, Clone, Copy, Default)]
struct Since {
    /// The computation that was reported already, in nanoseconds.
    reported_ns: u64,
    /// Time that passed because the program waited for it, in nanoseconds.
    passed_ns: u64,
}

/// Returns whether the program runs in virtual time.
#[inline]
pub fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// Couples a rank to the simulation.
pub fn begin(settings: &Settings, rank: u32, ranks: u32) -> Result<Box<Live>, String> {
    let end = RankEnd::attach(&settings.memory, rank, ranks, settings.hub).map_err(|error| {
        let memory = settings.memory.display();
        format!("{memory}: {error}; all ranks must be on the host of `panto run`")
    })?;
    let computation = Computation::new(&settings.computation, settings.has_sleeps, rank)?;
    let watch =
        Watch::open(&settings.memory, rank, ranks, settings.hub).map_err(|error| error.to_string())?;
    WATCH.get_or_init(|| watch);
    IS_ON.store(true, Ordering::Relaxed);
    if settings.has_system_clocks {
        system_clocks::begin();
    }
    Ok(Box::new(Live {
        end,
        words: Vec::new(),
        values: Vec::new(),
        computation,
        thread: 0,
        others: Vec::new(),
        site: None,
        is_wide: false,
        measured: 0,
        is_reported: false,
        since: Since::default(),
        is_failed_poll: false,
        outcome: None,
        hidden: HiddenSends::default(),
        deferred: DeferredReceives::default(),
        persistent: persistent::PersistentReceives::default(),
        clock: clock::VirtualClock::default(),
    }))
}

impl Live {
    /// Returns the computation before the current call, in nanoseconds.
    pub fn before(&self) -> u64 {
        // Another run may have polled more or less often.
        if self.is_failed_poll && !self.computation.is_measured() {
            return self.since.passed_ns;
        }
        self.computation.before_call(self.measured, self.since.passed_ns)
    }

    /// A thread calls, or reads the clock.
    fn switch_to(&mut self, thread: u32) {
        if thread == self.thread {
            return;
        }
        let last = thread.max(self.thread) as usize;
        if self.others.len() <= last {
            self.others.resize(last + 1, Since::default());
        }
        self.others[self.thread as usize] = self.since;
        self.since = self.others[thread as usize];
        self.thread = thread;
    }

    /// Returns the computation before a call, given the measured one.
    pub fn before_call(&mut self, measured: u64) -> u64 {
        self.measured = measured;
        self.before()
    }

    /// Returns whether the current call was reported.
    pub fn is_reported(&self) -> bool {
        self.is_reported
    }

    /// Reports a call, after what it refers to.
    pub fn report(&mut self, recorder: &mut Recorder, name: Name, action: &Action<'_>, before: u64) {
        self.define(recorder);
        self.values.clear();
        let constants = action.split(&mut self.values);
        let kind = action.kind();
        let computed = before.saturating_sub(std::mem::take(&mut self.since.reported_ns));
        self.words.clear();
        self.words.extend([u64::from(name.0), kind as u64, computed]);
        let constants = &constants[..kind.constants()];
        self.words.extend(constants.iter().chain(&self.values).map(|part| *part as u64));
        self.is_reported = true;
        self.send(Kind::Call);
    }

    /// Reports definitions that were made since the last time.
    pub fn define(&mut self, recorder: &mut Recorder) {
        let chunks = recorder.new_definitions().chunks(message::MAX_WORDS * 4).map(<[u8]>::to_vec);
        for chunk in chunks.collect::<Vec<_>>() {
            self.words.clear();
            message::put_bytes(&mut self.words, &chunk);
            self.send(Kind::Define);
        }
    }

    /// Reports that the rank waits for others in a call that it can describe only afterwards.
    fn hold(&mut self, recorder: &mut Recorder) {
        self.define(recorder);
        self.report_computation(self.before());
        self.words.clear();
        self.send(Kind::Hold);
    }

    /// Reports computation before its call is made, so that the clock includes it.
    fn report_computation(&mut self, before: u64) {
        let computed = before.saturating_sub(self.since.reported_ns);
        if computed > 0 {
            self.since.reported_ns = before;
            self.words.clear();
            self.words.push(computed);
            self.send(Kind::Compute);
        }
    }

    /// Lets time pass before the next call, as if the program computed.
    fn pass(&mut self, nanos: u64) {
        if nanos > 0 {
            self.since.passed_ns += nanos;
            self.since.reported_ns += nanos;
            self.words.clear();
            self.words.push(nanos);
            self.send(Kind::Compute);
        }
    }

    fn send(&mut self, kind: Kind) {
        if self.words.len() > message::MAX_WORDS {
            self.refuse("its lists of requests or lengths are too long for virtual time");
        }
        let sent = self.end.report(kind, &self.words);
        sent.unwrap_or_else(|Ended| leave());
    }

    /// Asks, and waits for the reply; makes the receives whose messages it names.
    fn ask(&mut self, recorder: &mut Recorder, question: &Question) -> Reply {
        self.define(recorder);
        self.words.clear();
        question.put(&mut self.words);
        self.send(Kind::Ask);
        self.words.clear();
        let (mut timeout, longest) = PROGRESS;
        loop {
            match self.end.reply(&mut self.words, Some(timeout)) {
                Ok(true) => break,
                // While sends complete, others wait for the next.
                Ok(false) if turn::is_refused() => self.refuse(turn::OVERLAP),
                Ok(false) if self.hidden.progress() => timeout = PROGRESS.0,
                Ok(false) => timeout = (timeout * 2).min(longest),
                Err(Ended) => leave(),
            }
        }
        let Some(reply) = message::take_reply(&self.words) else {
            self.refuse("too many requests complete at once for virtual time")
        };
        self.clock.set(reply.clock.as_picos());
        self.deferred.resolve(&reply.matches);
        reply
    }

    /// The call is recorded: what follows belongs to the next one.
    pub fn finish_call(&mut self) {
        self.computation.used();
        self.clock.called();
        (self.is_reported, self.since) = (false, Since::default());
    }

    /// A poll that found nothing was reported, and is not recorded as a call.
    pub fn finish_poll(&mut self) {
        (self.is_reported, self.since) = (false, Since::default());
    }

    /// Returns a count of the current call, which must fit an `int`.
    fn count(&mut self, word: usize) -> usize {
        let count = if self.is_wide { word as i64 } else { i64::from(word as c_int) };
        if count > i64::from(c_int::MAX) {
            self.refuse("messages of 2^31 elements and more cannot run in virtual time");
        }
        count.max(0) as usize
    }

    /// Warns if the computation was recorded in a run with other calls.
    fn check_computation(&self) {
        if let Some((made, recorded)) = self.computation.difference() {
            warn(format_args!(
                "this rank makes {made} calls, and the trace of --computation has {recorded}: it is of \
                 another run, and computation that it lacks is none"
            ));
        }
    }

    /// Ends the run, because the current call cannot be run in virtual time.
    pub fn refuse(&mut self, why: &str) -> ! {
        let name = self.site.map_or("MPI", Function::name);
        self.words.clear();
        message::put_bytes(&mut self.words, format!("{name}: {why}").as_bytes());
        let _ = self.end.report(Kind::Refuse, &self.words);
        leave()
    }
}

/// Ends this process if the run is over.
fn leave_if_over() {
    if WATCH.get().is_some_and(Watch::is_over) {
        leave();
    }
}

/// Waits for the end of a job whose run is over, and ends this process if nothing else does.
fn leave() -> ! {
    std::thread::sleep(GRACE);
    loop {
        // SAFETY: this system call has one argument, and does not return.
        unsafe { libc::syscall(libc::SYS_exit_group, 1) };
    }
}

/// Runs a function on the rank's end of the run. There is one while the program runs in virtual
/// time.
fn with<T>(body: impl FnOnce(&mut Rank, &mut Live) -> T) -> T {
    let done = rank::with(|rank| {
        let mut live = rank.live.take()?;
        let done = body(rank, &mut live);
        rank.live = Some(live);
        Some(done)
    });
    done.flatten().unwrap_or_else(|| leave())
}
