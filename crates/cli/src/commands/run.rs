//! `panto run`: runs an MPI program in the virtual time of a simulated machine.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use clap::{Args, ValueEnum};
use panto_coupling::{Hub, MAX_RANKS};
use panto_launch::{Coverage, Exit, Preload, Target, TracerOptions, trace_name, variables};
use panto_predict::{Case, CoupledFailure, CoupledRun, Traced};
use panto_report::present::RunComputation;
use panto_trace::{Action, RankTrace, key};
use panto_units::Time;

use super::simulate::{CaseArgs, Presentation, Simulate};
use super::trace::{Outcome, TRACER};
use crate::failure::{Failure, INTERRUPTED};
use crate::{interrupt, print, program};

/// Run an unmodified MPI program inside a simulated machine.
#[derive(Args)]
#[command(override_usage = USAGE, after_help = AFTER_HELP)]
pub struct Run {
    /// Machine: a built-in name or a model file.
    #[arg(short, long, value_name = "MACHINE")]
    machine: String,

    /// Computation between calls: measured, none, or a trace whose computation is repeated.
    #[arg(long, value_name = "SOURCE", default_value = "measured")]
    computation: String,

    /// Clocks that show virtual time: all, or MPI's alone (mpi).
    #[arg(long, value_name = "CLOCKS", value_enum, default_value_t = Clocks::All)]
    clocks: Clocks,

    #[command(flatten)]
    case: CaseArgs,

    /// Keep the trace of this run in a file.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    presentation: Presentation,

    /// The command to run, including the MPI launcher.
    #[arg(value_name = "COMMAND", trailing_var_arg = true)]
    words: Vec<OsString>,
}

/// The clocks that show virtual time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Clocks {
    /// MPI's and the system's, and sleeping.
    All,
    /// MPI's.
    Mpi,
}

const USAGE: &str = "panto run [OPTIONS] --machine <MACHINE> -- COMMAND...";

const AFTER_HELP: &str = "\
The ranks are processes on this host, and their MPI moves the data. The simulation decides how long calls take, which message MPI_ANY_SOURCE receives and what MPI_Test finds, and MPI_Wtime and the system's clocks show its time: the program prints what it would print on the machine. The report at the end is that of `panto simulate`.

Examples:
  panto run -m infiniband -- mpirun -n 8 ./app
  panto run -m cm5 --speed 0.002 -- mpirun -n 16 ./app --its options
  panto run -m my.toml --timeline app.ptl -- mpirun -n 4 python3 app.py
  panto run -m my.toml --computation app.panto -- mpirun -n 8 ./app
  panto run -m ethernet10 --computation none -- mpirun -n 2 ./pingpong

With --computation FILE or none every run gives the same result.

Ctrl-C ends the program; the report and the timeline then are of the part until there.

Exit codes: that of the program, or 128 + n if signal n ended it. 1 if the program cannot be run in virtual time, or its ranks are in a deadlock there. 2 if it could not be started.

docs/running.md describes what is simulated, and what is refused.";

/// How long the command waits for the first rank before it looks whether the program has ended.
const PATIENCE: Duration = Duration::from_millis(50);

/// The result of simulating the job.
type Served = Result<(), CoupledFailure>;

/// The shared memory and the times of computation, in a folder that is removed at the end.
struct Workspace {
    folder: tempfile::TempDir,
    hub: Hub,
}

impl Workspace {
    fn new() -> Result<Self, Failure> {
        let shared = Path::new("/dev/shm");
        let parent = if shared.is_dir() { shared.to_owned() } else { std::env::temp_dir() };
        let failed = |error: std::io::Error| Failure::Run(format!("{}: {error}", parent.display()));
        let folder = tempfile::Builder::new().prefix("panto-run-").tempdir_in(&parent).map_err(failed)?;
        let hub = Hub::create(&folder.path().join("memory")).map_err(failed)?;
        Ok(Self { folder, hub })
    }

