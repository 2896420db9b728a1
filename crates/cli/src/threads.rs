//! The world whose ranks are threads of this process.

use clap::Args;
use panto_bench::Settings;
use panto_results::Manifest;
use panto_transport::threads::{Threads, cores};

use crate::failure::Failure;
use crate::mpi;

/// The name of this world, for `--on`.
pub const NAME: &str = "threads";

/// Options of ranks that are threads.
#[derive(Args)]
pub struct ThreadArgs {
    /// Pin rank n to core n.
    #[arg(long)]
    pin: bool,

    /// Eager limit: messages up to this size are buffered, larger ones wait for their receive to be
    /// posted.
    #[arg(long, value_name = "SIZE", value_parser = panto_units::parse_bytes)]
    eager: Option<u64>,
}

impl ThreadArgs {
    /// Returns the world.
    pub fn world(&self) -> Threads {
        let defaults = Threads::default();
        let eager_limit = self.eager.map_or(defaults.eager_limit, |bytes| bytes as usize);
        Threads { pin: self.pin, eager_limit, ..defaults }
    }

    /// Fails if one of these options is given although ranks run elsewhere.
    pub fn refuse(&self, on: &str) -> Result<(), Failure> {
        let given = if self.pin { Some("--pin") } else { self.eager.map(|_| "--eager") };
        let Some(option) = given else { return Ok(()) };
        let remedy = match (on, option) {
            (mpi::NAME, "--pin") => "bind ranks with the launcher, such as `mpirun --bind-to core`",
            (mpi::NAME, _) => "use the settings of the MPI library",
            _ => "set `network.map` or `send.standard` of the model",
        };
        Err(Failure::Usage(format!("{option} applies to `--on {NAME}` only, not to `--on {on}`; {remedy}")))
    }
}

/// Returns the default number of ranks: one per core, at least the two that a message needs.
pub fn default_ranks() -> usize {
    cores().len().clamp(2, 64)
}

/// Describes a run on threads.
pub fn manifest(world: &Threads, settings: &Settings) -> Manifest {
    let pinned = if world.pin { "pinned to cores round robin" } else { "not pinned" };
    let eager = panto_units::bytes(world.eager_limit as u64);
    let text = format!("ranks are threads of one process, {pinned}; eager up to {eager}, then a single copy");
    Manifest::new(NAME, text, cores().len(), settings.for_manifest())
}
