//! `panto completions`: prints shell completions.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

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
        clap_complete::generate(self.shell, &mut C::command(), "panto", &mut script);
        print::text(String::from_utf8_lossy(&script));
        ExitCode::SUCCESS
    }
}