    fn memory(&self) -> PathBuf {
        self.folder.path().join("memory")
    }
}

impl Run {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let Some(first) = self.words.first() else {
            return Err(Failure::Usage(
                "no command to run; give it after --, as in `panto run -m infiniband -- mpirun -n 4 ./app`"
                    .into(),
            ));
        };
        // Errors of the machine are reported before the program starts.
        let daxpy = self.daxpy()?;
        self.case.case(&self.machine, Traced { ranks: 1, daxpy })?;
        let mut workspace = Workspace::new()?;
        let name = trace_name(&self.words);
        let file = self.output.clone().unwrap_or_else(|| workspace.folder.path().join(&name));
        let target = Target::new(file, self.force)?;
        target.create(self.force)?;
        let mut command = Command::new(first);
        command.args(&self.words[1..]);
        let started = self.start(&target, &mut command, &mut workspace, daxpy);
        let (exit, served) = started.inspect_err(|_| drop(target.clear()))?;
        interrupt::end_without_leftovers()?;
        self.finish(&target, &name, exit, &served)
    }

    /// Starts the command, and simulates while it runs.
    fn start(
        &self,
        target: &Target,
        command: &mut Command,
        workspace: &mut Workspace,
        daxpy: Option<Time>,
    ) -> Result<(Exit, Result<(), Failure>), Failure> {
        let preload = Preload::unpack(TRACER, target.ranks())?;
        let options =
            TracerOptions { clock: panto_launch::Clock::Cpu, stamps: false, call_sites: false, token: false };
        command.envs(variables(&self.words, options, target, &preload));
        command.envs(self.computation_variables(workspace.folder.path())?);
        command.env("PANTO_RUN_COUPLING", workspace.memory());
        command.env("PANTO_RUN_HUB", std::process::id().to_string());
        if let Some(daxpy) = daxpy {
            command.env("PANTO_RUN_DAXPY", daxpy.as_picos().to_string());
        }
        command.env("PANTO_RUN_CLOCKS", if self.clocks == Clocks::All { "all" } else { "mpi" });
        let mut served = Ok(());
        let hub = &mut workspace.hub;
        let exit = panto_launch::run(command, |ended| {
            served = self.serve(hub, daxpy, &ended);
            if let Err(failure) = &served {
                print::alarm(format_args!("panto: {failure}"));
                hub.end();
            }
            // The memory stays until the last rank has ended.
            let _ = ended.recv();
        })?;
        Ok((exit, served))
    }

    /// Simulates the job until its end.
    fn serve(&self, hub: &mut Hub, daxpy: Option<Time>, ended: &Receiver<()>) -> Result<(), Failure> {
        let is_over = AtomicBool::new(false);
        let has_ended = || {
            if let Err(std::sync::mpsc::TryRecvError::Disconnected) = ended.try_recv() {
                is_over.store(true, Ordering::Relaxed);
            }
            is_over.load(Ordering::Relaxed)
        };
        let ranks = loop {
            if let Some(ranks) = hub.ranks() {
                break ranks.min(MAX_RANKS);
            }
            if has_ended() {
                return Ok(());
            }
            hub.wait(PATIENCE, || hub.ranks().is_some());
        };
        let case = self.case.case(&self.machine, Traced { ranks: ranks as usize, daxpy })?;
        let served = serve_on(hub, &case, ranks, has_ended);
        served.or_else(|failure| match failure {
            // The program has failed itself, and its exit code says so.
            CoupledFailure::Ended => Ok(()),
            failure => Err(Failure::Run(failure.to_string())),
        })
    }

    /// Returns the time of an element of a DAXPY on the computer whose computation is simulated:
    /// this one, or that of the trace that is repeated, if it is known.
    fn daxpy(&self) -> Result<Option<Time>, Failure> {
        Ok(match self.computation.as_str() {
            "measured" => Some(Time::from_picos(panto_daxpy::picoseconds_per_element())),
            "none" => None,
            file => Traced::from(&program::open(Path::new(file))?).daxpy,
        })
    }

    /// Returns the ranks' settings of computation; times of a trace are written for them.
    fn computation_variables(&self, folder: &Path) -> Result<Vec<(&'static str, OsString)>, Failure> {
        const SOURCE: &str = "PANTO_RUN_COMPUTATION";
        if ["measured", "none"].contains(&self.computation.as_str()) {
            return Ok(vec![(SOURCE, self.computation.clone().into())]);
        }
        let trace = program::open(Path::new(&self.computation))?;
        for rank in trace.ranks() {
            let path = folder.join(format!("{}.times", rank.rank()));
            let times: Vec<u8> = call_times(rank)?.into_iter().flat_map(u64::to_le_bytes).collect();
            std::fs::write(&path, times)
                .map_err(|error| Failure::Run(format!("{}: {error}", path.display())))?;
        }
        let is_virtual = trace.ranks().iter().all(|rank| rank.metadata().get(key::VIRTUAL) == Some("yes"));
        let sleeps = if is_virtual { "recorded" } else { "apart" };
        Ok(vec![(SOURCE, folder.into()), ("PANTO_RUN_SLEEPS", sleeps.into())])
    }

    /// Combines the trace, and reports the run.
    fn finish(
        &self,
        target: &Target,
        name: &Path,
        exit: Exit,
        served: &Result<(), Failure>,
    ) -> Result<ExitCode, Failure> {
        let keeps = self.output.is_some();
        let combined = Outcome { target, words: &self.words, keep: false }.combine(keeps);
        if served.is_err() {
            return Ok(ExitCode::FAILURE);
        }
        let coverage = match combined {
            Err(failure) if exit.code() != 0 => {
                print::error(format_args!("panto: {failure}"));
                return Ok(ExitCode::from(exit.code()));
            }
            combined => combined?,
        };
        let is_interrupted = coverage != Coverage::Whole && exit.received.interrupt;
        // Of a run that was cut short the user may want what there is.
        if coverage == Coverage::Whole || is_interrupted || self.presentation.timeline.is_some() {
            self.report(target, name)?;
        } else {
            print::note(
                "panto: no report: the program ended before all ranks had called MPI_Finalize; with \
                 --timeline FILE the part before is reported",
            );
        }
        Ok(ExitCode::from(if is_interrupted { INTERRUPTED } else { exit.code() }))
    }

    /// Prints what `panto simulate` does for the trace of this run.
    fn report(&self, target: &Target, name: &Path) -> Result<(), Failure> {
        let Self { machine, case, presentation, output, .. } = self;
        let name = output.clone().unwrap_or_else(|| name.to_owned());
        let computation = match self.computation.as_str() {
            "measured" => RunComputation::Measured,
            "none" => RunComputation::None,
            _ => RunComputation::Repeated,
        };
        Simulate::of_run(target.file(), name, computation, machine, case, presentation).run().map(drop)
    }
}

fn serve_on(hub: &mut Hub, case: &Case, ranks: u32, has_ended: impl Fn() -> bool) -> Served {
    let run = CoupledRun::new(hub, case, ranks);
    run.serve(has_ended, |text| print::note(format_args!("panto: {text}"))).map(drop)
}

/// Returns the computation before each call of a rank, in nanoseconds, without polls that found
/// nothing: another run polls more or less often.
fn call_times(rank: &RankTrace) -> Result<Vec<u64>, Failure> {
    let mut times = Vec::new();
    let mut carried = 0;
    let mut events = rank.events();
    while let Some(event) = events.next()? {
        let before = event.before() + std::mem::take(&mut carried);
        match event.action()? {
            Action::Initialise { .. } => {}
            Action::Spin { .. } | Action::Thread { .. } | Action::Probe { found: false, .. } => {
                carried = before;
            }
            Action::Complete { requests, completed: [], .. } if !requests.is_empty() => carried = before,
            _ => times.push(before),
        }
    }
    Ok(times)
}
