//! `panto completions`

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::out;

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
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut C::command(), "panto", &mut script);
        out::text(String::from_utf8_lossy(&script));
        ExitCode::SUCCESS
    }
}
