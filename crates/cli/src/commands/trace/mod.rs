//! `panto trace`

mod child;
mod combine;
mod measuring;
mod member;
mod merge;
mod nothing;
mod outcome;
mod preload;
mod program;
mod run;
mod say;
mod status;
mod target;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::failure::Failure;

/// Record what an MPI program computes and communicates, without changing it
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
  mpirun -n 16 panto trace -o app.panto -- ./app      the other way round, on any launcher
  panto trace --token -- mpirun -n 16 ./app           on a laptop: ranks take turns to compute
  panto trace --stamps -- mpirun -n 4 python3 app.py
  panto info app.panto                                what is in it
  panto trace merge a.panto b.panto c.panto -o m.panto

Ranks write to the folder FILE.ranks while the program runs; all hosts must see it. If panto
itself is killed, `panto trace combine FILE.ranks -o FILE` makes a trace of what is there.
Open MPI hands the tracer on to other hosts unless there is -x on its command line; then start
it the other way round. One MPI program is traced at a time: the first that the command starts.

Exit codes: the program's own, 128 + n if signal n ended it. If the program succeeded: 1 the
trace could not be written, 2 no rank called MPI. If it was not started: 2.";

impl Trace {
    pub fn run(self) -> Result<ExitCode, Failure> {
        match self.action {
            Some(Action::Combine(combine)) => combine.run(),
            Some(Action::Merge(merge)) => merge.run(),
            None => self.run.run(),
        }
    }

    /// Do all processes of an MPI job take part?
    pub fn is_for_all(&self) -> bool {
        self.action.is_none()
    }
}
