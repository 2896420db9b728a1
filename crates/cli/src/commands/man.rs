//! `panto man`: renders man pages.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Command, CommandFactory};

use crate::failure::Failure;
use crate::print;

/// Print the man page, or write the man pages of all commands.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  panto man | man -l -\n  panto man --dir ~/.local/share/man/man1          then: man panto-bench"
)]
pub struct Man {
    /// Write `panto.1` and one page per command to this directory, which is created if needed.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Man {
    pub fn run<C: CommandFactory>(self) -> Result<ExitCode, Failure> {
        let mut command = without_help(C::command());
        // Pages of subcommands have hyphenated names, as those of git: panto-bench.1.
        command.build();
        match &self.dir {
            None => {
                let mut page = Vec::new();
                let rendered = clap_mangen::Man::new(command).render(&mut page);
                rendered.map_err(|error| Failure::Run(format!("cannot render the man page: {error}")))?;
                print::text(String::from_utf8_lossy(&page));
            }
            Some(directory) => {
                let made = std::fs::create_dir_all(directory);
                let written = made.and_then(|()| clap_mangen::generate_to(command, directory));
                written.map_err(|error| Failure::write(directory, &error))?;
                print::line(format_args!("wrote the man pages to {}", directory.display()));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Removes the `help` subcommands, which need no pages.
fn without_help(command: Command) -> Command {
    command.disable_help_subcommand(true).mut_subcommands(without_help)
}
