//! The transport that needs nothing installed.

use panto_bench::Settings;
use panto_bench::results::Manifest;
use panto_transport::threads::{Threads, cores};

/// Describes a run on threads.
pub fn manifest(world: &Threads, settings: &Settings) -> Manifest {
    let pinned = if world.pin { "pinned to cores round robin" } else { "not pinned" };
    let eager = panto_units::bytes(world.eager_limit as u64);
    let text = format!("ranks are threads of one process, {pinned}; eager up to {eager}, then a single copy");
    Manifest::new("threads", text, cores().len(), settings)
}
