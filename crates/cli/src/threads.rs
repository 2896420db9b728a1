//! The transport that needs nothing installed.

use clap::Args;
use panto_bench::Settings;
use panto_bench::results::Manifest;
use panto_transport::threads::{Threads, cores};

use crate::failure::Failure;
use crate::mpi;

/// The name of this world.
pub const NAME: &str = "threads";

/// How ranks run as threads.
#[derive(Args)]
pub struct ThreadArgs {
    /// Pin rank n to the n-th core
    #[arg(long)]
    pin: bool,

    /// Messages up to this size are copied, larger ones wait for their receiver
    #[arg(long, value_name = "SIZE", value_parser = panto_units::parse_bytes)]
    eager: Option<u64>,
}

impl ThreadArgs {
    pub fn world(&self) -> Threads {
        let usual = Threads::default();
        let eager_limit = self.eager.map_or(usual.eager_limit, |bytes| bytes as usize);
        Threads { pin: self.pin, eager_limit, ..usual }
    }

    /// Ranks run elsewhere: none of these options means anything there.
    pub fn refuse(&self, on: &str) -> Result<(), Failure> {
        let given = if self.pin { Some("--pin") } else { self.eager.map(|_| "--eager") };
        let Some(option) = given else { return Ok(()) };
        let remedy = match (on, option) {
            (mpi::NAME, "--pin") => "the launcher binds ranks, as by `mpirun --bind-to core`",
            (mpi::NAME, _) => "the MPI library has settings of its own for it",
            _ => "a model says by `network.map` and `send.standard` how ranks run and sends behave",
        };
        Err(Failure::Usage(format!(
            "{option} is for `--on {NAME}`, and this is `--on {on}`; leave it out: {remedy}"
        )))
    }
}

/// A rank a core, and at least the two that a message needs.
pub fn default_ranks() -> usize {
    cores().len().clamp(2, 64)
}

/// Describes a run on threads.
pub fn manifest(world: &Threads, settings: &Settings) -> Manifest {
    let pinned = if world.pin { "pinned to cores round robin" } else { "not pinned" };
    let eager = panto_units::bytes(world.eager_limit as u64);
    let text = format!("ranks are threads of one process, {pinned}; eager up to {eager}, then a single copy");
    Manifest::new(NAME, text, cores().len(), settings)
}
