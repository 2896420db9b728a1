//! Options of the tracer.

use clap::{Args, ValueEnum};
use panto_launch::TracerOptions;

use super::counting;
use crate::failure::Failure;

/// Options of the tracer.
#[derive(Args)]
pub struct TracerArgs {
    /// Clock that measures computation.
    #[arg(long, value_enum, default_value_t = Clock::Cpu)]
    clock: Clock,

    /// Also record the wall-clock time of each call, for a measured timeline.
    #[arg(long)]
    stamps: bool,

    /// Also record the place in the program of each call: the function, and the line of the source
    /// if the program was compiled with -g.
    #[arg(long)]
    call_sites: bool,

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
    /// Instructions retired, at the program's own rate; not disturbed by other programs.
    Instructions,
}

impl TracerArgs {
    /// Fails if the clock cannot be read on this host.
    pub fn check(&self) -> Result<(), Failure> {
        if self.clock == Clock::Instructions { counting::require_instructions() } else { Ok(()) }
    }

    pub fn options(&self) -> TracerOptions {
        let clock = match self.clock {
            Clock::Cpu => panto_launch::Clock::Cpu,
            Clock::Wall => panto_launch::Clock::Wall,
            Clock::Instructions => panto_launch::Clock::Instructions,
        };
        TracerOptions { clock, stamps: self.stamps, call_sites: self.call_sites, token: self.token }
    }
}
