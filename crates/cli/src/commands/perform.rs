//! `panto perform`: replays the messages of a trace on threads or MPI.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use panto_report::table::{Column, Table};
use panto_sim::replay::{self, Replay};
use panto_stats::Summary;
use panto_transport::World;
use panto_transport::execute::{self, Execution, Times, makespans};
use panto_transport::mpi::Options;
use serde_json::json;

use super::simulate::{ReadingArgs, load, note_cut, trace_failure};
use crate::failure::Failure;
use crate::format::{Format, TABLE_OR_JSON};
use crate::{mpi, print, program, threads};

/// Replay the messages of a traced program on a real transport.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Perform {
    /// A trace, written by `panto trace`, a GOAL schedule or a time-independent trace.
    trace: PathBuf,

    /// Where to run: `threads` or `mpi` [default: mpi under an MPI launcher, else threads].
    #[arg(long, value_name = "WORLD")]
    on: Option<String>,

    /// Replacement for the computation of the program.
    #[arg(long, value_enum, default_value_t = Computation::Sleep)]
    computation: Computation,

    /// Rules that choose algorithms of collectives: mpich, openmpi, puppet, or a file.
    #[arg(long, value_name = "RULES", default_value = "mpich")]
    rules: String,

    #[command(flatten)]
    reading: ReadingArgs,

    /// Number of runs.
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repetitions: u32,

    /// Warm-up runs, which are not timed; MPI libraries allocate their queues in the first run.
    #[arg(short, long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    warm_up: u32,

    /// Output format.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Format::one_of(TABLE_OR_JSON))]
    format: Format,
}

/// The argument of `--computation`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Computation {
    /// Sleep for the same time; works with fewer cores than ranks.
    Sleep,
    /// Busy-wait for the same time.
    Busy,
    /// No computation, only messages.
    None,
}

const AFTER_HELP: &str = "\
Every message of the trace is sent with its size, to the same rank and in the same order; computation is replaced by sleeping or busy waiting. This measures the communication of a program without the program, and checks a prediction with fewer cores than ranks.

Examples:
  mpirun -n 4 panto perform app.panto                     on an MPI
  mpirun -n 4 panto perform app.panto --computation none  messages only
  mpirun -n 4 panto perform app.panto --warm-up 1 --repetitions 9
  panto perform app.panto --repetitions 20 --format json  on threads
  mpirun -n 4 panto calibrate -o mine.toml                the same run,
  panto simulate app.panto -m mine.toml                   predicted

Collectives are sent as messages, by the algorithms of --rules. One-sided communication, files and non-blocking collectives are not supported; `panto simulate` supports them.";

/// Stall time of the job: a program may compute for long without passing messages.
const STALL_TIME: Duration = Duration::from_secs(24 * 3600);

impl Perform {
    pub fn run(self) -> Result<ExitCode, Failure> {
        match self.on() {
            threads::NAME => {
                let replay = self.replay()?;
                let execution = self.execution(&replay)?;
                self.show(&self.measure(&threads::default_world(), &execution)?);
                Ok(ExitCode::SUCCESS)
            }
            mpi::NAME => {
                let world = mpi::join(&Options {
                    stall_time: STALL_TIME,
                    max_wait: STALL_TIME,
                    ..Options::default()
                })?;
                let outcome = mpi::guarded(|| {
                    let replay = self.replay()?;
                    let times = self.measure(&world, &self.execution(&replay)?)?;
                    if world.is_first() {
                        self.show(&times);
                    }
                    Ok(ExitCode::SUCCESS)
                });
                mpi::end(world, outcome)
            }
            other => Err(Failure::Usage(format!(
                "`--on {other}`: use `{}` or `{}`; for a simulated machine use `panto simulate`",
                threads::NAME,
                mpi::NAME
            ))),
        }
    }

    /// Returns whether all processes of an MPI job take part.
    pub fn is_collective(&self) -> bool {
        self.on() == mpi::NAME
    }

    fn on(&self) -> &str {
        let default = || if mpi::launched().is_some() { mpi::NAME } else { threads::NAME };
        self.on.as_deref().unwrap_or_else(default)
    }

    /// Replays the trace; the machine only provides the rules of collectives.
    fn replay(&self) -> Result<Replay, Failure> {
        let trace = program::open(&self.trace)?;
        let machine = load("loggops", &[format!("collectives.rules={}", self.rules)])?.into_machine();
        let replay = replay::program(&trace, &machine, &self.reading.options())
            .map_err(|error| trace_failure(&trace, &error))?;
        note_cut(&trace, replay.cut.as_ref());
        Ok(replay)
    }

    fn execution<'p>(&self, replay: &'p Replay) -> Result<Execution<'p>, Failure> {
        Execution::new(&replay.program)
            .map_err(|why| Failure::Usage(format!("{} cannot be replayed: {why}", self.trace.display())))
    }

    /// Returns the times of all ranks without warm-up runs, in the first process only.
    fn measure<W: World>(&self, world: &W, execution: &Execution<'_>) -> Result<Times, Failure> {
        let (ranks, most) = (execution.ranks(), world.max_ranks());
        if ranks > most {
            return Err(Failure::Usage(format!(
                "{} has {ranks} ranks, but this job has {most}; use `mpirun -n {ranks} panto perform ...`",
                self.trace.display()
            )));
        }
        let mut times = execute::time(world, execution, self.computation(), self.warm_up + self.repetitions)?;
        times.drain(..times.len().min(self.warm_up as usize));
        Ok(times)
    }

    fn computation(&self) -> execute::Computation {
        match self.computation {
            Computation::Sleep => execute::Computation::Sleep,
            Computation::Busy => execute::Computation::Busy,
            Computation::None => execute::Computation::None,
        }
    }

    fn show(&self, times: &Times) {
        let longest = makespans(times);
        match self.format {
            Format::Json => print::line(json!({ "time_s": longest, "ranks_s": times })),
            _ => self.print(times, &longest),
        }
    }

    fn print(&self, times: &Times, longest: &[f64]) {
        let computation = match self.computation {
            Computation::Sleep => "computation replaced by sleep",
            Computation::Busy => "computation replaced by busy waiting",
            Computation::None => "no computation",
        };
        let before = match self.warm_up {
            0 => String::new(),
            1 => "; 1 warm-up run".to_owned(),
            times => format!("; {times} warm-up runs"),
        };
        print::line(format_args!(
            "{}: {computation}; collectives by {} rules{before}",
            self.trace.display(),
            self.rules
        ));
        let mut table =
            Table::new([Column::right("rank"), Column::number("median"), Column::text("95% interval")]);
        let ranks = times.first().map_or(0, Vec::len);
        for rank in 0..ranks {
            let own: Vec<f64> = times.iter().map(|all| all[rank]).collect();
            table.row(row(&rank.to_string(), &own));
        }
        table.row(row("makespan", longest));
        print::text(table);
    }
}

fn row(name: &str, seconds: &[f64]) -> [String; 3] {
    let Ok(summary) = Summary::of(seconds) else { return [name.into(), "-".into(), String::new()] };
    let interval = match seconds.len() {
        1 => "one run".to_owned(),
        _ => format!(
            "{} .. {}",
            panto_units::time(summary.interval.low),
            panto_units::time(summary.interval.high)
        ),
    };
    [name.into(), panto_units::time(summary.median), interval]
}
