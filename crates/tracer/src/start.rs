//! The beginning and the end of recording.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{SystemTime, UNIX_EPOCH};

use panto_counter::Refusal;
use panto_trace::{Action, Head, Metadata, Recorder, Times, key, stopped, stream_start};

use crate::call_sites::CallSites;
use crate::library::{self, Mpi};
use crate::message::warn;
use crate::output::Output;
use crate::rank::{self, Rank};
use crate::settings::{ComputeTime, Settings};
use crate::thread_state::{self, ThreadState};
use crate::ticks::Calibration;
use crate::{clock, compute_token, flush, live, ticks};
use panto_recording::Origin;

/// Calls MPI's own function that initializes it, and then begins to record.
pub fn start(name: &str, real: impl FnOnce() -> c_int, threads: impl FnOnce() -> u32) -> c_int {
    let Some(settings) = Settings::from_environment() else { return real() };
    // One name of the function may call the other: `MPI_Init` may call `PMPI_Init`, by a library
    // between this one and MPI.
    if rank::is_recording() || thread_state::with(|local| local.is_inside()) {
        return real();
    }
    let calibration = Calibration::start();
    let before = clock::thread_ns();
    thread_state::with(ThreadState::enter_mpi);
    let start = ticks::now();
    let code = real();
    let inside = ticks::now().saturating_sub(start);
    if code == 0 {
        calibration.end();
        let begun = catch_unwind(AssertUnwindSafe(|| begin(&settings, name, threads(), before, inside)));
        if let Err(why) =
            begun.unwrap_or_else(|_| Err("internal error in the tracer; please report it".into()))
        {
            if settings.live.is_some() {
                not_coupled(&why);
            }
            warn(format_args!("nothing is recorded: {why}; the program continues"));
        }
    }
    thread_state::with(ThreadState::leave);
    code
}

fn begin(settings: &Settings, name: &str, threads: u32, before: u64, inside: u64) -> Result<(), String> {
    let mpi = library::get()?;
    let world = mpi.constants.comm_world;
    let (number, size) = (mpi.rank(world), mpi.size(world));
    if mpi.is_spawned() {
        return Err("this process was started by another MPI program, which is recorded".into());
    }
    let mut output = Output::create(&settings.folder, number)?;
    let daxpy = daxpy(settings);
    let refusal = thread_state::with(|local| begin_clocks(settings, local));
    let (started, monotonic) = ticks::with_monotonic();
    let head = Head { is_whole: false, rank: number, ranks: size, has_call_sites: settings.has_call_sites };
    let mut metadata = metadata(settings, mpi, monotonic);
    if let Some(refusal) = refusal {
        metadata.set(key::NOT_COUNTED, &refusal);
        metadata.set(key::METHOD, &format!("{}; instructions are not counted", method(ComputeTime::Cpu)));
    }
    if let Some(daxpy) = daxpy {
        metadata.set(key::DAXPY, &daxpy);
    }
    output
        .append(&stream_start(head, &metadata))
        .map_err(|error| format!("{}: {error}", output.path().display()))?;
    if settings.has_token && threads > FUNNELED {
        warn(
            "no compute tokens: a thread that waits in MPI would keep another's; they are for programs with one calling thread",
        );
    } else if settings.has_token {
        compute_token::begin(&settings.folder, number)
            .map_err(|error| format!("the compute token: {error}"))?;
    }
    let threads = if settings.live.is_some() { threads.min(SERIALIZED) } else { threads };
    let mut recorder = Recorder::new(settings.has_stamps);
    let first = recorder.name(name);
    recorder.record(
        first,
        &Action::Initialise { threads },
        Times { before, gap: 0, inside: ticks::to_ns(inside) },
    );
    let mut rank = Rank::new(mpi, recorder, output, (first, threads), started);
    rank.call_sites = settings.has_call_sites.then(CallSites::default);
    define_worlds(&mut rank);
    if let Some(live) = &settings.live {
        rank.live = Some(live::begin(live, number, size)?);
    }
    // SAFETY: both functions belong to this library, which stays loaded.
    unsafe {
        libc::atexit(at_exit);
        libc::pthread_atfork(None, None, Some(in_child));
    }
    rank::begin(rank);
    // Without this thread a rank that hangs loses its last block; all else works.
    let _ = flush::start();
    Ok(())
}

/// Starts the clocks of the first thread, and finds out what they cost. Returns why events are not
/// counted, if they should be; computation is measured by CPU time then.
fn begin_clocks(settings: &Settings, local: &mut ThreadState) -> Option<Refusal> {
    local.begin_first();
    let own_ticks = own_ticks(local);
    let refusal = match settings.measure {
        ComputeTime::Counted(event) => local.watch.count(event).err(),
        ComputeTime::Cpu | ComputeTime::Wall => None,
    };
    let measure = if refusal.is_some() { ComputeTime::Cpu } else { settings.measure };
    clock::settle(measure, settings.has_stamps, own_ticks, own_events(local));
    refusal
}

