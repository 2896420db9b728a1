//! `cargo xtask bench`: the repository's own speed.

mod build;
mod echo;
mod instrument;
mod launch;
mod mpi;
mod panto;
mod pingpong;
mod programs;
mod rivals;
mod spread;
mod trace;

pub use mpi::{Mpi, Source, installed, too_few_cores};
pub use panto::build as build_panto;
pub use spread::{Spread, interval, ratios};

use crate::failure::{Failure, Result};
use crate::help;

/// Half round trips in nanoseconds, in the order of the sizes.
type Times = Vec<f64>;

/// Message sizes of the comparison. `pingpong.c` has them too.
const SIZES: &[(u64, &str)] = &[(8, "8 B"), (1 << 10, "1 KiB"), (1 << 16, "64 KiB"), (1 << 20, "1 MiB")];

/// What became of a part.
enum Outcome {
    Done,
    /// It was left out, and why.
    Skipped(String),
}

struct Part {
    name: &'static str,
    line: &'static str,
    /// Does it run when no part is named?
    usual: bool,
    run: fn() -> Result<Outcome>,
}

const PARTS: &[Part] = &[
    Part {
        name: "echo",
        line: "messages between two ranks: Panto, Open MPI and MPICH in turn (needs 2 cores, gcc, an MPI)",
        usual: true,
        run: echo::run,
    },
    Part {
        name: "mpi",
        line: "the same on one MPI: Panto beside a ping-pong in C, for each MPI",
        usual: true,
        run: instrument::run,
    },
    Part {
        name: "mpi-startup",
        line: "what Panto adds to the start of an MPI program",
        usual: true,
        run: launch::run,
    },
    Part {
        name: "trace",
        line: "what tracing costs: time and bytes a call; reading a trace",
        usual: true,
        run: trace::run,
    },
    Part {
        name: "startup",
        line: "start, barrier and stop of many ranks",
        usual: true,
        run: programs::startup,
    },
    Part { name: "overhead", line: "what the measuring loop adds", usual: true, run: programs::overhead },
    Part { name: "stats", line: "the time of a full fit", usual: true, run: programs::stats },
    Part {
        name: "simulated",
        line: "messages a second and memory of simulated machines",
        usual: true,
        run: programs::simulated,
    },
    Part {
        name: "rivals",
        line: "predictions: Panto beside SimGrid, on the same traces and the same machine",
        usual: true,
        run: rivals::run,
    },
    Part {
        name: "build",
        line: "a release build from nothing; only when named, or with --build",
        usual: false,
        run: build::run,
    },
];

pub fn help() -> String {
    let parts = help::list(PARTS.iter().map(|part| (part.name, part.line)));
    format!(
        "cargo xtask bench [PART...] [--build] [--list]\n\
         Measures these parts; what is not installed is skipped and named:\n{parts}\
         Examples:\n  cargo xtask bench\n  cargo xtask bench echo startup\n  cargo xtask bench --build\n"
    )
}

pub fn run(arguments: &[String]) -> Result<()> {
    if arguments.iter().any(|argument| argument == "--list") {
        print!("{}", help::list(PARTS.iter().map(|part| (part.name, part.line))));
        return Ok(());
    }
    for part in select(arguments)? {
        println!("\n== {}: {}", part.name, part.line);
        if let Outcome::Skipped(reason) = (part.run)()? {
            println!("skipped: {reason}");
        }
    }
    Ok(())
}

/// The named parts, or the usual ones.
fn select(arguments: &[String]) -> Result<Vec<&'static Part>> {
    let (options, named): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|word| word.starts_with('-'));
    if let Some(unknown) = options.iter().find(|option| **option != "--build") {
        return Err(Failure::usage(format!(
            "`bench` does not know `{unknown}`; it knows --build and --list"
        )));
    }
    if let Some(unknown) = named.iter().find(|name| !PARTS.iter().any(|part| part.name == **name)) {
        let parts: Vec<_> = PARTS.iter().map(|part| part.name).collect();
        return Err(Failure::usage(format!("there is no part `{unknown}`; there are {}", parts.join(", "))));
    }
    let build = !options.is_empty();
    let chosen = |part: &&Part| {
        let is_named = named.iter().any(|name| *name == part.name);
        is_named || (named.is_empty() && part.usual) || (build && part.name == "build")
    };
    Ok(PARTS.iter().filter(chosen).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(words: &[&str]) -> Vec<&'static str> {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        select(&words).unwrap().iter().map(|part| part.name).collect()
    }

    #[test]
    fn the_usual_parts_leave_the_build_out() {
        let usual =
            ["echo", "mpi", "mpi-startup", "trace", "startup", "overhead", "stats", "simulated", "rivals"];
        assert_eq!(chosen(&[]), usual);
        assert_eq!(chosen(&["--build"]), [usual.as_slice(), &["build"]].concat());
    }

    #[test]
    fn named_parts_alone() {
        assert_eq!(chosen(&["stats", "echo"]), ["echo", "stats"]);
        assert_eq!(chosen(&["build"]), ["build"]);
    }

    #[test]
    fn an_unknown_part_is_told_which_there_are() {
        let failure = select(&["ehco".to_owned()]).err().unwrap();
        assert!(
            failure.to_string().contains(
                "echo, mpi, mpi-startup, trace, startup, overhead, stats, simulated, rivals, build"
            )
        );
    }
}
