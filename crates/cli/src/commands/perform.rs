//! `panto perform`

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use panto_report::table::{Column, Table};
use panto_schedule::{Collective, Problem};
use panto_sim::replay::{self, Replay};
use panto_stats::Summary;
use panto_trace::Trace;
use panto_transport::mpi::Options;
use panto_transport::perform::{Computation as Spent, Performance, Performer};
use panto_transport::threads::Threads;
use panto_transport::{Buffers, Choice, Mode, NO_COMBINE, Prepared, Tag, Transport, Want, World};
use serde_json::json;

use super::simulate::{ReadingArgs, load, of_trace};
use crate::failure::Failure;
use crate::{mpi, out, threads};

/// Carry out a traced program's messages for real, without the program
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Perform {
    /// What `panto trace` wrote
    trace: PathBuf,

    /// Where to run: `threads` of this process, or the `mpi` whose launcher started it [default: mpi if a launcher started it, or else
    /// threads]
    #[arg(long, value_name = "WORLD")]
    on: Option<String>,

    /// What becomes of the time in which the program computed
    #[arg(long, value_enum, default_value_t = Computation::Sleep)]
    computation: Computation,

    /// What chooses the algorithms of collectives: mpich, openmpi, puppet, or a file
    #[arg(long, value_name = "RULES", default_value = "mpich")]
    rules: String,

    #[command(flatten)]
    reading: ReadingArgs,

    /// How often
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repetitions: u32,

    /// How often before that, without being counted: the first time, an MPI library gets the memory of its queues from the system
    #[arg(short, long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    warm_up: u32,

    /// How to print
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

/// What becomes of computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Computation {
    /// Ranks sleep for so long: cores may be fewer than ranks
    Sleep,
    /// Ranks keep their cores busy for so long
    Busy,
    /// None of it: messages alone
    None,
}

/// How times are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table for people
    Table,
    /// One JSON object
    Json,
}

const AFTER_HELP: &str = "\
Every message goes where it went, as long as it was, in the same order; computation is time that passes. So the machine's share of a
program's time can be measured where the program is not, and a prediction can be checked with fewer cores than ranks.

Examples:
  mpirun -n 4 panto perform app.panto                          on the MPI of that mpirun
  mpirun -n 4 panto perform app.panto --computation none       messages alone
  mpirun -n 4 panto perform app.panto --computation none --warm-up 1 --repetitions 9       the same without the first time's cost
  panto perform app.panto --repetitions 20 --format json       on threads
  mpirun -n 4 panto calibrate -o mine.toml && panto simulate app.panto -m mine.toml        the prediction for the same

Collectives are carried out as messages, by the algorithms of --rules. One-sided communication, files and non-blocking collectives
cannot be carried out; they can be simulated.";

/// The tag of what ranks tell the first one.
const TAG: Tag = 23;
/// A program may compute for long, and nobody passes messages meanwhile.
const LONG: Duration = Duration::from_secs(24 * 3600);

/// Seconds of each rank, for each repetition.
pub type Times = Vec<Vec<f64>>;

impl Perform {
    pub fn run(self) -> Result<ExitCode, Failure> {
        match self.on() {
            threads::NAME => {
                let replay = self.replay()?;
                let performance = self.performance(&replay)?;
                self.show(&self.measure(&Threads::default(), &performance)?);
                Ok(ExitCode::SUCCESS)
            }
            mpi::NAME => {
                let world = mpi::join(&Options { stall_time: LONG, longest_wait: LONG })?;
                let outcome = mpi::guarded(|| {
                    let replay = self.replay()?;
                    let times = self.measure(&world, &self.performance(&replay)?)?;
                    if world.is_first() {
                        self.show(&times);
                    }
                    Ok(ExitCode::SUCCESS)
                });
                mpi::end(world, outcome)
            }
            other => Err(Failure::Usage(format!(
                "`--on {other}`: messages are carried out on `{}` or `{}`; for a machine use `panto simulate`",
                threads::NAME,
                mpi::NAME
            ))),
        }
    }

    /// Do all processes of an MPI job take part?
    pub fn is_for_all(&self) -> bool {
        self.on() == mpi::NAME
    }

    fn on(&self) -> &str {
        let usual = || if mpi::launched().is_some() { mpi::NAME } else { threads::NAME };
        self.on.as_deref().unwrap_or_else(usual)
    }

