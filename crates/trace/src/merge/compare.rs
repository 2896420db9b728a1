//! What is said when runs took different ways.

use super::run::{Call, Run};
use crate::error::{Error, Result};
use crate::table::{Communicator, Tables};

const REMEDY: &str = "runs can be merged if they took the same way, and wild cards met the same messages; leave this run out, or trace again";

/// Two runs have different calls at the same place.
pub fn differ(first: &Run, call: Option<&Call>, run: &Run, other: Option<&Call>) -> Error {
    let rank = first.rank().rank();
    let [one, two] = [(first, call), (run, other)].map(|(run, call)| describe(run, call));
    Error::Mismatch(format!("rank {rank}: the runs differ: {one}, and {two}; {REMEDY}"))
}

fn describe(run: &Run, call: Option<&Call>) -> String {
    let path = run.rank().source().path().display();
    match call {
        None => format!("in {path} it has no more calls"),
        Some(call) => {
            let action = run.action(call).map_or_else(String::new, |action| format!(" ({action:?})"));
            format!("call {} in {path} is {}{action}", call.position, run.name(call))
        }
    }
}

/// Do two runs mean the same by the numbers of datatypes, communicators, windows and files?
pub fn tables(first: &Run, run: &Run) -> Result<()> {
    let (one, other) = (first.tables(), run.tables());
    let what = if one.types() != other.types() {
        "datatypes"
    } else if one.things() != other.things() {
        "windows or files"
    } else if !have_same_comms(one, other) {
        "communicators"
    } else {
        return Ok(());
    };
    Err(Error::Mismatch(format!(
        "rank {}: {} made other {what} than {}; {REMEDY}",
        first.rank().rank(),
        run.rank().source().path().display(),
        first.rank().source().path().display()
    )))
}

/// Names have other numbers in each run: those of polls in vain come when they come.
fn have_same_comms(one: &Tables, other: &Tables) -> bool {
    let made_by = |tables: &Tables, comm: &Communicator| tables.name(comm.made_by).map(str::to_owned);
    let is_same = |(first, second): (&Communicator, &Communicator)| {
        made_by(one, first) == made_by(other, second)
            && Communicator { made_by: second.made_by, ..first.clone() } == *second
    };
    one.comms().len() == other.comms().len() && one.comms().iter().zip(other.comms()).all(is_same)
}
