//! `panto balance`: searches for a mapping of ranks to processors.

mod monitor;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use panto_predict::balance::{BalanceResult, Effort, Scheme, Task, balance};
use panto_predict::{Case, Mapping, TRACED_COMPUTER, Traced, map_file};
use panto_report::present::BalanceReport;
use panto_sim::RunError;
use panto_sim::replay::Replay;
use panto_trace::Trace;
use panto_transport::threads::cores;

use crate::commands::simulate::{self, CaseArgs};
use crate::count::{MOST_RUNS, MOST_STEPS, count};
use crate::failure::{Failure, INTERRUPTED};
use crate::format::{Format, TABLE_OR_JSON};
use crate::{files, print, program};
use monitor::Progress;

/// Search for a better mapping of ranks to processors.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Balance {
    /// A trace, written by `panto trace`, a GOAL schedule or a time-independent trace.
    trace: PathBuf,

    /// Machine: a built-in name or a model file.
    #[arg(short, long, value_name = "MACHINE")]
    machine: String,

    #[command(flatten)]
    case: CaseArgs,

    /// Search scheme.
    #[arg(long, value_enum, default_value_t = SchemeChoice::All)]
    scheme: SchemeChoice,

    /// Attempts per scheme, each from a random mapping.
    #[arg(long, value_name = "N", default_value = "8", value_parser = count(1, MOST_RUNS))]
    attempts: usize,

    /// Steps of each annealing attempt [default: 100 per rank, fewer if the time limit requires
    /// it].
    #[arg(long, value_name = "N", value_parser = count(0, MOST_STEPS))]
    steps: Option<usize>,

    /// Random seed.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Stop after this time, such as 10min, and keep the best mapping so far.
    #[arg(short = 't', long, value_name = "TIME", default_value = "60s", value_parser = panto_units::parse_time, allow_hyphen_values = true)]
    time_limit: Duration,

    /// Write the best mapping to this file, for --map.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Print every improvement of an annealing attempt, not only the last.
    #[arg(long)]
    all_steps: bool,

    /// Output format.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Format::one_of(TABLE_OR_JSON))]
    format: Format,
}

/// The argument of `--scheme`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SchemeChoice {
    /// PUPPET's scheme: move ranks from the busiest to the least busy processor until a mapping
    /// repeats.
    Puppet,
    /// Balance computation, then shorten the critical path.
    Greedy,
    /// Simulated annealing.
    Anneal,
    /// All three schemes.
    All,
}

const AFTER_HELP: &str = "\
Each mapping is evaluated by simulation. Mappings are ranked by predicted time, ties by load balance. The same seed gives the same result unless the time limit ends the search.

Examples:
  panto balance app.panto -m ethernet10 --processors 9 -o best.map
  panto simulate app.panto -m ethernet10 --processors 9 --map best.map
  panto balance app.panto -m my.toml --scheme puppet --attempts 3
  panto balance app.panto -m cm5 --scheme anneal --attempts 100 -t 10min";

/// Default steps of an annealing attempt, per rank.
const STEPS_PER_RANK: usize = 100;
/// Lower bound of the default steps of an annealing attempt.
const MIN_DEFAULT_STEPS: usize = 400;
/// Steps of an annealing attempt even if the time limit is too short for them.
const MIN_STEPS: usize = 20;
/// Maximum number of simulations timed to estimate the affordable number of steps.
const TIMED_SIMULATIONS: usize = 3;

