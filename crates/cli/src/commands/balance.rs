//! `panto balance`

mod map;
mod show;
mod watcher;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use panto_predict::balance::{Balanced, Effort, Scheme, Task, balance};
use panto_predict::{Case, Mapping};
use panto_sim::Halted;
use panto_sim::replay::Replay;
use panto_trace::Trace;
use panto_transport::threads::cores;

use crate::commands::simulate::{self, CaseArgs};
use crate::failure::{Failure, INTERRUPTED};
use crate::{files, out};
use watcher::Watcher;

/// Look for a better place for each rank of a traced program
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Balance {
    /// What `panto trace` wrote
    trace: PathBuf,

    /// The machine: a built-in one, or a model file
    #[arg(short, long, value_name = "MACHINE")]
    machine: String,

    #[command(flatten)]
    case: CaseArgs,

    /// How to look
    #[arg(long, value_enum, default_value_t = Schemes::All)]
    scheme: Schemes,

    /// So many attempts from random mappings, by each scheme that has them
    #[arg(long, value_name = "N", default_value = "8")]
    attempts: NonZeroUsize,

    /// Steps of each attempt of annealing [default: 100 a rank, or as many as the time allows]
    #[arg(long, value_name = "N")]
    steps: Option<usize>,

    /// Seed of random mappings and changes
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Stop looking after this time, such as 10min; the best so far is kept
    #[arg(short = 't', long, value_name = "TIME", default_value = "60s", value_parser = panto_units::parse_time, allow_hyphen_values = true)]
    time_limit: Duration,

    /// Write the best mapping to this file, for --map
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Show all steps of annealing that are better than those before, not only the last of each attempt
    #[arg(long)]
    all_steps: bool,

    /// How to print
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

/// How to look for a better mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Schemes {
    /// PUPPET's: from the processor that works most to the one that works least, until a mapping repeats
    Puppet,
    /// By computation, then whatever makes the critical path shorter
    Greedy,
    /// Random changes, of which ever fewer that are worse are kept
    Anneal,
    /// All three
    All,
}

/// How the search is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables for people
    Table,
    /// One JSON object
    Json,
}

const AFTER_HELP: &str = "\
Each mapping is judged by simulating the program with it: by its predicted time, then by how evenly processors work. The same
seed finds the same, unless the time is over before.

Examples:
  panto balance app.panto --machine ethernet10 --processors 9 -o best.map
  panto simulate app.panto --machine ethernet10 --processors 9 --map best.map
  panto balance app.panto --machine my.toml --scheme puppet --attempts 3       as in PUPPET's thesis
  panto balance app.panto --machine cm5 --scheme anneal --attempts 100 -t 10min";

/// Steps of annealing for each rank,
const STEPS_A_RANK: usize = 100;
/// but at least so many,
const FEWEST_STEPS: usize = 400;
/// unless not even they fit into the time; but never fewer than this.
const LEAST_STEPS: usize = 20;
/// So often is a simulation timed to know that.
const TRIES: usize = 3;

