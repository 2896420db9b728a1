//! The beginning and the end of a program.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{SystemTime, UNIX_EPOCH};

use panto_trace::{Action, Facts, Head, Recorder, Times, key, stream_start};

use crate::comms::Origin;
use crate::library::{self, Mpi};
use crate::local;
use crate::output::Output;
use crate::rank::{self, Rank};
use crate::say::say;
use crate::settings::{Measure, Settings};
use crate::ticks::Calibration;
use crate::{clock, flush, ticks, token};

/// Starts MPI by its own function, and then the recording.
pub fn start(name: &str, real: impl FnOnce() -> c_int, threads: impl FnOnce() -> u32) -> c_int {
    let Some(settings) = Settings::from_environment() else { return real() };
    // One name of the function may be made of another: `MPI_Init` of `PMPI_Init`, by a library between here and MPI.
    if rank::is_recording() || local::with(|local| local.is_inside()) {
        return real();
    }
    let calibration = Calibration::start();
    let before = clock::thread_ns();
    local::with(local::Local::go_in);
    let start = ticks::now();
    let code = real();
    let inside = ticks::now().saturating_sub(start);
    if code == 0 {
        calibration.end();
        let begun = catch_unwind(AssertUnwindSafe(|| begin(&settings, name, threads(), before, inside)));
        if let Err(why) = begun.unwrap_or_else(|_| Err("an error in the tracer; please report it".into())) {
            say(format_args!("nothing is recorded, the program goes on: {why}"));
        }
    }
    local::with(local::Local::leave);
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
    local::with(|local| {
        local.begin_first();
        clock::settle(settings, own_ticks(local));
    });
    let head = Head { is_whole: false, rank: number, ranks: size };
    output
        .append(&stream_start(head, &facts(settings, mpi)))
        .map_err(|error| format!("{}: {error}", output.path().display()))?;
    if settings.has_token && threads > FUNNELED {
        say(
            "no compute tokens: a thread that waits in MPI would keep another's; they are for programs with one calling thread",
        );
    } else if settings.has_token {
        token::begin(&settings.folder, number).map_err(|error| format!("the compute token: {error}"))?;
    }
    let mut recorder = Recorder::new(settings.has_stamps);
    let first = recorder.name(name);
    recorder.record(
        first,
        &Action::Initialise { threads },
        Times { before, gap: 0, inside: ticks::to_ns(inside) },
    );
    let mut rank = Rank::new(mpi, recorder, output, (first, threads));
    define_worlds(&mut rank);
    // SAFETY: both functions are of this library, which stays loaded.
    unsafe {
        libc::atexit(at_exit);
        libc::pthread_atfork(None, None, Some(in_child));
    }
    rank::begin(rank);
    // Without this thread a rank that hangs loses its last block; all else works.
    let _ = flush::start();
    Ok(())
}

/// The level at which one thread alone calls MPI.
const FUNNELED: u32 = 1;

/// The two communicators that are always there come first.
fn define_worlds(rank: &mut Rank) {
    let constants = rank.mpi.constants;
    for (name, handle) in [("MPI_COMM_WORLD", constants.comm_world), ("MPI_COMM_SELF", constants.comm_self)] {
        let made_by = rank.recorder.name(name);
        let origin = Origin { made_by, parent: None, ordinal: 0, tag: 0 };
        rank.comms.define(handle, origin, rank.mpi, &mut rank.recorder);
    }
}

fn facts(settings: &Settings, mpi: &Mpi) -> Facts {
    let mut facts = Facts::default();
    let program = std::fs::read_link("/proc/self/exe").unwrap_or_default();
    facts.set(key::PROGRAM, &program.display());
    facts.set(key::HOST, &token::host());
    if let Some(cores) = cores() {
        facts.set(key::CORES, &cores);
    }
    facts.set(key::MPI, &mpi.version());
    facts.set(key::ABI, &mpi.abi);
    facts.set(key::CLOCK, if settings.measure == Measure::Cpu { "cpu" } else { "wall" });
    facts.set(key::METHOD, &method(settings.measure));
    facts.set(key::TOKEN, if settings.has_token { "yes" } else { "no" });
    facts.set(key::SUBTRACTED, &ticks::to_ns(clock::get().own_ticks));
    facts.set(key::VERSION, env!("CARGO_PKG_VERSION"));
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    facts.set(key::STARTED, &since.as_nanos());
    facts
}

/// The cores that this process may use, as the kernel lists them.
fn cores() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    Some(list.trim().to_owned())
}

fn method(measure: Measure) -> String {
    let has_flag = local::with(|local| local.watch.has_flag());
    let when = match (measure, has_flag) {
        (Measure::Wall, _) => "",
        (Measure::Cpu, true) => ", and the thread's CPU clock where the kernel took the core away",
        (Measure::Cpu, false) => ", and the thread's CPU clock around blocks of more than 2 us",
    };
    format!("{}{when}", ticks::name())
}

/// The tracer's own part in a block of computation: from the last look at the clock in one call to the first in the next.
fn own_ticks(local: &mut local::Local) -> u64 {
    const TRIES: usize = 1_000;
    const MOST_NS: u64 = 100;
    let mut once = || {
        local.watch.leave();
        ticks::now() - local.watch.left()
    };
    let least = (0..TRIES).map(|_| once()).min().unwrap_or(0);
    // More than this is not the tracer's, but another's that disturbed all of them.
    if ticks::to_ns(least) > MOST_NS { 0 } else { least }
}

extern "C" fn at_exit() {
    rank::end(Some("the program ended without MPI_Finalize"));
}

unsafe extern "C" fn in_child() {
    rank::forget();
}