impl Balance {
    pub fn run(self) -> Result<ExitCode, Failure> {
        if let Some(output) = &self.output {
            files::refuse_overwrite(&self.trace, output)?;
        }
        let trace = program::open(&self.trace)?;
        let (model, options) = (self.case.model(&self.machine)?, self.case.options()?);
        let case = Case::new(model.clone(), &trace, &options)?;
        if let Some(note) = case.old_speed(TRACED_COMPUTER) {
            print::note(format_args!("panto: {note}"));
        }
        let replay = simulate::read(&trace, &case, &self.case, false)?;
        let task = Task::new(&replay.program, Traced::from(&trace).daxpy, model, &options)?;
        let baselines = baselines(&task, &options.mapping)?;
        let effort =
            self.effort(&task, &baselines[0].1).map_err(|error| self.run_failure(&error, &replay))?;
        let progress = Progress::new(self.time_limit, planned(&effort))?;
        let found = balance(&task, &baselines, &effort, &progress);
        progress.clear();
        let found = found.map_err(|error| self.run_failure(&error, &replay))?;
        self.show(&found, &trace, &replay, &case, &effort)?;
        self.notes(&found, &effort, &progress, default_steps(&task));
        Ok(if progress.is_interrupted() { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
    }

    fn run_failure(&self, error: &RunError, replay: &Replay) -> Failure {
        Failure::Usage(format!("{}: {}", self.trace.display(), error.describe(&replay.program)))
    }

    /// Returns the schemes and the number of attempts and steps.
    fn effort(&self, task: &Task, places: &[u32]) -> Result<Effort, RunError> {
        let schemes = match self.scheme {
            SchemeChoice::Puppet => vec![Scheme::Puppet],
            SchemeChoice::Greedy => vec![Scheme::Greedy],
            SchemeChoice::Anneal => vec![Scheme::Anneal],
            SchemeChoice::All => Scheme::ALL.to_vec(),
        };
        let attempts = self.attempts;
        let default = default_steps(task);
        let steps = match self.steps {
            Some(steps) => steps,
            None => default.min(self.affordable(task, places, default)?),
        };
        Ok(Effort { schemes, attempts, steps, seed: self.seed })
    }

    /// Returns the steps of an annealing attempt that fit into the time limit. Several simulations
    /// are timed, because a single one may be disturbed.
    fn affordable(&self, task: &Task, places: &[u32], default: usize) -> Result<usize, RunError> {
        let rounds = self.attempts.div_ceil(cores().len().max(1)) as f64;
        let mut most = MIN_STEPS;
        for _ in 0..TIMED_SIMULATIONS {
            let start = Instant::now();
            task.evaluate(places)?;
            let each = start.elapsed().as_secs_f64().max(1e-9);
            most = most.max((self.time_limit.as_secs_f64() / each / rounds) as usize);
            if most >= default {
                break;
            }
        }
        Ok(most)
    }

    fn show(
        &self,
        found: &BalanceResult,
        trace: &Trace,
        replay: &Replay,
        case: &Case,
        effort: &Effort,
    ) -> Result<(), Failure> {
        let report = BalanceReport { found, trace, replay, case, effort, all_steps: self.all_steps };
        match self.format {
            Format::Json => print::line(report.json()),
            _ => print::text(report.text()),
        }
        if let (Some(path), Some((best, _))) = (&self.output, found.best()) {
            files::replace(path, map_file(&best.places, &report.map_comments(best)))?;
            print::note(format_args!("wrote {}", path.display()));
        }
        Ok(())
    }

    /// Prints what the time limit cut short.
    fn notes(&self, found: &BalanceResult, effort: &Effort, progress: &Progress, default: usize) {
        let cut = effort.schemes.contains(&Scheme::Anneal) && self.steps.is_none() && effort.steps < default;
        if cut {
            let steps = effort.steps;
            print::note(format_args!(
                "panto: annealing reduced from {default} to {steps} steps per attempt by the time limit (raise it with -t 10min)"
            ));
        }
        if progress.is_stopped() {
            let why = if progress.is_interrupted() {
                "stopped"
            } else {
                "time limit reached (raise it with -t 10min)"
            };
            let (done, all) = (found.attempts.len(), effort.count());
            print::note(format_args!(
                "panto: {why} after {done} of {all} attempts; the best mapping so far is kept"
            ));
        }
    }
}

/// Returns the default steps of an annealing attempt.
fn default_steps(task: &Task) -> usize {
    (STEPS_PER_RANK * task.ranks()).max(MIN_DEFAULT_STEPS)
}

/// Returns the baseline mappings: wrap, block, and that of `--map`.
fn baselines(task: &Task, own: &Mapping) -> Result<Vec<(String, Vec<u32>)>, Failure> {
    let mut all = Vec::new();
    for (name, mapping) in [("wrap", &Mapping::Wrap), ("block", &Mapping::Block), ("--map", own)] {
        if let Some(places) = mapping.places(task.ranks(), task.processors)? {
            all.push((name.to_owned(), places));
        }
    }
    Ok(all)
}

/// Returns the approximate number of mappings that will be evaluated, for the progress bar.
fn planned(effort: &Effort) -> usize {
    let each = |scheme: &Scheme| match scheme {
        Scheme::Puppet => 10 * effort.attempts,
        Scheme::Greedy => 200,
        Scheme::Anneal => (effort.steps + 1) * effort.attempts,
    };
    effort.schemes.iter().map(each).sum()
}
