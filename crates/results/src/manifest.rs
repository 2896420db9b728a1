//! The manifest: how a run was measured.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::{FORMAT, RankPlacement};

/// The conditions of a run: what is needed to repeat it or to judge it.
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
    /// The user's label of what was measured, such as a version (S9).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The host's name.
    pub host: String,
    /// The processor.
    pub cpu: String,
    /// Cores that the program may use.
    pub cores: usize,
    /// Operating system and kernel.
    pub system: String,
    /// The transport.
    pub transport: String,
    /// Description of the transport's settings.
    pub transport_settings: String,
    /// Description of the clock.
    pub clock: String,
    /// Numbers of ranks.
    pub ranks: Vec<usize>,
    /// Relative half-width of the median's confidence interval at which sampling stops.
    pub precision: f64,
    /// Time for the whole run, in seconds.
    pub budget_s: f64,
    /// Seed of the order of points and of random sizes.
    pub seed: u64,
    /// The machine that was simulated; absent where the times were measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<SimulatedMachine>,
    /// Where each rank ran; absent where all ranks were threads of one process.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub placement: Vec<RankPlacement>,
    /// How ranks were numbered; absent where the launcher did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<String>,
    /// The MPI library; absent for other transports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mpi: Option<MpiInfo>,
}

/// The MPI library that carried the messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MpiInfo {
    /// Its version, in one line.
    pub version: String,
    /// Version of the MPI standard, such as `4.0`.
    pub standard: String,
    /// Its ABI.
    pub abi: String,
    /// The file that was loaded.
    pub path: String,
    /// Why this library was chosen.
    pub found: String,
}

/// The machine that was simulated, where nothing was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimulatedMachine {
    /// Its name.
    pub name: String,
    /// Description of its topology.
    pub topology: String,
    /// The network model: `fast` or `traffic`.
    pub network: String,
    /// Changes to the model file, as `KEY=VALUE`.
    pub overrides: Vec<String>,
}

/// The settings of a run that its manifest repeats.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSettings {
    /// Numbers of ranks.
    pub ranks: Vec<usize>,
    /// Relative half-width of the median's confidence interval at which sampling stops.
    pub precision: f64,
    /// Time limit of the whole run, in seconds.
    pub budget_s: f64,
    /// Seed of the order of points and of random sizes.
    pub seed: u64,
    /// Where each rank runs; empty where all ranks are threads of one process.
    pub placement: Vec<RankPlacement>,
}

/// Two ranks with the default effort of `panto bench`.
impl Default for RunSettings {
    fn default() -> Self {
        Self { ranks: vec![2], precision: 0.01, budget_s: 60.0, seed: 1, placement: Vec::new() }
    }
}

impl Manifest {
    /// Describes a run on this host.
    pub fn new(transport: &str, transport_settings: String, cores: usize, settings: RunSettings) -> Self {
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
            ranks: settings.ranks,
            precision: settings.precision,
            budget_s: settings.budget_s,
            seed: settings.seed,
            machine: None,
            placement: Vec::new(),
            layout: None,
            mpi: None,
        }
    }

    /// Describes a run under MPI; `clock` describes how the clocks of the ranks are related.
    pub fn under_mpi(
        mpi: MpiInfo,
        words: String,
        clock: String,
        cores: usize,
        settings: RunSettings,
    ) -> Self {
        let placement = settings.placement.clone();
        Self { clock, placement, mpi: Some(mpi), ..Self::new("mpi", words, cores, settings) }
    }

    /// Describes a run on a simulated machine; `model` describes its network model.
    pub fn simulated(machine: SimulatedMachine, model: String, cores: usize, settings: RunSettings) -> Self {
        let clock = "virtual clock of the simulated machine, exact".into();
        let manifest = Self::new(&machine.name, model, cores, settings);
        Self { clock, machine: Some(machine), ..manifest }
    }
}

impl Manifest {
    /// Returns whether the command line selected the algorithms of collectives.
    pub fn requests_algorithm(&self) -> bool {
        let is_option = |word: &String| {
            word.strip_prefix(ALGORITHM_OPTION).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        };
        self.command.iter().any(is_option)
    }
}

impl MpiInfo {
    /// Returns whether the library is Open MPI, by the name in its version.
    pub fn is_open_mpi(&self) -> bool {
        self.version.contains(OPEN_MPI)
    }
}

/// The option of `panto bench` that selects the algorithms of collectives.
const ALGORITHM_OPTION: &str = "--algorithm";

/// How Open MPI begins the text that `MPI_Get_library_version` returns.
const OPEN_MPI: &str = "Open MPI";

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
