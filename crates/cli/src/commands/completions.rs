//! `panto completions`

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

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
    pub fn run<C: CommandFactory>(self) -> ExitCode {
        clap_complete::generate(self.shell, &mut C::command(), "panto", &mut std::io::stdout());
        ExitCode::SUCCESS
    }
}
