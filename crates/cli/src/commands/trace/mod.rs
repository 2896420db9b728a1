//! `panto trace`: records an MPI program, and combines or merges what was recorded.

mod combine;
mod counting;
mod merge;
mod notes;
mod options;
mod outcome;
mod run;
mod status;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::failure::Failure;

pub use outcome::Outcome;
pub use run::TRACER;

/// Record the computation and MPI calls of an unmodified program.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, override_usage = USAGE, after_help = AFTER_HELP)]
pub struct Trace {
    #[command(subcommand)]
    action: Option<Action>,

    #[command(flatten)]
    run: run::Run,
}

#[derive(Subcommand)]
enum Action {
    Combine(combine::Combine),
    Merge(merge::Merge),
}

const USAGE: &str = "panto trace [OPTIONS] -- COMMAND...
       panto trace combine|merge ...";

const AFTER_HELP: &str = "\
Examples:
  panto trace -- mpirun -n 16 ./app --its options     writes app.panto
  panto trace -o run1.panto -- srun -n 64 ./app
  mpirun -n 16 panto trace -o app.panto -- ./app      inside any launcher
  panto trace --token -- mpirun -n 16 ./app           with more ranks than cores
  panto trace --clock instructions -- mpirun -n 4 ./app
  panto trace --stamps -- mpirun -n 4 python3 app.py
  panto info app.panto                                print a summary
  panto trace merge a.panto b.panto c.panto -o m.panto

While the program runs, ranks write to the directory FILE.ranks, which must be visible on all hosts. If panto is killed, `panto trace combine FILE.ranks -o FILE` makes a trace of these files. Open MPI passes the tracer to other hosts unless its command line has -x; in that case use `mpirun ... panto trace -- ./app`. If the command starts several MPI programs, only the first is traced.

Exit codes: that of the program, or 128 + n if signal n ended it. If the program succeeded: 1 if the trace could not be written or lacks calls (a full disk, a rank that was not traced), 2 if no rank called MPI_Init. 2 if the program could not be started, or if --clock instructions is given and this host does not count them.";

impl Trace {
    pub fn run(self) -> Result<ExitCode, Failure> {
        match self.action {
            Some(Action::Combine(combine)) => combine.run(),
            Some(Action::Merge(merge)) => merge.run(),
            None => self.run.run(),
        }
    }

    /// Returns whether all processes of an MPI job take part.
    pub fn is_collective(&self) -> bool {
        self.action.is_none()
    }
}