/// Ends a process that cannot take part in a run in virtual time: the simulation would wait for it,
/// or it would print times of this host.
fn not_coupled(why: &str) -> ! {
    warn(format_args!("cannot run in virtual time: {why}"));
    std::process::exit(1)
}

/// `MPI_THREAD_FUNNELED`: only one thread calls MPI.
const FUNNELED: u32 = 1;

/// `MPI_THREAD_SERIALIZED`: calls of threads do not overlap. In virtual time they never do.
const SERIALIZED: u32 = 2;

/// Defines the two predefined communicators, which are numbers 0 and 1 of every trace.
fn define_worlds(rank: &mut Rank) {
    let constants = rank.mpi.constants;
    for (name, handle) in [("MPI_COMM_WORLD", constants.comm_world), ("MPI_COMM_SELF", constants.comm_self)] {
        let made_by = rank.recorder.name(name);
        let origin = Origin { made_by, parent: None, ordinal: 0, tag: 0 };
        rank.comms.define(handle, origin, rank.mpi, &mut rank.recorder);
    }
}

fn metadata(settings: &Settings, mpi: &Mpi, monotonic: u64) -> Metadata {
    let mut metadata = Metadata::default();
    let program = std::fs::read_link("/proc/self/exe").unwrap_or_default();
    metadata.set(key::PROGRAM, &program.display());
    metadata.set(key::HOST, &compute_token::host());
    if let Some(cores) = cores() {
        metadata.set(key::CORES, &cores);
    }
    metadata.set(key::MPI, &mpi.version());
    metadata.set(key::ABI, &mpi.abi);
    let clock = clock::get();
    metadata.set(key::CLOCK, clock.measure.name());
    metadata.set(key::METHOD, &method(clock.measure));
    metadata.set(key::TOKEN, if settings.has_token { "yes" } else { "no" });
    if settings.live.is_some() {
        metadata.set(key::VIRTUAL, "yes");
    }
    metadata.set(key::SUBTRACTED, &ticks::to_ns(clock.own_ticks));
    if let ComputeTime::Counted(_) = clock.measure {
        metadata.set(key::SUBTRACTED_EVENTS, &clock.own_events);
    }
    metadata.set(key::VERSION, env!("CARGO_PKG_VERSION"));
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    metadata.set(key::STARTED, &since.as_nanos());
    metadata.set(key::MONOTONIC_START, &monotonic);
    metadata
}

/// Returns the time of an element of a DAXPY on this host, in picoseconds. A run in virtual time
/// has one figure for all ranks.
fn daxpy(settings: &Settings) -> Option<u64> {
    match &settings.live {
        Some(live) => live.daxpy,
        None => Some(panto_daxpy::picoseconds_per_element()),
    }
}

/// Returns the cores that this process may use, as the kernel lists them.
fn cores() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    Some(list.trim().to_owned())
}

fn method(measure: ComputeTime) -> String {
    let has_flag = thread_state::with(|local| local.watch.has_flag());
    let when = match (measure, has_flag) {
        (ComputeTime::Wall, _) => "",
        (_, true) => ", and the thread's CPU clock where the kernel took the core away",
        (_, false) => ", and the thread's CPU clock around blocks of more than 2 us",
    };
    let prefix = if let ComputeTime::Counted(_) = measure { "calibrated by " } else { "" };
    format!("{prefix}{}{when}", ticks::name())
}

/// Returns the ticks of the tracer in a block of computation: from the last reading of the clock in
/// one call to the first in the next.
fn own_ticks(local: &mut ThreadState) -> u64 {
    const TRIES: usize = 1_000;
    const MOST_NS: u64 = 100;
    let mut once = || {
        local.watch.leave();
        ticks::now() - local.watch.left()
    };
    let least = (0..TRIES).map(|_| once()).min().unwrap_or(0);
    // A larger minimum is not the tracer's own time, but interference with all readings.
    if ticks::to_ns(least) > MOST_NS { 0 } else { least }
}

/// Returns the counted events of the tracer in a block of computation, 0 if none are counted. The
/// minimum counts, because interference only adds to it.
fn own_events(local: &mut ThreadState) -> u64 {
    const TRIES: usize = 1_000;
    let mut once = || {
        local.watch.leave();
        std::hint::black_box(local.watch.elapsed(ticks::after_all_before()));
        local.watch.counting.events()
    };
    (0..TRIES).map_while(|_| once()).min().unwrap_or(0)
}

extern "C" fn at_exit() {
    rank::end(Some(stopped::EXITED));
}

unsafe extern "C" fn in_child() {
    rank::forget();
}
