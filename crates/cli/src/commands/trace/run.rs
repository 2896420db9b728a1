//! `panto trace -- COMMAND`: runs a command with the tracer preloaded.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use signal_hook::consts::{SIGINT, SIGXFSZ};

use super::child::{self, Exit};
use super::member::Member;
use super::options::TracerArgs;
use super::outcome::{self, Outcome};
use super::preload::{self, Preload};
use super::program;
use super::status::Status;
use super::target::Target;
use crate::failure::{Failure, INTERRUPTED};
use crate::{mpi, print};

/// Runs and traces a command.
#[derive(Args)]
pub struct Run {
    /// Output file [default: the program's name with the extension .panto].
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

/// The variable with the list of variables that Open MPI's launcher passes to other hosts.
const OPEN_MPI_LIST: &str = "OMPI_MCA_mca_base_env_list";

impl Run {
    /// Runs the command and combines the files of its ranks into a trace.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let Some(first) = self.words.first() else {
            return Err(Failure::Usage(
                "no command to trace; give it after --, as in `panto trace -- mpirun -n 4 ./app`".into(),
            ));
        };
        // Exceeding the file-size limit (`ulimit -f`) is reported as an error instead of killing
        // the process.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
        let file = self.output.clone().unwrap_or_else(|| program::trace_name(&self.words));
        let target = Target::new(file, self.force)?;
        let member = Member::new(&target, mpi::launched());
        match &member {
            Some(member) => member.enter()?,
            None => target.create(self.force)?,
        }
        let mut command = Command::new(first);
        command.args(&self.words[1..]);
        let ended = self
            .start(&target, member.as_ref(), &mut command)
            .inspect_err(|_| clean_up(&target, member.as_ref()))?;
        self.finish(&target, member.as_ref(), ended)
    }

    /// Starts the command with the library in its environment, and waits for its end.
    fn start(
        &self,
        target: &Target,
        member: Option<&Member<'_>>,
        command: &mut Command,
    ) -> Result<Exit, Failure> {
        let writer = member.map_or_else(std::process::id, |member| member.rank() as u32);
        let preload = Preload::unpack(target.ranks(), &writer.to_string())?;
        for (name, value) in self.variables(target, &preload) {
            command.env(name, value);
        }
        child::run(command, &Status::new(target.ranks().to_owned()))
    }

    /// Returns the environment variables of the tracer and of Open MPI's launcher.
    fn variables(&self, target: &Target, preload: &Preload) -> Vec<(&'static str, OsString)> {
        let mut variables = self.tracer.variables();
        variables.push((preload::VARIABLE, preload.value(std::env::var_os(preload::VARIABLE).as_deref())));
        variables.push(("PANTO_TRACE_DIR", target.ranks().as_os_str().to_owned()));
        let names: Vec<&str> = variables.iter().map(|(name, _)| *name).collect();
        let list = passed_variables(&self.words, &names, std::env::var_os(OPEN_MPI_LIST));
        variables.extend(list.map(|list| (OPEN_MPI_LIST, list)));
        variables
    }

    /// Returns the exit code of the program, unless it succeeded and the trace could not be
    /// written. A program that Ctrl-C interrupted before `MPI_Finalize` did not succeed, even if
    /// its launcher returns 0, as MPICH's does for one in ten interrupted jobs.
    fn finish(&self, target: &Target, member: Option<&Member<'_>>, ended: Exit) -> Result<ExitCode, Failure> {
        match self.combine(target, member, ended) {
            Err(failure) if ended.code() != 0 => print::note(format_args!("panto: {failure}")),
            outcome => {
                let is_incomplete = !outcome?;
                if is_incomplete && ended.received.interrupt && ended.code() == 0 {
                    return Ok(ExitCode::from(INTERRUPTED));
                }
            }
        }
        Ok(ExitCode::from(ended.code()))
    }

    /// Combines the files and prints a summary; returns whether all ranks reached `MPI_Finalize`.
    /// Of the processes of a job, only the last does so.
    fn combine(&self, target: &Target, member: Option<&Member<'_>>, ended: Exit) -> Result<bool, Failure> {
        if let Some(member) = member {
            if !member.leave()? {
                if ended.code() != 0 && !ended.received.terminate {
                    outcome::print_location(member.rank(), target);
                }
                return Ok(true);
            }
            print::mute(false);
        }
        // The program has ended: from here on Ctrl-C ends this process, and the ranks' files stay.
        let _ = signal_hook::flag::register_conditional_shutdown(
            SIGINT,
            i32::from(INTERRUPTED),
            Arc::new(AtomicBool::new(true)),
        );
        Outcome { target, words: &self.words, keep: self.keep }.combine()
    }
}

/// Removes the directory after the program could not be started.
fn clean_up(target: &Target, member: Option<&Member<'_>>) {
    if member.is_none_or(|member| member.leave().is_ok_and(|is_last| is_last)) {
        let _ = target.clear();
    }
}

/// Returns the list of variables that Open MPI's launcher passes to other hosts, with those of the
/// tracer added. The launcher refuses to run with such a list and `-x` on its command line; `None`
/// if that is the case or cannot be determined.
fn passed_variables(words: &[OsString], names: &[&str], present: Option<OsString>) -> Option<OsString> {
    let is_visible = words.first().is_some_and(|word| program::is_launcher(word));
    if !is_visible || words.iter().any(|word| word == "-x" || word == "--x") {
        return None;
    }
    let mut list = present.filter(|list| !list.is_empty()).unwrap_or_default();
    for name in names {
        if !list.is_empty() {
            list.push(";");
        }
        list.push(name);
    }
    Some(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(line: &str, present: Option<&str>) -> Option<OsString> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        passed_variables(&words, &["A", "B"], present.map(OsString::from))
    }

    #[test]
    fn variables_are_passed_unless_the_launcher_has_x() {
        assert_eq!(list("mpirun -n 2 ./app", None), Some("A;B".into()));
        assert_eq!(list("mpirun -n 2 ./app", Some("HOME;X=1")), Some("HOME;X=1;A;B".into()));
        assert_eq!(list("mpirun -x HOME -n 2 ./app", None), None);
        assert_eq!(list("./script.sh", None), None);
    }
}
