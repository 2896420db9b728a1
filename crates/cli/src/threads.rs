//! The world whose ranks are threads of this process.

use clap::Args;
use panto_bench::Settings;
use panto_results::Manifest;
use panto_transport::threads::{Pin, Threads, cores};

use crate::failure::Failure;
use crate::mpi;

/// The name of this world, for `--on`.
pub const NAME: &str = "threads";

/// Options of ranks that are threads.
#[derive(Args)]
pub struct ThreadArgs {
    /// Pin rank n to core n: where there is a core for each (auto), always round robin (on), or
    /// never (off).
    #[arg(
        long,
        value_name = "WHEN",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "on"
    )]
    pin: Option<When>,

    /// Eager limit: messages up to this size are buffered, larger ones wait for their receive to be
    /// posted.
    #[arg(long, value_name = "SIZE", value_parser = panto_units::parse_bytes)]
    eager: Option<u64>,
}

/// When ranks are pinned.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum When {
    Auto,
    On,
    Off,
}

impl ThreadArgs {
    /// Returns the world.
    pub fn world(&self) -> Threads {
        let defaults = Threads::default();
        let eager_limit = self.eager.map_or(defaults.eager_limit, |bytes| bytes as usize);
        let pin = match self.pin {
            None | Some(When::Auto) => Pin::Auto,
            Some(When::On) => Pin::Always,
            Some(When::Off) => Pin::Never,
        };
        Threads { pin, eager_limit, ..defaults }
    }

    /// Fails if one of these options is given although ranks run elsewhere.
    pub fn refuse(&self, on: &str) -> Result<(), Failure> {
        let given = self.pin.map(|_| "--pin").or(self.eager.map(|_| "--eager"));
        let Some(option) = given else { return Ok(()) };
        let remedy = match (on, option) {
            (mpi::NAME, "--pin") => "bind ranks with the launcher, such as `mpirun --bind-to core`",
            (mpi::NAME, _) => "use the settings of the MPI library",
            _ => "set `network.map` or `send.standard` of the model",
        };
        Err(Failure::Usage(format!("{option} applies to `--on {NAME}` only, not to `--on {on}`; {remedy}")))
    }
}

/// Returns the world without options.
pub fn default_world() -> Threads {
    Threads { pin: Pin::Auto, ..Threads::default() }
}

/// Returns the default number of ranks: one per core, at least the two that a message needs.
pub fn default_ranks() -> usize {
    cores().len().clamp(2, 64)
}

/// Describes a run on threads.
pub fn manifest(world: &Threads, settings: &Settings) -> Manifest {
    let pinned = match world.pin {
        Pin::Auto => "pinned if each has a core",
        Pin::Always => "pinned to cores round robin",
        Pin::Never => "not pinned",
    };
    let eager = panto_units::bytes(world.eager_limit as u64);
    let text = format!("ranks are threads of one process, {pinned}; eager up to {eager}, then a single copy");
    Manifest::new(NAME, text, cores().len(), settings.for_manifest())
}
