//! `panto trace -- COMMAND`

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use signal_hook::consts::{SIGINT, SIGXFSZ};

use super::child::{self, Ended};
use super::measuring::Measuring;
use super::member::Member;
use super::outcome::{self, Outcome};
use super::preload::{self, Preload};
use super::program;
use super::status::Status;
use super::target::Target;
use crate::failure::{Failure, INTERRUPTED};
use crate::{mpi, out};

/// What is traced, how, and where to.
#[derive(Args)]
pub struct Run {
    /// The trace [default: the program's name with `.panto`]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace the file if it is there
    #[arg(long)]
    force: bool,

    /// Keep the ranks' own files in FILE.ranks, too
    #[arg(long)]
    keep: bool,

    #[command(flatten)]
    measuring: Measuring,

    /// The program and its arguments, with the launcher, as without panto
    #[arg(value_name = "COMMAND", trailing_var_arg = true)]
    words: Vec<OsString>,
}

/// Launchers of Open MPI hand these on to other hosts.
const OPEN_MPI_LIST: &str = "OMPI_MCA_mca_base_env_list";

impl Run {
    /// Runs the command and makes one trace of what its ranks recorded.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let Some(first) = self.words.first() else {
            return Err(Failure::Usage(
                "there is no command to trace; write it after --, as in `panto trace -- mpirun -n 4 ./app`"
                    .into(),
            ));
        };
        // A limit to the size of files (`ulimit -f`) is said in words, and not the end.
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
            .inspect_err(|_| give_up(&target, member.as_ref()))?;
        self.finish(&target, member.as_ref(), ended)
    }

    /// Starts the command with the library in its environment, and waits for its end.
    fn start(
        &self,
        target: &Target,
        member: Option<&Member<'_>>,
        command: &mut Command,
    ) -> Result<Ended, Failure> {
        let writer = member.map_or_else(std::process::id, |member| member.rank() as u32);
        let preload = Preload::unpack(target.ranks(), &writer.to_string())?;
        for (name, value) in self.variables(target, &preload) {
            command.env(name, value);
        }
        child::run(command, &Status::new(target.ranks().to_owned()))
    }

    /// What the library is told, and Open MPI's launcher.
    fn variables(&self, target: &Target, preload: &Preload) -> Vec<(&'static str, OsString)> {
        let mut variables = self.measuring.variables();
        variables.push((preload::VARIABLE, preload.value(std::env::var_os(preload::VARIABLE).as_deref())));
        variables.push(("PANTO_TRACE_DIR", target.ranks().as_os_str().to_owned()));
        let names: Vec<&str> = variables.iter().map(|(name, _)| *name).collect();
        let list = handed_on(&self.words, &names, std::env::var_os(OPEN_MPI_LIST));
        variables.extend(list.map(|list| (OPEN_MPI_LIST, list)));
        variables
    }

    /// The exit code is the program's, unless it succeeded and the trace did not. An interrupted program did not succeed, even if its
    /// launcher says so (MPICH's does in one of ten interrupted jobs), unless it came to its end all the same.
    fn finish(
        &self,
        target: &Target,
        member: Option<&Member<'_>>,
        ended: Ended,
    ) -> Result<ExitCode, Failure> {
        match self.combine(target, member, ended) {
            Err(failure) if ended.code() != 0 => out::note(format_args!("panto: {failure}")),
            outcome => {
                let is_cut_off = !outcome?;
                if is_cut_off && ended.heard.interrupt && ended.code() == 0 {
                    return Ok(ExitCode::from(INTERRUPTED));
                }
            }
        }
        Ok(ExitCode::from(ended.code()))
    }

    /// Makes the trace and says what is in it; answers whether all ranks came to their end. Among the processes of a job, one does.
    fn combine(&self, target: &Target, member: Option<&Member<'_>>, ended: Ended) -> Result<bool, Failure> {
        if let Some(member) = member {
            if !member.leave()? {
                if ended.code() != 0 && !ended.heard.end {
                    outcome::say_where(member.rank(), target);
                }
                return Ok(true);
            }
            out::mute(false);
        }
        // The program is gone: from now on Ctrl-C is for this process, and the ranks' files stay.
        let _ = signal_hook::flag::register_conditional_shutdown(
            SIGINT,
            i32::from(INTERRUPTED),
            Arc::new(AtomicBool::new(true)),
        );
        Outcome { target, words: &self.words, keep: self.keep }.combine()
    }
}

/// The program does not run: nothing stays behind.
fn give_up(target: &Target, member: Option<&Member<'_>>) {
    if member.is_none_or(|member| member.leave().is_ok_and(|is_last| is_last)) {
        let _ = target.clear();
    }
}

/// The list of variables that Open MPI's launcher hands on to other hosts, with ours in it. It refuses to run when there is such a list
/// and `-x` on its command line, so there is none where that is so or cannot be seen.
fn handed_on(words: &[OsString], names: &[&str], present: Option<OsString>) -> Option<OsString> {
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
        handed_on(&words, &["A", "B"], present.map(OsString::from))
    }

    #[test]
    fn variables_are_handed_on_where_that_breaks_nothing() {
        assert_eq!(list("mpirun -n 2 ./app", None), Some("A;B".into()));
        assert_eq!(list("mpirun -n 2 ./app", Some("HOME;X=1")), Some("HOME;X=1;A;B".into()));
        assert_eq!(list("mpirun -x HOME -n 2 ./app", None), None);
        assert_eq!(list("./script.sh", None), None);
    }
}
