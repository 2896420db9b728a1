//! Traces as text, and machines to run them on.

use std::path::{Path, PathBuf};

use panto_convert::{Imported, goal, ti};
use panto_machine::{Cost, Machine, Network, PerByte, Switching, Topology};
use panto_sim::observe::Unseen;
use panto_sim::program::Program;
use panto_sim::replay::{Options, Replay};
use panto_sim::{Model, Setting, ahead, replay};
use panto_trace::Trace;
use panto_units::Time;
use tempfile::TempDir;

pub fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder for temporary files")
}

/// A schedule as a trace.
pub fn from_goal(folder: &Path, text: &str) -> (PathBuf, Imported) {
    let target = folder.join("goal.panto");
    let imported =
        goal::read(&mut text.as_bytes(), "s.goal", &target).unwrap_or_else(|error| panic!("{error}"));
    (target, imported)
}

/// The actions of ranks as a trace.
pub fn from_ti(folder: &Path, text: &str) -> (PathBuf, Imported) {
    let (source, target) = (folder.join("trace.ti"), folder.join("ti.panto"));
    std::fs::write(&source, text).expect("a file");
    let imported = ti::read(&source, ti::FLOPS, &target).unwrap_or_else(|error| panic!("{error}"));
    (target, imported)
}

/// Each call of a trace as a line: rank, computation, function and what it does.
pub fn calls(path: &Path) -> Vec<String> {
    let trace = Trace::open(path).expect("a trace");
    assert!(trace.is_complete());
    let mut lines = Vec::new();
    for rank in trace.ranks() {
        let mut events = rank.events();
        while let Some(event) = events.next().expect("sound events") {
            let action = format!("{:?}", event.action().expect("an action"));
            lines.push(format!("{} {} {} {action}", rank.rank(), event.before(), event.name()));
        }
    }
    lines
}

/// The functions of a rank, with the computation before each.
pub fn names(path: &Path, rank: u32) -> Vec<String> {
    let own = format!("{rank} ");
    let own = calls(path).into_iter().filter(|line| line.starts_with(&own));
    own.map(|line| line.split(' ').skip(1).take(2).collect::<Vec<_>>().join(" ")).collect()
}

/// A machine on which every message takes a latency and its bytes, and nothing else costs anything.
pub fn plain(ranks: u64, latency: Time, bytes_a_second: f64) -> Machine {
    let topology = Topology::complete(ranks).expect("so many processors");
    let per_byte = PerByte::from_secs(1.0 / bytes_a_second).expect("a rate");
    Machine::plain("plain", Network::plain(topology, Switching::Packet, Cost::line(latency, per_byte)))
}

/// What a trace becomes on a machine.
pub fn program(path: &Path, machine: &Machine) -> Replay {
    let trace = Trace::open(path).expect("a trace");
    replay::program(&trace, machine, &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// When each rank ends.
pub fn ends(program: &Program, machine: &Machine) -> Vec<Time> {
    let setting = Setting { machine, model: Model::Fast, paces: &[], noise: None };
    let ends = ahead::run(program, &setting, &mut Unseen).unwrap_or_else(|halted| panic!("{halted:?}"));
    ends[..program.ranks as usize].to_vec()
}
