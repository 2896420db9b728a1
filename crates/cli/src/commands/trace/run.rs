//! `panto trace -- COMMAND`: runs a command with the tracer preloaded.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use clap::Args;
use panto_launch::{
    Coverage, Exit, Member, Preload, Target, TracerLibrary, trace_name, unused_name, variables,
};

use super::options::TracerArgs;
use super::outcome::{self, Outcome};
use super::status::Status;
use crate::failure::{Failure, INTERRUPTED};
use crate::{interrupt, mpi, print};

/// Runs and traces a command.
#[derive(Args)]
pub struct Run {
    /// Output file [default: the program's name with the extension .panto; numbered if that file
    /// exists].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,

    /// Keep the per-rank files in FILE.ranks.
    #[arg(long)]
    keep: bool,

    #[command(flatten)]
    tracer: TracerArgs,

    /// The command to trace, including the MPI launcher.
    #[arg(value_name = "COMMAND", trailing_var_arg = true)]
    words: Vec<OsString>,
}

/// The tracer, embedded by the build script; the checksum in its name distinguishes versions.
pub const TRACER: TracerLibrary = TracerLibrary {
    name: concat!("libpanto-tracer-", env!("PANTO_TRACER_CHECKSUM"), ".so"),
    bytes: include_bytes!(concat!(env!("OUT_DIR"), "/libpanto_tracer.so")),
};

impl Run {
    /// Runs the command and combines the files of its ranks into a trace.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let Some(first) = self.words.first() else {
            return Err(Failure::Usage(
                "no command to trace; give it after --, as in `panto trace -- mpirun -n 4 ./app`".into(),
            ));
        };
        self.tracer.check()?;
        let file = self.output.clone().unwrap_or_else(|| self.default_name());
        let target = Target::new(file, self.force)?;
        let member = mpi::launched().and_then(|launch| Some(Member::new(&target, launch.rank?, launch.size)));
        match &member {
            Some(member) => enter(member, &target)?,
            None => target.create(self.force)?,
        }
        let mut command = Command::new(first);
        command.args(&self.words[1..]);
        let ended = self.start(&target, &mut command).inspect_err(|_| clean_up(&target, member.as_ref()))?;
        self.finish(&target, member.as_ref(), ended)
    }

    /// Returns the name of the trace of an unnamed output. A trace of an earlier run remains unless
    /// it is to be replaced.
    fn default_name(&self) -> PathBuf {
        let usual = trace_name(&self.words);
        let name = if self.force { usual.clone() } else { unused_name(usual.clone()) };
        if name != usual {
            print::note(format_args!(
                "panto: {} exists; the trace of this run will be {} (--force replaces the old one)",
                usual.display(),
                name.display()
            ));
        }
        name
    }

    /// Starts the command with the library in its environment, and waits for its end.
    fn start(&self, target: &Target, command: &mut Command) -> Result<Exit, Failure> {
        let preload = Preload::unpack(TRACER, target.ranks())?;
        if let Some(problem) = preload.problem() {
            print::note(format_args!(
                "panto: {problem}; the tracer is in {} instead, where ranks on other hosts cannot load it",
                preload.path().display()
            ));
        }
        command.envs(variables(&self.words, self.tracer.options(), target, &preload));
        let status = Status::new(target.ranks().to_owned());
        Ok(panto_launch::run(command, |ended| status.watch(&ended))?)
    }

    /// Returns the exit code of the program, unless it succeeded and the trace could not be written
    /// or lacks calls. A program that Ctrl-C interrupted before `MPI_Finalize` did not succeed,
    /// even if its launcher returns 0, as MPICH's does for one in ten interrupted jobs.
    fn finish(&self, target: &Target, member: Option<&Member<'_>>, ended: Exit) -> Result<ExitCode, Failure> {
        match self.combine(target, member, ended) {
            Err(failure) if ended.code() != 0 => print::error(format_args!("panto: {failure}")),
            outcome => {
                let coverage = outcome?;
                if ended.code() == 0 && coverage != Coverage::Whole && ended.received.interrupt {
                    return Ok(ExitCode::from(INTERRUPTED));
                }
                if ended.code() == 0 && coverage == Coverage::Partial {
                    return Err(Failure::Run(
                        "the program succeeded, but the trace lacks calls, as said above".into(),
                    ));
                }
            }
        }
        Ok(ExitCode::from(ended.code()))
    }

    /// Combines the files and prints a summary; returns how much of the program the trace has. Of
    /// the processes of a job, only the last does so.
    fn combine(
        &self,
        target: &Target,
        member: Option<&Member<'_>>,
        ended: Exit,
    ) -> Result<Coverage, Failure> {
        if let Some(member) = member {
            if !member.leave()? {
                if ended.code() != 0 && !ended.received.terminate {
                    outcome::print_location(member.rank(), target);
                }
                return Ok(Coverage::Whole);
            }
            print::mute(false);
        }
        // The program has ended: from here on a signal ends this process, and the ranks' files
        // stay.
        interrupt::end_without_leftovers()?;
        Outcome { target, words: &self.words, keep: self.keep }.combine(true)
    }
}

/// Takes part in a job, with a note if the files of an earlier run are replaced.
fn enter(member: &Member<'_>, target: &Target) -> Result<(), Failure> {
    if member.enter()? {
        let ranks = target.ranks().display();
        print::note(format_args!("panto: replacing the files of an earlier run in {ranks}"));
    }
    Ok(())
}

/// Removes the directory after the program could not be started.
fn clean_up(target: &Target, member: Option<&Member<'_>>) {
    if member.is_none_or(|member| member.leave().is_ok_and(|is_last| is_last)) {
        let _ = target.clear();
    }
}
