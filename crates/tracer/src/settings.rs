//! What `panto trace` asked for, by environment variables.

use std::env;
use std::path::PathBuf;

/// Where ranks' files go. Without it nothing is recorded.
const DIR: &str = "PANTO_TRACE_DIR";
const CLOCK: &str = "PANTO_TRACE_CLOCK";
const STAMPS: &str = "PANTO_TRACE_STAMPS";
const TOKEN: &str = "PANTO_TRACE_TOKEN";

/// What measures computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The thread's CPU time: right when ranks share cores.
    Cpu,
    /// The wall clock: right when each rank has its cores to itself; counts helping threads by the time they take.
    Wall,
}

/// What was asked for.
#[derive(Debug, Clone)]
pub struct Settings {
    pub folder: PathBuf,
    pub measure: Measure,
    pub has_stamps: bool,
    pub has_token: bool,
}

impl Settings {
    /// None if nobody asked.
    pub fn from_environment() -> Option<Self> {
        let is_set = |name| env::var_os(name).is_some_and(|value| value == "1");
        let is_wall = env::var_os(CLOCK).is_some_and(|value| value == "wall");
        Some(Self {
            folder: env::var_os(DIR)?.into(),
            measure: if is_wall { Measure::Wall } else { Measure::Cpu },
            has_stamps: is_set(STAMPS),
            has_token: is_set(TOKEN),
        })
    }
}
