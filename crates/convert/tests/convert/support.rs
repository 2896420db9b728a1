//! Traces from text, and machines to run them on.

use std::path::{Path, PathBuf};

use panto_convert::{ImportSummary, goal, ti};
use panto_machine::{Cost, Machine, Network, PerByte, Sharing, Switching, Topology};
use panto_sim::observe::NoObserver;
use panto_sim::program::Program;
use panto_sim::replay::{Options, Replay};
use panto_sim::{RunConfig, replay};
use panto_trace::Trace;
use panto_units::Time;
use tempfile::TempDir;

pub fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder for temporary files")
}

/// Imports a schedule.
pub fn from_goal(folder: &Path, text: &str) -> (PathBuf, ImportSummary) {
    let target = folder.join("goal.panto");
    let imported =
        goal::read(&mut text.as_bytes(), "s.goal", &target).unwrap_or_else(|error| panic!("{error}"));
    (target, imported)
}

/// Imports actions.
pub fn from_ti(folder: &Path, text: &str) -> (PathBuf, ImportSummary) {
    let (source, target) = (folder.join("trace.ti"), folder.join("ti.panto"));
    std::fs::write(&source, text).expect("a file");
    let imported = ti::read(&source, ti::FLOPS, &target).unwrap_or_else(|error| panic!("{error}"));
    (target, imported)
}

/// Returns each call of a trace as a line: rank, computation, function and action.
pub fn calls(path: &Path) -> Vec<String> {
    let trace = Trace::open(path).expect("a trace");
    assert!(trace.is_complete());
    let mut lines = Vec::new();
    for rank in trace.ranks() {
        let mut events = rank.events();
        while let Some(event) = events.next().expect("valid events") {
            let action = format!("{:?}", event.action().expect("an action"));
            lines.push(format!("{} {} {} {action}", rank.rank(), event.before(), event.name()));
        }
    }
    lines
}

/// Returns the functions a rank calls, each with the computation before it.
pub fn names(path: &Path, rank: u32) -> Vec<String> {
    let own = format!("{rank} ");
    let own = calls(path).into_iter().filter(|line| line.starts_with(&own));
    own.map(|line| line.split(' ').skip(1).take(2).collect::<Vec<_>>().join(" ")).collect()
}

/// Returns a machine on which a message takes a latency plus its bytes, and everything else is
/// free.
pub fn plain(ranks: u64, latency: Time, bytes_per_second: f64) -> Machine {
    let topology = Topology::complete(ranks).expect("a valid number of processors");
    let per_byte = PerByte::from_secs(1.0 / bytes_per_second).expect("a rate");
    let network = Network::plain(topology, Switching::Packet, Cost::line(latency, per_byte));
    Machine { sharing: Sharing::None, ..Machine::plain("plain", network) }
}

/// Replays a trace on a machine.
pub fn program(path: &Path, machine: &Machine) -> Replay {
    let trace = Trace::open(path).expect("a trace");
    replay::program(&trace, machine, &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the end of each rank, where messages share what the machine says.
pub fn ends(program: &Program, machine: &Machine) -> Vec<Time> {
    let config = RunConfig { machine, sharing: machine.sharing, compute_scales: &[], noise: None };
    let ends = panto_sim::run(program, &config, &mut NoObserver).unwrap_or_else(|error| panic!("{error:?}"));
    ends[..program.ranks as usize].to_vec()
}
