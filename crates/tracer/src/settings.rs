//! Settings by environment variables, as `panto trace` passes them.

use std::env;
use std::path::PathBuf;

use panto_counter::Event;

use crate::live;

/// The folder for the files of ranks. Without it nothing is recorded.
const DIR: &str = "PANTO_TRACE_DIR";
const CLOCK: &str = "PANTO_TRACE_CLOCK";
const STAMPS: &str = "PANTO_TRACE_STAMPS";
const CALL_SITES: &str = "PANTO_TRACE_CALL_SITES";
const TOKEN: &str = "PANTO_TRACE_TOKEN";
/// The memory that a rank shares with the simulation of `panto run`.
const COUPLING: &str = "PANTO_RUN_COUPLING";
const HUB: &str = "PANTO_RUN_HUB";
const COMPUTATION: &str = "PANTO_RUN_COMPUTATION";
const SLEEPS: &str = "PANTO_RUN_SLEEPS";
const DAXPY: &str = "PANTO_RUN_DAXPY";
const CLOCKS: &str = "PANTO_RUN_CLOCKS";

/// The clock by which computation is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComputeTime {
    /// The thread's CPU time: right when ranks share cores.
    Cpu,
    /// The wall clock: right when each rank has its cores to itself; includes the time in which
    /// helper threads compute for it.
    Wall,
    /// The number of events, such as instructions, at the rate that they have in CPU time: not
    /// disturbed by other programs.
    Counted(Event),
}

impl ComputeTime {
    /// Returns the clock of a name; the CPU clock for names that this version does not have.
    fn from_name(name: &str) -> Self {
        let counted = || Event::from_name(name).map(Self::Counted);
        if name == "wall" { Self::Wall } else { counted().unwrap_or(Self::Cpu) }
    }

    /// Returns its name, in a trace and in the environment.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Wall => "wall",
            Self::Counted(event) => event.name(),
        }
    }
}

/// The settings of a run.
#[derive(Debug, Clone)]
pub struct Settings {
    pub folder: PathBuf,
    pub measure: ComputeTime,
    pub has_stamps: bool,
    /// Whether the call site of each call is recorded.
    pub has_call_sites: bool,
    pub has_token: bool,
    /// How the program is run in virtual time, if it is.
    pub live: Option<live::Settings>,
}

impl Settings {
    /// Returns the settings; none if the program is not to be recorded.
    pub fn from_environment() -> Option<Self> {
        let is_set = |name| env::var_os(name).is_some_and(|value| value == "1");
        Some(Self {
            folder: env::var_os(DIR)?.into(),
            measure: ComputeTime::from_name(&env::var(CLOCK).unwrap_or_default()),
            has_stamps: is_set(STAMPS),
            has_call_sites: is_set(CALL_SITES),
            has_token: is_set(TOKEN),
            live: live_settings(),
        })
    }
}

fn live_settings() -> Option<live::Settings> {
    let text = |name| env::var(name).ok();
    Some(live::Settings {
        memory: env::var_os(COUPLING)?.into(),
        hub: text(HUB)?.parse().ok()?,
        computation: text(COMPUTATION).unwrap_or_else(|| "measured".to_owned()),
        has_sleeps: text(SLEEPS).is_some_and(|value| value == "recorded"),
        daxpy: text(DAXPY).and_then(|value| value.parse().ok()),
        has_system_clocks: text(CLOCKS).is_some_and(|value| value == "all"),
    })
}
