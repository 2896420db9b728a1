//! How it was measured.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::{FORMAT, Placed};
use crate::settings::Settings;

/// Everything that somebody must know to repeat a measurement, or to distrust it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the file format.
    pub format: u32,
    /// The version of the program.
    pub panto: String,
    /// When the run started, seconds since 1970.
    pub started: u64,
    /// The command line.
    pub command: Vec<String>,
    /// What the user calls the state of things that was measured, such as a version (S9).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The host's name.
    pub host: String,
    /// The processor.
    pub cpu: String,
    /// Cores that the program may use.
    pub cores: usize,
    /// System and kernel.
    pub system: String,
    /// What passed the messages.
    pub transport: String,
    /// How the transport was set up, in words.
    pub transport_settings: String,
    /// The clock.
    pub clock: String,
    /// Numbers of ranks.
    pub ranks: Vec<usize>,
    /// Relative half-width at which sampling stops.
    pub precision: f64,
    /// Time for the whole run, in seconds.
    pub budget_s: f64,
    /// Seed of the order of points and of random sizes.
    pub seed: u64,
    /// The machine that was simulated; absent where the times were measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<Simulated>,
    /// Where each rank ran; absent where all were threads of this process.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub placement: Vec<Placed>,
    /// The MPI library that passed the messages; absent where none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mpi: Option<Mpi>,
}

/// The MPI library that passed the messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mpi {
    /// What it says of itself, in a line.
    pub version: String,
    /// The MPI standard that it follows, such as `4.0`.
    pub standard: String,
    /// The binary interface that it has.
    pub abi: String,
    /// The file that was loaded.
    pub path: String,
    /// Why this one was chosen, in words.
    pub found: String,
}

/// A machine that was simulated: nothing was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Simulated {
    /// Its name.
    pub name: String,
    /// Which processors have links, in words.
    pub topology: String,
    /// How links are shared: `fast` or `traffic`.
    pub network: String,
    /// What the user changed in the model, `KEY=VALUE`.
    pub overrides: Vec<String>,
}

impl Manifest {
    /// Describes this machine and run.
    pub fn new(transport: &str, transport_settings: String, cores: usize, settings: &Settings) -> Self {
        Self {
            format: FORMAT,
            panto: env!("CARGO_PKG_VERSION").into(),
            started: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
            command: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
            label: None,
            host: first_line("/proc/sys/kernel/hostname").unwrap_or_else(|| "unknown".into()),
            cpu: cpu_model().unwrap_or_else(|| "unknown".into()),
            cores,
            system: system(),
            transport: transport.into(),
            transport_settings,
            clock: "monotonic clock of the system, shared by all ranks".into(),
            ranks: settings.ranks.clone(),
            precision: settings.effort.precision,
            budget_s: settings.effort.budget.as_secs_f64(),
            seed: settings.seed,
            machine: None,
            placement: Vec::new(),
            mpi: None,
        }
    }

    /// Describes a run under MPI; `clock` says in words what the clocks of the ranks have to do with each other.
    pub fn under_mpi(mpi: Mpi, words: String, clock: String, cores: usize, settings: &Settings) -> Self {
        let placement = Placed::all(&settings.places);
        Self { clock, placement, mpi: Some(mpi), ..Self::new("mpi", words, cores, settings) }
    }

    /// Describes a run on a simulated machine; `model` says in words how messages travel there.
    pub fn simulated(machine: Simulated, model: String, cores: usize, settings: &Settings) -> Self {
        let clock = "virtual clock of the simulated machine, exact".into();
        let manifest = Self::new(&machine.name, model, cores, settings);
        Self { clock, machine: Some(machine), ..manifest }
    }
}

fn first_line(path: &str) -> Option<String> {
    Some(std::fs::read_to_string(path).ok()?.lines().next()?.trim().to_owned())
}

fn cpu_model() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn system() -> String {
    let release = first_line("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{} {} {release}", std::env::consts::OS, std::env::consts::ARCH).trim_end().to_owned()
}
