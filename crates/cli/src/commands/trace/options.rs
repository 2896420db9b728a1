//! Options of the tracer, and the environment variables that pass them to it.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

/// Options of the tracer.
#[derive(Args)]
pub struct TracerArgs {
    /// Clock that measures computation.
    #[arg(long, value_enum, default_value_t = Clock::Cpu)]
    clock: Clock,

    /// Also record the wall-clock time of each call, for a measured timeline.
    #[arg(long)]
    stamps: bool,

    /// Let only one rank at a time compute on each core, so that times are not disturbed if there
    /// are more ranks than cores.
    #[arg(long)]
    token: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Clock {
    /// CPU time of the rank; correct even if ranks share cores.
    Cpu,
    /// Wall-clock time; for one rank per core.
    Wall,
}

impl TracerArgs {
    /// Returns the environment variables of the tracer.
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
