//! The `panto` binary: reads the command line and hands the work to the libraries.
#![forbid(unsafe_code)]

mod commands;
mod failure;
mod model;
mod out;
mod progress;
mod session;
mod show;
mod simulated;
mod threads;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use commands::{bench, completions, info, machines, quickstart, reproduce};

/// Measure how a machine passes messages.
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
  panto bench comet --on ipsc860 --ranks 16    the same on a simulated machine
  panto machines show ipsc860                  what a simulated machine is made of
  panto info run.jsonl                         look at a saved result again

Exit codes: 0 done; 1 a measurement failed (wrong data, deadlock, a rank gave up); 2 the command or a file
is wrong, nothing was measured; 130 stopped by Ctrl-C, what was measured is kept.";

#[derive(Subcommand)]
enum Command {
    Quickstart(quickstart::Quickstart),
    Bench(Box<bench::Bench>),
    Info(info::Info),
    Machines(machines::Machines),
    Reproduce(reproduce::Reproduce),
    Completions(completions::Completions),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Quickstart(command) => command.run(),
        Command::Bench(command) => command.run(),
        Command::Info(command) => command.run(),
        Command::Machines(command) => command.run(),
        Command::Reproduce(command) => command.run(),
        Command::Completions(command) => Ok(command.run::<Cli>()),
    };
    outcome.unwrap_or_else(|failure| {
        eprintln!("panto: {failure}");
        failure.code()
    })
}
