//! `cargo xtask accuracy`: predicted against measured (P22).
//!
//! Each program is traced with all ranks on one core, predicted for two, and then run on two,
//! repeatedly: what is compared was measured within a second or two, because the speed of a virtual
//! machine changes. The only inputs of a prediction beside the trace are the machine's model and
//! the speeds of its cores, which other programs measure. Then the same across hosts, where the
//! network takes the time.

mod core_speed;
mod cores;
mod network;
mod prediction;
mod programs;
mod report;
mod samples;

use crate::apps;
use crate::bench::{Spread, build_panto, installed, too_few_cores};
use crate::failure::{Failure, Result};
use crate::scratch::Scratch;
use programs::{PROGRAMS, Program};

/// Number of times each program is traced and run, interleaved with the others. Runs differ by up
/// to a fifth, so that the median of fewer would be imprecise.
const ROUNDS: usize = 31;
/// Ranks of the programs on two cores.
const PAIR: usize = 2;
/// The argument that selects the comparison across hosts.
const NETWORK: &str = "network";

pub fn help() -> String {
    let names: Vec<&str> = PROGRAMS.iter().map(|program| program.name).collect();
    format!(
        "cargo xtask accuracy [PROGRAM...] [{NETWORK}]\n\
         Traces each program with all ranks on one core, predicts how long it takes on two that are as fast as they are found to be,\n\
         and runs it there; {ROUNDS} times, in turns with the others. Then, or for `{NETWORK}` alone, carries traces out on 2 and 4\n\
         hosts made of network namespaces, beside their predictions. Ends with 1 if a goal was missed. Programs: {}.\n",
        names.join(", ")
    )
}

pub fn run(arguments: &[String]) -> Result<()> {
    let is_network = |word: &&String| word.as_str() == NETWORK;
    let has_network = arguments.is_empty() || arguments.iter().any(|word| is_network(&word));
    let words: Vec<&String> = arguments.iter().filter(|word| !is_network(word)).collect();
    let programs = if words.is_empty() && !arguments.is_empty() { Vec::new() } else { chosen(&words)? };
    if let Some(reason) = too_few_cores() {
        println!("nothing is compared: {reason}");
        return Ok(());
    }
    apps::ensure()?;
    let panto = build_panto()?;
    let scratch = Scratch::new("accuracy")?;
    let mut good = true;
    for mpi in installed() {
        good &= programs.is_empty() || cores::compare(mpi, &panto, &programs, scratch.path())?;
        good &= !has_network || network::compare(mpi, &panto, scratch.path())?;
    }
    if good { Ok(()) } else { Err(Failure::failed("a goal was missed; see the tables above".to_owned())) }
}

fn chosen(names: &[&String]) -> Result<Vec<&'static Program>> {
    if names.is_empty() {
        return Ok(PROGRAMS.iter().collect());
    }
    let find = |name: &&String| {
        PROGRAMS.iter().find(|program| program.name == name.as_str()).ok_or_else(|| {
            Failure::usage(format!("unknown program `{name}`; see `cargo xtask accuracy --help`"))
        })
    };
    names.iter().map(find).collect()
}

/// Returns the median.
fn median(times: &[f64]) -> f64 {
    Spread::of(times).median
}
