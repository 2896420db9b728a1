//! The `panto` binary: parses the command line, calls the libraries, prints. The logic is in the
//! libraries; `commands` has one module per command.
//!
//! Codes such as S8 in comments are requirements: rows of `docs/conformance.md`.
#![forbid(unsafe_code)]

mod commands;
mod count;
mod failure;
mod files;
mod format;
mod interrupt;
mod machine_info;
mod model;
mod mpi;
mod mpi_info;
mod plot;
mod print;
mod program;
mod progress;
mod results;
mod scenario;
mod session;
mod simulated;
mod threads;
mod timeline;

use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};

use commands::{balance, bench, completions, info, machines, quickstart, reproduce, simulate, sweep};

/// Measure how a machine passes messages, and predict how MPI programs would run on other machines.
#[derive(Parser)]
#[command(name = "panto", version, long_version = env!("PANTO_VERSION"), after_help = AFTER_HELP, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// Print results and errors only: no notes, no progress.
    #[arg(short, long, global = true)]
    quiet: bool,
}

const AFTER_HELP: &str = "\
Examples:
  panto quickstart                             measure this machine in a minute
  panto bench comet --ranks 4 -o run.jsonl     run a suite, keep all samples
  panto bench comet/echo --sizes 0..64KiB      run one kernel
  mpirun -n 4 panto bench comet                run it on the MPI of that mpirun
  panto bench comet --on ipsc860 --ranks 16    run it on a simulated machine
  mpirun -n 2 panto calibrate -o mine.toml     measure a model of this machine
  panto fit run.jsonl -o mine.toml             fit a model to existing results
  panto trace -- mpirun -n 16 ./app            record an unmodified MPI program
  panto simulate app.panto -m infiniband       predict it on another machine
  panto run -m infiniband -- mpirun -n 8 ./app  run it inside that machine
  panto scale app.4.panto app.8.panto -m infiniband   how it would scale
  panto view app.ptl                           view a timeline in the browser
  mpirun -n 16 panto perform app.panto         replay its messages for real
  panto tune -- mpirun -n 16                   choose the MPI's algorithms
  panto machines show ipsc860                  show a machine's parameters
  panto info run.jsonl                         print saved results
  panto compare before.jsonl after.jsonl       test what became slower or faster
  panto history runs.jsonl                     compare several versions
  panto report run.jsonl -o report.html        write one HTML page
  panto export app.ptl -o app.pftrace          write a timeline for Perfetto
  panto info mpi                               show the MPI library in use

Exit codes: 0 success; 1 the run failed (wrong data, deadlock, a rank failed); 2 the command line or a file is invalid; 3 `panto compare` found a slowdown; 130 stopped by Ctrl-C, with what was measured kept. `panto trace` exits with the code of the traced program (see `panto trace --help`).";

#[derive(Subcommand)]
enum Command {
    Quickstart(quickstart::Quickstart),
    Bench(Box<bench::Bench>),
    Mbs(commands::mbs::Mbs),
    Calibrate(Box<commands::calibrate::Calibrate>),
    Fit(commands::fit::Fit),
    Trace(commands::trace::Trace),
    Simulate(Box<simulate::Simulate>),
    Run(Box<commands::run::Run>),
    Perform(commands::perform::Perform),
    Tune(Box<commands::tune::Tune>),
    Sweep(Box<sweep::Sweep>),
    Extrapolate(commands::extrapolate::Extrapolate),
    Scale(commands::scale::Scale),
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
    /// Returns whether all processes of an MPI job take part; other commands run in the first only.
    fn is_collective(&self) -> bool {
        match self {
            Self::Bench(command) => command.is_collective(),
            Self::Mbs(command) => command.is_collective(),
            Self::Calibrate(command) => command.is_collective(),
            Self::Trace(command) => command.is_collective(),
            Self::Info(command) => command.is_collective(),
            Self::Perform(command) => command.is_collective(),
            Self::Tune(_) | Self::Sweep(_) => true,
            _ => false,
        }
    }
}