impl Balance {
    pub fn run(self) -> Result<ExitCode, Failure> {
        if let Some(output) = &self.output {
            files::keep(&self.trace, output)?;
        }
        let trace = Trace::open(&self.trace)?;
        let (model, wish) = (self.case.model(&self.machine)?, self.case.wish()?);
        let case = Case::new(model.clone(), trace.size() as usize, &wish)?;
        let replay = simulate::read(&trace, &case, &self.case)?;
        let task = Task::new(&replay.program, model, &wish)?;
        let baselines = baselines(&task, &wish.mapping)?;
        let effort = self.effort(&task, &baselines[0].1).map_err(|halted| self.halted(&halted, &replay))?;
        let watcher = Watcher::new(self.time_limit, planned(&effort))?;
        let found = balance(&task, &baselines, &effort, &watcher);
        watcher.clear();
        let found = found.map_err(|halted| self.halted(&halted, &replay))?;
        self.show(&found, &trace, &replay, &case, &effort)?;
        self.notes(&found, &effort, &watcher, usual_steps(&task));
        Ok(if watcher.is_interrupted() { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
    }

    fn halted(&self, halted: &Halted, replay: &Replay) -> Failure {
        Failure::Usage(format!("{}: {}", self.trace.display(), halted.describe(&replay.program)))
    }

    /// How long to look.
    fn effort(&self, task: &Task, places: &[u32]) -> Result<Effort, Halted> {
        let schemes = match self.scheme {
            Schemes::Puppet => vec![Scheme::Puppet],
            Schemes::Greedy => vec![Scheme::Greedy],
            Schemes::Anneal => vec![Scheme::Anneal],
            Schemes::All => Scheme::ALL.to_vec(),
        };
        let attempts = self.attempts.get();
        let usual = usual_steps(task);
        let steps = match self.steps {
            Some(steps) => steps,
            None => usual.min(self.affordable(task, places, usual)?),
        };
        Ok(Effort { schemes, attempts, steps, seed: self.seed })
    }

    /// Steps of annealing that fit into the time. This computer may be busy with something else for a moment, so that one simulation
    /// does not decide.
    fn affordable(&self, task: &Task, places: &[u32], usual: usize) -> Result<usize, Halted> {
        let rounds = self.attempts.get().div_ceil(cores().len().max(1)) as f64;
        let mut most = LEAST_STEPS;
        for _ in 0..TRIES {
            let start = Instant::now();
            task.evaluate(places)?;
            let each = start.elapsed().as_secs_f64().max(1e-9);
            most = most.max((self.time_limit.as_secs_f64() / each / rounds) as usize);
            if most >= usual {
                break;
            }
        }
        Ok(most)
    }

    fn show(
        &self,
        found: &Balanced,
        trace: &Trace,
        replay: &Replay,
        case: &Case,
        effort: &Effort,
    ) -> Result<(), Failure> {
        let shown = show::Shown { found, trace, replay, case, effort, all_steps: self.all_steps };
        match self.format {
            Format::Table => shown.print(),
            Format::Json => out::line(shown.json()),
        }
        if let (Some(path), Some((best, _))) = (&self.output, found.best()) {
            let about = shown.about(best);
            std::fs::write(path, map::written(&best.places, &about))
                .map_err(|error| Failure::write(path, &error))?;
            out::note(format_args!("wrote {}", path.display()));
        }
        Ok(())
    }

    /// What the time did not allow.
    fn notes(&self, found: &Balanced, effort: &Effort, watcher: &Watcher, usual: usize) {
        let cut = effort.schemes.contains(&Scheme::Anneal) && self.steps.is_none() && effort.steps < usual;
        if cut {
            let steps = effort.steps;
            out::note(format_args!(
                "panto: the time allows {steps} steps of annealing an attempt instead of {usual} (give more with -t 10min)"
            ));
        }
        if watcher.is_stopped() {
            let why = if watcher.is_interrupted() {
                "stopped"
            } else {
                "the time is over (give more with -t 10min)"
            };
            let (done, all) = (found.attempts.len(), effort.count());
            out::note(format_args!(
                "panto: {why}; {done} of {all} attempts were made or begun, the best so far is kept"
            ));
        }
    }
}

/// Steps of an attempt of annealing when there is enough time.
fn usual_steps(task: &Task) -> usize {
    (STEPS_A_RANK * task.ranks()).max(FEWEST_STEPS)
}

/// What everybody would try first, and what the user did.
fn baselines(task: &Task, own: &Mapping) -> Result<Vec<(String, Vec<u32>)>, Failure> {
    let mut all = Vec::new();
    for (name, mapping) in [("wrap", &Mapping::Wrap), ("block", &Mapping::Block), ("--map", own)] {
        if let Some(places) = mapping.places(task.ranks(), task.processors)? {
            all.push((name.to_owned(), places));
        }
    }
    Ok(all)
}

/// About so many mappings will be tried.
fn planned(effort: &Effort) -> usize {
    let each = |scheme: &Scheme| match scheme {
        Scheme::Puppet => 10 * effort.attempts,
        Scheme::Greedy => 200,
        Scheme::Anneal => (effort.steps + 1) * effort.attempts,
    };
    effort.schemes.iter().map(each).sum()
}
