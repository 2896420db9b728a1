//! Accuracy across hosts on a slow switch: two and four namespaces of this machine, a rank on each.
//!
//! Where each rank has a core, the program itself runs. Four ranks do not have four cores here, so
//! no rank computes: `panto perform` executes the messages of a trace and sleeps while the program
//! would compute. The prediction uses the same trace and a model that `panto calibrate` measured
//! between two of the hosts.

mod ethernet;
#[allow(unsafe_code, reason = "rustix does not offer sched_setscheduler")]
mod switch;
#[allow(unsafe_code, reason = "rustix does not offer the ioctl TUNSETIFF")]
mod tap;

use panto_testkit::hosts::lan;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::cores::{self, record};
use super::prediction::{CoreSpeeds, PredictionInputs, performed, run};
use super::programs::{Program, SHORT};
use super::report::{self, Outcome};
use super::samples;
use crate::bench::Mpi;
use crate::failure::Result;
use lan::Hosts;
use switch::Switch;

/// Rate of a link in Mbit/s, slow enough that two cores can saturate four hosts even with small
/// messages.
const MEGABITS: u64 = 20;
const SIZES: [usize; 2] = [2, 4];
/// Number of times each program is executed.
const ROUNDS: usize = 5;

/// Compares all programs on one MPI; returns whether the goals were met.
pub fn compare(mpi: &Mpi, panto: &Path, folder: &Path) -> Result<bool> {
    let (hosts, _switch) = match network(folder) {
        Ok(network) => network,
        Err(why) => {
            println!("skipped: the comparison across hosts needs root ({why})");
            return Ok(true);
        }
    };
    eprintln!("{}: measuring the network", mpi.name);
    let model = calibrate(mpi, panto, &hosts, folder)?;
    let mut good = true;
    for ranks in SIZES {
        let inputs = PredictionInputs { panto, model: &model, ranks, rules: mpi.rules() };
        let outcomes: Vec<Outcome> =
            SHORT.iter().map(|program| executed(mpi, &hosts, &inputs, program)).collect::<Result<_>>()?;
        let how = if have_cores(ranks) { "the programs themselves" } else { "sleeping instead of computing" };
        let what = format!("{ranks} ranks on {ranks} hosts at {MEGABITS} Mbit/s, {how}");
        samples::save(&format!("{}-{ranks}-hosts", mpi.folder), &outcomes)?;
        good &= report::print(mpi, &what, &outcomes);
    }
    Ok(good)
}

/// Returns whether each rank has a core.
fn have_cores(ranks: usize) -> bool {
    std::thread::available_parallelism().is_ok_and(|cores| ranks <= cores.get())
}

/// Creates the hosts and the switch that connects them.
fn network(folder: &Path) -> std::result::Result<(Hosts, Switch), String> {
    let hosts = Hosts::unconnected(SIZES[SIZES.len() - 1], folder)?;
    let switch = Switch::new(&hosts.processes(), MEGABITS * 1_000_000 / 8)
        .map_err(|error| format!("/dev/net/tun: {error}"))?;
    hosts.configure();
    Ok((hosts, switch))
}

fn calibrate(mpi: &Mpi, panto: &Path, hosts: &Hosts, folder: &Path) -> Result<PathBuf> {
    let model = folder.join(format!("network-{}.toml", mpi.folder));
    let mut command = job(mpi, hosts, 2, panto);
    // The switch is a process of this computer, and takes time of its cores: that is no reason to
    // refuse the model.
    command.args(["calibrate", "--force", "-o"]).arg(&model);
    run(&mut command)?;
    Ok(model)
}

fn executed(
    mpi: &Mpi,
    hosts: &Hosts,
    inputs: &PredictionInputs<'_>,
    program: &'static Program,
) -> Result<Outcome<'static>> {
    let ranks = inputs.ranks;
    eprintln!("{}: {} on {ranks} hosts", mpi.name, program.name);
    let mut outcome = Outcome::new(program);
    let trace = inputs.model.with_file_name(format!("{}-{}-{ranks}-hosts.panto", mpi.folder, program.name));
    record(mpi, inputs.panto, program, ranks, &trace)?;
    let perform =
        |computation| performed(job(mpi, hosts, ranks, inputs.panto), &trace, computation, inputs.rules, &[]);
    for _ in 0..ROUNDS {
        outcome.predicted.push(inputs.predict(&trace, &CoreSpeeds::same())?);
        outcome.actual.push(if have_cores(ranks) {
            let app = mpi.app(program.words[0]);
            cores::run(&mut job(mpi, hosts, ranks, &app), program)?.seconds
        } else {
            perform("sleep")?
        });
        outcome.alone.push(perform("none")?);
    }
    Ok(outcome)
}

/// Creates a job with a rank on each of the first hosts.
fn job(mpi: &Mpi, hosts: &Hosts, ranks: usize, program: &Path) -> Command {
    let words = mpi.across(&hosts.agent(), &hosts.slots(ranks, 1), ranks);
    let mut command = hosts.command(&words[0]);
    command.args(&words[1..]).arg(program);
    command
}
