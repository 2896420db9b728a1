//! `panto man`: renders man pages, and the same as Markdown.

mod markdown;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Command, CommandFactory};

use crate::failure::Failure;
use crate::{files, print};

/// Print the man page, or write the man pages of all commands.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  panto man | man -l -\n  panto man --dir ~/.local/share/man/man1          then: man panto-bench"
)]
pub struct Man {
    /// Write `panto.1` and one page per command to this directory, which is created if needed.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    /// Write Markdown instead, for books and websites: `panto.md` and one page per command.
    #[arg(long, requires = "dir")]
    markdown: bool,
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
            Some(directory) if self.markdown => {
                write_markdown(&command, directory)?;
                print::line(format_args!("wrote Markdown pages to {}", directory.display()));
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

/// Writes a page per command to a directory, which is created if needed.
fn write_markdown(command: &Command, directory: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(directory).map_err(|error| Failure::write(directory, &error))?;
    for (name, page) in markdown::pages(command) {
        files::replace(&directory.join(format!("{name}.md")), page)?;
    }
    Ok(())
}

/// Removes the `help` subcommands, which need no pages.
fn without_help(command: Command) -> Command {
    command.disable_help_subcommand(true).mut_subcommands(without_help)
}
