//! `cargo xtask bench`: Panto's own speed.

mod against;
mod build;
mod echo;
mod instrument;
mod launch;
mod mpi;
mod noise;
mod panto;
mod pingpong;
mod programs;
mod rivals;
mod run;
mod simulate;
mod spread;
mod trace;

pub use mpi::{Mpi, Source, installed, too_few_cores};
pub use panto::build as build_panto;
pub use spread::{Spread, interval, ratios};

use std::path::PathBuf;

use against::Series;

use crate::failure::{Failure, Result};
use crate::help;

/// Half round trips in nanoseconds, in the order of [`SIZES`].
type Times = Vec<f64>;

/// Message sizes of the comparison. `pingpong.c` has the same list.
const SIZES: &[(u64, &str)] = &[(8, "8 B"), (1 << 10, "1 KiB"), (1 << 16, "64 KiB"), (1 << 20, "1 MiB")];

/// The outcome of a part.
enum Outcome {
    Done,
    /// Done, with figures that runs are compared by.
    Measured(Vec<Series>),
    /// Skipped for this reason.
    Skipped(String),
}

struct Part {
    name: &'static str,
    line: &'static str,
    /// Whether it runs when no part is named.
    by_default: bool,
    /// Whether its figures can be saved and compared.
    has_series: bool,
    run: fn() -> Result<Outcome>,
}

const PARTS: &[Part] = &[
    Part {
        name: "echo",
        line: "messages between two ranks: Panto, Open MPI and MPICH interleaved (needs 2 cores, gcc, an MPI)",
        by_default: true,
        has_series: false,
        run: echo::run,
    },
    Part {
        name: "mpi",
        line: "instrument error: Panto beside a ping-pong in C, for each MPI",
        by_default: true,
        has_series: false,
        run: instrument::run,
    },
    Part {
        name: "mpi-startup",
        line: "what Panto adds to the start-up of an MPI program",
        by_default: true,
        has_series: false,
        run: launch::run,
    },
    Part {
        name: "trace",
        line: "cost of tracing: time and bytes per call; reading a trace",
        by_default: true,
        has_series: false,
        run: trace::run,
    },
    Part {
        name: "startup",
        line: "start, barrier and stop of many ranks",
        by_default: true,
        has_series: false,
        run: programs::startup,
    },
    Part {
        name: "overhead",
        line: "what the measuring loop adds",
        by_default: true,
        has_series: false,
        run: programs::overhead,
    },
    Part {
        name: "stats",
        line: "the time of a full fit",
        by_default: true,
        has_series: false,
        run: programs::stats,
    },
    Part {
        name: "simulated",
        line: "messages per second and memory of simulated machines",
        by_default: true,
        has_series: false,
        run: programs::simulated,
    },
    Part {
        name: "simulate",
        line: "predictions from start to exit: operations per second on one core and on all",
        by_default: true,
        has_series: true,
        run: simulate::run,
    },
    Part {
        name: "run",
        line: "programs inside a simulated machine: calls per second on four ranks",
        by_default: true,
        has_series: false,
        run: run::run,
    },
    Part {
        name: "noise",
        line: "whether figures can be believed on a busy machine; ten minutes, only when named",
        by_default: false,
        has_series: false,
        run: noise::run,
    },
    Part {
        name: "rivals",
        line: "predictions: Panto beside SimGrid, on the same traces and the same machine",
        by_default: true,
        has_series: false,
        run: rivals::run,
    },
    Part {
        name: "build",
        line: "a clean release build; only when named, or with --build",
        by_default: false,
        has_series: false,
        run: build::run,
    },
];

pub fn help() -> String {
    let parts = help::list(PARTS.iter().map(|part| (part.name, part.line)));
    format!(
        "cargo xtask bench [PART...] [--save FILE] [--against FILE] [--build] [--list]\n\
         Measures these parts; what is not installed is skipped and named:\n{parts}\
         --save FILE     writes the times of each round of `simulate`\n\
         --against FILE  compares them with an earlier run; exit code 1 if one is slower beyond doubt\n\
         Examples:\n  cargo xtask bench\n  cargo xtask bench echo startup\n  cargo xtask bench --build\n  \
         cargo xtask bench simulate --save before.jsonl\n  \
         cargo xtask bench simulate --against before.jsonl\n"
    )
}