/// How long a process that prints nothing waits before it ends with a failure: some launchers end
/// the others at once, before the first has printed what is wrong.
const FOLLOWER_DELAY: Duration = Duration::from_millis(500);

fn main() -> ExitCode {
    let is_follower = mpi::is_follower();
    if is_follower {
        print::mute(true);
    }
    let command = match Cli::try_parse() {
        Ok(cli) => {
            print::quiet(cli.quiet);
            cli.command
        }
        // All processes of a job have the same command line: the first prints its errors.
        Err(error) if is_follower => {
            std::thread::sleep(FOLLOWER_DELAY);
            return ExitCode::from(error.exit_code() as u8);
        }
        Err(error) => error.exit(),
    };
    if is_follower && !command.is_collective() {
        return ExitCode::SUCCESS;
    }
    run(command)
}

fn run(command: Command) -> ExitCode {
    interrupt::report_file_size_limit();
    let outcome = match command {
        Command::Quickstart(command) => command.run(),
        Command::Bench(command) => command.run(),
        Command::Mbs(command) => command.run(),
        Command::Calibrate(command) => command.run(),
        Command::Fit(command) => command.run(),
        Command::Trace(command) => command.run(),
        Command::Simulate(command) => command.run(),
        Command::Run(command) => command.run(),
        Command::Perform(command) => command.run(),
        Command::Tune(command) => command.run(),
        Command::Sweep(command) => command.run(),
        Command::Extrapolate(command) => command.run(),
        Command::Scale(command) => command.run(),
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
    let outcome = match print::failure() {
        Some(text) if outcome.is_ok() => Err(failure::Failure::Usage(text.into())),
        _ => outcome,
    };
    outcome.unwrap_or_else(|failure| {
        print::error(format_args!("panto: {failure}"));
        if print::is_mute() {
            std::thread::sleep(FOLLOWER_DELAY);
        }
        failure.code()
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// The width of a terminal. A longer example is wrapped, which separates its comment from it.
    const WIDTH: usize = 80;

    fn check(command: &clap::Command) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        for line in help.lines().filter(|line| line.starts_with("  ")) {
            assert!(line.chars().count() <= WIDTH, "{}: {line}", command.get_name());
        }
        let has_examples = help.contains("Example") || command.has_subcommands();
        assert!(has_examples || command.is_hide_set(), "{} has no examples", command.get_name());
        command.get_subcommands().for_each(check);
    }

    #[test]
    fn every_command_has_examples_that_fit_a_terminal() {
        check(&Cli::command());
    }

    /// Returns the commands of a Markdown page: code in a line that begins with `panto` or with a
    /// launcher of it, and lines after a prompt.
    fn commands(page: &str) -> Vec<&str> {
        let code = page.split('`').skip(1).step_by(2);
        let prompts = page.lines().filter_map(|line| line.strip_prefix("$ "));
        let own = |line: &&str| !line.contains('\n') && line.split_whitespace().any(|word| word == "panto");
        code.chain(prompts).filter(own).collect()
    }

    #[test]
    fn every_command_of_the_readme_and_of_the_list_is_valid() {
        let readme = commands(include_str!("../../../README.md"));
        let list = commands(include_str!("../../../docs/commands.md"));
        assert!(readme.len() >= 5 && list.len() > 30, "{readme:?} {list:?}");
        for command in readme.into_iter().chain(list) {
            let words = command.split_whitespace().skip_while(|word| *word != "panto");
            // A comment follows its command.
            let words: Vec<&str> = words.take_while(|word| *word != "#").collect();
            match words.as_slice() {
                [_] => {}
                // The name of a command in a sentence.
                [_, name] => assert!(Cli::command().find_subcommand(name).is_some(), "{command}"),
                words => {
                    let error = Cli::try_parse_from(words).err().map(|error| error.to_string());
                    assert_eq!(error, None, "{command}");
                }
            }
        }
    }
}
