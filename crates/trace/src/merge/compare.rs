//! The errors for runs that differ.

use super::run::{Call, Run};
use crate::error::{Error, Result};
use crate::table::{Communicator, Tables};

const REMEDY: &str = "runs can be merged if they made the same calls and their wildcards matched the same messages; leave this run out, or trace again";

/// Returns the error for two runs that have different calls at the same position.
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

/// Checks that numbers of datatypes, communicators, windows and files have the same meaning in two
/// runs.
pub fn tables(first: &Run, run: &Run) -> Result<()> {
    let (one, other) = (first.tables(), run.tables());
    let what = if one.types() != other.types() {
        "datatypes"
    } else if one.windows_and_files() != other.windows_and_files() {
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

/// Compares communicators without the numbers of names, which differ between runs: those of polls
/// are defined when they first occur.
fn have_same_comms(one: &Tables, other: &Tables) -> bool {
    let made_by = |tables: &Tables, comm: &Communicator| tables.name(comm.made_by).map(str::to_owned);
    let is_same = |(first, second): (&Communicator, &Communicator)| {
        made_by(one, first) == made_by(other, second)
            && Communicator { made_by: second.made_by, ..first.clone() } == *second
    };
    one.comms().len() == other.comms().len() && one.comms().iter().zip(other.comms()).all(is_same)
}