pub fn run(arguments: &[String]) -> Result<()> {
    if arguments.iter().any(|argument| argument == "--list") {
        print!("{}", help::list(PARTS.iter().map(|part| (part.name, part.line))));
        return Ok(());
    }
    let mut arguments = arguments.to_vec();
    let target = take_file(&mut arguments, "--save")?;
    let earlier = take_file(&mut arguments, "--against")?;
    let parts = select(&arguments)?;
    let file = target.as_ref().or(earlier.as_ref());
    if let Some(file) = file.filter(|_| !parts.iter().any(|part| part.has_series)) {
        let file = file.display();
        return Err(Failure::usage(format!("no part with figures for {file}; name `simulate`")));
    }
    // An unreadable file is an error before anything is measured.
    let earlier = earlier.map(|file| against::read(&file)).transpose()?;
    let mut measured = Vec::new();
    for part in parts {
        println!("\n== {}: {}", part.name, part.line);
        match (part.run)()? {
            Outcome::Done => {}
            Outcome::Measured(series) => measured.extend(series),
            Outcome::Skipped(reason) => println!("skipped: {reason}"),
        }
    }
    target.map_or(Ok(()), |file| against::save(&file, &measured))?;
    earlier.map_or(Ok(()), |earlier| against::compare(&earlier, &measured))
}

/// Takes an option with its file from the arguments.
fn take_file(arguments: &mut Vec<String>, option: &str) -> Result<Option<PathBuf>> {
    let Some(place) = arguments.iter().position(|argument| argument == option) else { return Ok(None) };
    if arguments.len() < place + 2 {
        return Err(Failure::usage(format!("`{option}` needs a file, as in `{option} before.jsonl`")));
    }
    let file = arguments.drain(place..place + 2).next_back();
    Ok(file.map(PathBuf::from))
}

/// Returns the named parts, or the default ones.
fn select(arguments: &[String]) -> Result<Vec<&'static Part>> {
    let (options, named): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|word| word.starts_with('-'));
    if let Some(unknown) = options.iter().find(|option| **option != "--build") {
        return Err(Failure::usage(format!(
            "unknown option `{unknown}`; `bench` has --save, --against, --build and --list"
        )));
    }
    if let Some(unknown) = named.iter().find(|name| !PARTS.iter().any(|part| part.name == **name)) {
        let parts: Vec<_> = PARTS.iter().map(|part| part.name).collect();
        return Err(Failure::usage(format!("unknown part `{unknown}`; valid names: {}", parts.join(", "))));
    }
    let build = !options.is_empty();
    let chosen = |part: &&Part| {
        let is_named = named.iter().any(|name| *name == part.name);
        is_named || (named.is_empty() && part.by_default) || (build && part.name == "build")
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
    fn the_default_parts_exclude_the_long_ones() {
        let default = chosen(&[]);
        assert!(default.contains(&"echo") && default.contains(&"rivals"));
        assert!(!default.contains(&"noise") && !default.contains(&"build"));
        assert_eq!(chosen(&["--build"]), [default.as_slice(), &["build"]].concat());
    }

    #[test]
    fn named_parts_alone() {
        assert_eq!(chosen(&["stats", "echo"]), ["echo", "stats"]);
        assert_eq!(chosen(&["build"]), ["build"]);
    }

    #[test]
    fn a_file_belongs_to_its_option() {
        let mut words: Vec<String> = ["simulate", "--save", "a.jsonl", "--build"].map(str::to_owned).to_vec();
        assert_eq!(take_file(&mut words, "--save").unwrap(), Some(PathBuf::from("a.jsonl")));
        assert_eq!(words, ["simulate", "--build"]);
        assert_eq!(take_file(&mut words, "--against").unwrap(), None);
        let message = take_file(&mut vec!["--against".to_owned()], "--against").unwrap_err().to_string();
        assert_eq!(message, "`--against` needs a file, as in `--against before.jsonl`");
    }

    #[test]
    fn files_need_a_part_with_figures() {
        let words = ["stats", "--save", "a.jsonl"].map(str::to_owned);
        let message = run(&words).unwrap_err().to_string();
        assert_eq!(message, "no part with figures for a.jsonl; name `simulate`");
    }

    #[test]
    fn an_unknown_part_lists_the_valid_names() {
        let failure = select(&["ehco".to_owned()]).err().unwrap();
        let message = failure.to_string();
        assert!(message.contains("unknown part `ehco`"), "{message}");
        assert!(PARTS.iter().all(|part| message.contains(part.name)), "{message}");
    }
}