    /// The machine only says how collectives are expanded.
    fn replay(&self) -> Result<Replay, Failure> {
        let trace = Trace::open(&self.trace)?;
        let machine = load("loggops", &[format!("collectives.rules={}", self.rules)])?.into_machine();
        replay::program(&trace, &machine, &self.reading.options()).map_err(|error| of_trace(&trace, &error))
    }

    fn performance<'p>(&self, replay: &'p Replay) -> Result<Performance<'p>, Failure> {
        Performance::new(&replay.program)
            .map_err(|why| Failure::Usage(format!("{} cannot be carried out: {why}", self.trace.display())))
    }

    /// The times of all ranks; in the first process alone.
    fn measure<W: World>(&self, world: &W, performance: &Performance<'_>) -> Result<Times, Failure> {
        let (ranks, most) = (performance.ranks(), world.most_ranks());
        if ranks > most {
            return Err(Failure::Usage(format!(
                "{} has {ranks} ranks, and here are {most}; start `mpirun -n {ranks} panto perform ...`",
                self.trace.display()
            )));
        }
        let mut times = times(world, performance, self.spent(), self.warm_up + self.repetitions)?;
        times.drain(..times.len().min(self.warm_up as usize));
        Ok(times)
    }

    fn spent(&self) -> Spent {
        match self.computation {
            Computation::Sleep => Spent::Sleep,
            Computation::Busy => Spent::Busy,
            Computation::None => Spent::None,
        }
    }

    fn show(&self, times: &Times) {
        let longest = longest(times);
        match self.format {
            Format::Json => out::line(json!({ "time_s": longest, "ranks_s": times })),
            Format::Table => self.print(times, &longest),
        }
    }

    fn print(&self, times: &Times, longest: &[f64]) {
        let spent = match self.computation {
            Computation::Sleep => "ranks slept while they would have computed",
            Computation::Busy => "ranks kept their cores busy while they would have computed",
            Computation::None => "computation took no time",
        };
        let before = match self.warm_up {
            0 => String::new(),
            1 => "; after one time that is not counted".to_owned(),
            times => format!("; after {times} times that are not counted"),
        };
        out::line(format_args!("{}: {spent}; collectives by {}{before}", self.trace.display(), self.rules));
        let mut table =
            Table::new([Column::right("rank"), Column::number("median"), Column::text("95% interval")]);
        let ranks = times.first().map_or(0, Vec::len);
        for rank in 0..ranks {
            let own: Vec<f64> = times.iter().map(|all| all[rank]).collect();
            table.row(row(&rank.to_string(), &own));
        }
        table.row(row("longest", longest));
        out::text(table);
    }
}

/// The times of all ranks, so many times; in the first process alone. The world has room for them.
pub fn times<W: World>(
    world: &W,
    performance: &Performance<'_>,
    computation: Spent,
    repetitions: u32,
) -> Result<Times, Failure> {
    let told: Vec<Times> = world.run(performance.ranks(), |transport| -> Result<Times, Failure> {
        let mut performer = performance.performer(transport, computation);
        (0..repetitions).map(|_| once(transport, &mut performer)).collect()
    })?;
    Ok(told.into_iter().next().unwrap_or_default())
}

/// Until the last rank ended, each time.
pub fn longest(times: &Times) -> Vec<f64> {
    times.iter().map(|ranks| ranks.iter().copied().fold(0.0, f64::max)).collect()
}

/// Seconds of each rank, on the first one.
fn once<T: Transport>(transport: &T, performer: &mut Performer<'_, T>) -> Result<Vec<f64>, Failure> {
    let problem = Problem { collective: Collective::Barrier, ranks: transport.size(), root: 0, count: 0 };
    let mut barrier = Prepared::new(transport, problem, 1, Choice::Library)?;
    performer.prepare();
    barrier.run(transport, Buffers { input: &[], output: &mut [], element: 1, combine: NO_COMBINE })?;
    let start = transport.now();
    performer.perform()?;
    let own = transport.now().since(start).as_secs();
    if transport.rank() > 0 {
        transport.send(Mode::Standard, &own.to_le_bytes(), 0, TAG)?;
        return Ok(Vec::new());
    }
    let mut times = vec![own];
    for rank in 1..transport.size() {
        let mut bytes = [0; 8];
        transport.receive(&mut bytes, Want::new(rank, TAG))?;
        times.push(f64::from_le_bytes(bytes));
    }
    Ok(times)
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
