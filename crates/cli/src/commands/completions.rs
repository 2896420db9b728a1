//! `panto completions`

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::failure::Failure;

/// Print completions for a shell
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  panto completions bash > ~/.local/share/bash-completion/completions/panto"
)]
pub struct Completions {
    /// Which shell
    shell: Shell,
}

impl Completions {
    pub fn run<C: CommandFactory>(self) -> Result<ExitCode, Failure> {
        clap_complete::generate(self.shell, &mut C::command(), "panto", &mut std::io::stdout());
        Ok(ExitCode::SUCCESS)
    }
}
