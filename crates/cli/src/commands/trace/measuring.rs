//! How the tracer measures: what the user asks for, and how the library is told.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

/// How the tracer measures.
#[derive(Args)]
pub struct Measuring {
    /// What computation is measured by
    #[arg(long, value_enum, default_value_t = Clock::Cpu)]
    clock: Clock,

    /// Keep the wall clock of each call as well, for a measured timeline
    #[arg(long)]
    stamps: bool,

    /// Let one rank at a time compute on each core, and whoever waits give its core away: undisturbed blocks where ranks outnumber cores
    #[arg(long)]
    token: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Clock {
    /// The CPU time of the rank: right although ranks share cores
    Cpu,
    /// The time that passes: for ranks that have a core each
    Wall,
}

impl Measuring {
    /// The variables of the library.
    pub fn variables(&self) -> Vec<(&'static str, OsString)> {
        let yes_or_no = |yes: bool| OsString::from(if yes { "1" } else { "0" });
        let clock = match self.clock {
            Clock::Cpu => "cpu",
            Clock::Wall => "wall",
        };
        vec![
            ("PANTO_TRACE_CLOCK", clock.into()),
            ("PANTO_TRACE_STAMPS", yes_or_no(self.stamps)),
            ("PANTO_TRACE_TOKEN", yes_or_no(self.token)),
        ]
    }
}
