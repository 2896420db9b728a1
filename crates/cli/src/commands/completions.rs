//! `panto completions`: prints shell completions.
//!
//! The definitions of the commands accept any text for a machine, because it may be a model file.
//! For completions, the names that are known are added to a copy of the definitions, beside files.

use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, CommandFactory, ValueHint};
use clap_complete::Shell;
use panto_bench::Kernel;
use panto_machine::builtin;

use crate::print;

/// Print shell completions.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  panto completions bash > ~/.local/share/bash-completion/completions/panto"
)]
pub struct Completions {
    /// Shell.
    shell: Shell,
}

impl Completions {
    pub fn run<C: CommandFactory>(self) -> ExitCode {
        let mut script = Vec::new();
        let mut command = with_names(C::command());
        clap_complete::generate(self.shell, &mut command, "panto", &mut script);
        let script = String::from_utf8_lossy(&script);
        print::text(match self.shell {
            Shell::Zsh => or_files_in_zsh(&script),
            Shell::Fish => or_files_in_fish(&script),
            _ => script.into_owned(),
        });
        ExitCode::SUCCESS
    }
}

/// Adds the known names to all arguments of a command and its subcommands.
fn with_names(mut command: Command) -> Command {
    let arguments: Vec<_> = command.get_arguments().map(|argument| argument.get_id().clone()).collect();
    for id in arguments {
        command = command.mut_arg(id, known);
    }
    let subcommands: Vec<_> = command.get_subcommands().map(|it| it.get_name().to_owned()).collect();
    for name in subcommands {
        command = command.mut_subcommand(name, with_names);
    }
    command
}

/// Adds what is known of the values of an argument, by the name of its value.
fn known(argument: Arg) -> Arg {
    let name = argument.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
    match name.as_deref() {
        Some("MACHINE" | "MACHINE,...") => argument.value_parser(PossibleValuesParser::new(machines())),
        Some("WORLD") => argument.value_parser(PossibleValuesParser::new(worlds())),
        Some("SUITE|KERNEL") => argument.value_parser(PossibleValuesParser::new(kernels())),
        Some("FILE" | "TRACE" | "RESULTS" | "MODEL" | "OUT") => argument.value_hint(ValueHint::FilePath),
        Some("DIR") => argument.value_hint(ValueHint::DirPath),
        _ => argument,
    }
}

fn machines() -> Vec<&'static str> {
    builtin::all().iter().map(|machine| machine.name).collect()
}

/// Returns where benchmarks run.
fn worlds() -> Vec<&'static str> {
    ["threads", "mpi"].into_iter().chain(machines()).collect()
}

/// Returns the suites and kernels.
fn kernels() -> Vec<&'static str> {
    let mut names: Vec<&str> = Kernel::ALL.iter().map(|kernel| kernel.info().suite()).collect();
    names.dedup();
    names.extend(Kernel::ALL.iter().map(|kernel| kernel.info().name));
    names
}

/// Completes file names besides machines, in zsh.
fn or_files_in_zsh(script: &str) -> String {
    [machines(), worlds()].iter().fold(script.to_owned(), |script, names| {
        let names = names.join(" ");
        let both = format!(":{{_alternative \"names:name:({names})\" \"files:file:_files\"}}");
        script.replace(&format!(":({names})"), &both)
    })
}

/// Completes file names besides machines, in fish.
fn or_files_in_fish(script: &str) -> String {
    let first = [machines(), worlds()].map(|names| names[0]);
    first.iter().fold(script.to_owned(), |script, name| {
        script.replace(&format!("-r -f -a \"{name}\\t"), &format!("-r -F -a \"{name}\\t"))
    })
}
