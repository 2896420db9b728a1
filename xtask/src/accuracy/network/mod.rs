//! Across hosts on a switch of a hundred megabits: two and four namespaces of this machine, a rank on each.
//!
//! Four ranks have no four cores here, so nobody computes: what a program did is carried out by `panto perform`, which sleeps while the program
//! would compute. The prediction is made of the same trace and of a model that `panto calibrate` measured between two of the hosts.

#[path = "../../../../crates/cli/tests/support/lan.rs"]
#[allow(dead_code, reason = "tests need the rest")]
mod lan;
#[path = "../../../../crates/cli/tests/support/namespace.rs"]
mod namespace;
#[allow(unsafe_code, reason = "it waits for several files at once, to the nanosecond")]
mod switch;
#[allow(unsafe_code, reason = "no crate at hand makes interfaces in another network")]
mod tap;
mod wires;

use std::path::{Path, PathBuf};
use std::process::Command;

use super::cores::record;
use super::prediction::{Pace, Question, performed, run};
use super::programs::{Program, SHORT};
use super::report::{self, Outcome};
use super::samples;
use crate::bench::Mpi;
use crate::failure::Result;
use lan::Hosts;
use switch::Switch;

/// Slow enough that two cores can keep four hosts busy, with small messages, too.
const MEGABITS: u64 = 20;
const SIZES: [usize; 2] = [2, 4];
/// How often each program is carried out.
const ROUNDS: usize = 5;

/// All programs on one MPI.
pub fn compare(mpi: &Mpi, panto: &Path, folder: &Path) -> Result<bool> {
    let (hosts, _switch) = match network(folder) {
        Ok(network) => network,
        Err(why) => {
            println!("nothing is compared across hosts: that takes the rights of root ({why})");
            return Ok(true);
        }
    };
    eprintln!("{}: measuring the network", mpi.name);
    let model = calibrate(mpi, panto, &hosts, folder)?;
    let mut good = true;
    for ranks in SIZES {
        let question = Question { panto, model: &model, ranks, rules: mpi.rules() };
        let outcomes: Vec<Outcome> = SHORT
            .iter()
            .map(|program| carried_out(mpi, &hosts, &question, program))
            .collect::<Result<_>>()?;
        let what =
            format!("{ranks} ranks on {ranks} hosts at {MEGABITS} Mbit/s, asleep while they would compute");
        samples::save(&format!("{}-{ranks}-hosts", mpi.folder), &outcomes)?;
        good &= report::print(mpi, &what, &outcomes);
    }
    Ok(good)
}

/// Hosts, and the switch that they are plugged into.
fn network(folder: &Path) -> std::result::Result<(Hosts, Switch), String> {
    let hosts = Hosts::without_cables(SIZES[SIZES.len() - 1], folder)?;
    let switch = Switch::new(&hosts.processes(), MEGABITS * 1_000_000 / 8)
        .map_err(|error| format!("/dev/net/tun: {error}"))?;
    hosts.configure();
    Ok((hosts, switch))
}

fn calibrate(mpi: &Mpi, panto: &Path, hosts: &Hosts, folder: &Path) -> Result<PathBuf> {
    let model = folder.join(format!("network-{}.toml", mpi.folder));
    let mut command = job(mpi, hosts, 2, panto);
    command.arg("calibrate").arg("-o").arg(&model);
    run(&mut command)?;
    Ok(model)
}

fn carried_out(
    mpi: &Mpi,
    hosts: &Hosts,
    question: &Question<'_>,
    program: &'static Program,
) -> Result<Outcome<'static>> {
    let ranks = question.ranks;
    eprintln!("{}: {} on {ranks} hosts", mpi.name, program.name);
    let mut outcome = Outcome::new(program);
    let trace = question.model.with_file_name(format!("{}-{}-{ranks}-hosts.panto", mpi.folder, program.name));
    record(mpi, question.panto, program, ranks, &trace)?;
    let perform = |computation| {
        performed(job(mpi, hosts, ranks, question.panto), &trace, computation, question.rules, &[])
    };
    for _ in 0..ROUNDS {
        outcome.predicted.push(question.predict(&trace, &Pace::same())?);
        outcome.actual.push(perform("sleep")?);
        outcome.alone.push(perform("none")?);
    }
    Ok(outcome)
}

/// A rank on each of the first hosts.
fn job(mpi: &Mpi, hosts: &Hosts, ranks: usize, program: &Path) -> Command {
    let words = mpi.across(&hosts.agent(), &hosts.slots(ranks, 1), ranks);
    let mut command = hosts.command(&words[0]);
    command.args(&words[1..]).arg(program);
    command
}
