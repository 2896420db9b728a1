//! `panto man`

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Command, CommandFactory};

use crate::failure::Failure;
use crate::out;

/// Print the man page, or write those of all commands into a folder
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  panto man | man -l -\n  panto man --dir ~/.local/share/man/man1          then: man panto-bench"
)]
pub struct Man {
    /// Write `panto.1` and one page for each command into this folder, which is made if it is not there
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Man {
    pub fn run<C: CommandFactory>(self) -> Result<ExitCode, Failure> {
        let mut command = without_help(C::command());
        // Now pages of several words have hyphens in their names, as those of git have.
        command.build();
        match &self.dir {
            None => {
                let mut page = Vec::new();
                let rendered = clap_mangen::Man::new(command).render(&mut page);
                rendered.map_err(|error| Failure::Run(format!("the man page: {error}")))?;
                out::text(String::from_utf8_lossy(&page));
            }
            Some(folder) => {
                let made = std::fs::create_dir_all(folder);
                let written = made.and_then(|()| clap_mangen::generate_to(command, folder));
                written.map_err(|error| Failure::write(folder, &error))?;
                out::line(format_args!("wrote the man pages into {}", folder.display()));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Without the commands that print help, which would be pages about pages.
fn without_help(command: Command) -> Command {
    command.disable_help_subcommand(true).mut_subcommands(without_help)
}
