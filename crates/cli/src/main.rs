//! The `panto` binary: reads the command line and hands the work to the libraries.
#![forbid(unsafe_code)]

mod commands;
mod failure;
mod files;
mod interrupt;
mod library;
mod model;
mod mpi;
mod out;
mod plot;
mod prediction;
mod progress;
mod scenario;
mod session;
mod show;
mod simulated;
mod threads;
mod timeline;
mod trace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use commands::{balance, bench, completions, info, machines, quickstart, reproduce, simulate, sweep};

/// Measure how a machine passes messages, and predict how programs would run on others.
#[derive(Parser)]
#[command(name = "panto", version, about, after_help = AFTER_HELP, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Examples:
  panto quickstart                             measure this machine in a minute, write report.html
  panto bench comet --ranks 4 -o run.jsonl     the whole CoMet suite, all samples kept
  panto bench comet/echo --sizes 0..64KiB      one kernel
  mpirun -n 4 panto bench comet                the same on the MPI of that mpirun, whichever it is
  panto bench comet --on ipsc860 --ranks 16    the same on a simulated machine
  mpirun -n 2 panto calibrate -o mine.toml     measure a model of this machine, to simulate on it
  panto fit run.jsonl -o mine.toml             a model from results that are there already
  panto trace -- mpirun -n 16 ./app            record what an MPI program does, as it is
  panto simulate app.panto -m infiniband       predict how it would run on another machine
  panto view app.ptl                           look at a timeline in the browser
  mpirun -n 16 panto perform app.panto         its messages alone, for real
  panto machines show ipsc860                  what a simulated machine is made of
  panto info run.jsonl                         look at a saved result again
  panto compare before.jsonl after.jsonl       what became slower or faster, with confidence
  panto history runs.jsonl                     how results changed from version to version
  panto report run.jsonl -o report.html        one page with plots to send to a colleague
  panto export app.ptl -o app.pftrace          a timeline for other viewers: Perfetto, Paraver, ViTE
  panto info mpi                               which MPI library would be used, and why

Exit codes: 0 done; 1 a measurement failed (wrong data, deadlock, a rank gave up); 2 the command or a file
is wrong, nothing was measured; 3 `panto compare` found something slower; 130 stopped by Ctrl-C, what was
measured is kept. `panto trace` ends with the program's own (see `panto trace --help`).";

#[derive(Subcommand)]
enum Command {
    Quickstart(quickstart::Quickstart),
    Bench(Box<bench::Bench>),
    Mbs(commands::mbs::Mbs),
    Calibrate(Box<commands::calibrate::Calibrate>),
    Fit(commands::fit::Fit),
    Trace(commands::trace::Trace),
    Simulate(Box<simulate::Simulate>),
    Perform(commands::perform::Perform),
    Sweep(Box<sweep::Sweep>),
    Balance(Box<balance::Balance>),
    Compare(commands::compare::Compare),
    History(commands::history::History),
    Report(commands::report::Report),
    Info(info::Info),
    Convert(commands::convert::Convert),
    Export(commands::export::Export),
    View(commands::view::View),
    Machines(machines::Machines),
    Reproduce(reproduce::Reproduce),
    Completions(completions::Completions),
    Man(commands::man::Man),
}

impl Command {
    /// Is it for all processes of an MPI job together? Everything else is done once, by the first.
    fn is_for_all(&self) -> bool {
        match self {
            Self::Bench(command) => command.is_for_all(),
            Self::Mbs(command) => command.is_for_all(),
            Self::Calibrate(command) => command.is_for_all(),
            Self::Trace(command) => command.is_for_all(),
            Self::Info(command) => command.is_for_all(),
            Self::Perform(command) => command.is_for_all(),
            Self::Sweep(_) => true,
            _ => false,
        }
    }
}

fn main() -> ExitCode {
    let follows = mpi::follows();
    if follows {
        out::mute(true);
    }
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        // A launcher starts many processes with one command, and one of them speaks for all.
        Err(error) if follows => return ExitCode::from(error.exit_code() as u8),
        Err(error) => error.exit(),
    };
    if follows && !command.is_for_all() {
        return ExitCode::SUCCESS;
    }
    run(command)
}

fn run(command: Command) -> ExitCode {
    let outcome = match command {
        Command::Quickstart(command) => command.run(),
        Command::Bench(command) => command.run(),
        Command::Mbs(command) => command.run(),
        Command::Calibrate(command) => command.run(),
        Command::Fit(command) => command.run(),
        Command::Trace(command) => command.run(),
        Command::Simulate(command) => command.run(),
        Command::Perform(command) => command.run(),
        Command::Sweep(command) => command.run(),
        Command::Balance(command) => command.run(),
        Command::Compare(command) => command.run(),
        Command::History(command) => command.run(),
        Command::Report(command) => command.run(),
        Command::Info(command) => command.run(),
        Command::Convert(command) => command.run(),
        Command::Export(command) => command.run(),
        Command::View(command) => command.run(),
        Command::Machines(command) => command.run(),
        Command::Reproduce(command) => command.run(),
        Command::Completions(command) => Ok(command.run::<Cli>()),
        Command::Man(command) => command.run::<Cli>(),
    };
    let outcome = match out::failure() {
        Some(text) if outcome.is_ok() => Err(failure::Failure::Usage(text.into())),
        _ => outcome,
    };
    outcome.unwrap_or_else(|failure| {
        out::note(format_args!("panto: {failure}"));
        failure.code()
    })
}
