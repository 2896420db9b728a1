//! `cargo xtask test`: everything that must hold before a change goes in.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::failure::{Failure, Result};
use crate::needs::{self, pypi};
use crate::{apps, book, dist, help, python, shell, web, words};

struct Step {
    name: &'static str,
    line: &'static str,
    part_of: Loop,
    run: fn() -> Result<()>,
}

/// Which runs have a step if none is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Loop {
    /// The complete one.
    Complete,
    /// The one of `--quick`, for the time between two edits.
    Quick,
    /// Both.
    Both,
    /// None: the step runs only if it is named.
    Named,
}

use Loop::{Both, Complete, Named, Quick};

const STEPS: &[Step] = &[
    Step { name: "needs", line: "what the tests need is installed", part_of: Complete, run: needs::ensure },
    Step {
        name: "apps",
        line: "the programs that tests run are built for each MPI",
        part_of: Complete,
        run: apps::ensure,
    },
    Step {
        name: "words",
        line: "comments, docs and names follow the writing rules",
        part_of: Both,
        run: words::check,
    },
    Step { name: "fmt", line: "the code is formatted", part_of: Both, run: fmt },
    Step { name: "clippy", line: "clippy has no warnings", part_of: Both, run: clippy },
    Step { name: "units", line: "the unit tests pass; none needs an MPI", part_of: Quick, run: units },
    Step {
        name: "deny",
        line: "dependencies are maintained, and have allowed licences and sources",
        part_of: Complete,
        run: deny,
    },
    Step { name: "docs", line: "the documentation builds without warnings", part_of: Complete, run: docs },
    Step { name: "tests", line: "all tests pass, unit tests among them", part_of: Complete, run: tests },
    Step {
        name: "doctests",
        line: "the examples in the documentation work",
        part_of: Complete,
        run: doctests,
    },
    Step {
        name: "web",
        line: "the types of the viewer's modules are correct",
        part_of: Complete,
        run: web::types,
    },
    Step { name: "browser", line: "the viewer works in a browser", part_of: Complete, run: web::browser },
    Step {
        name: "python",
        line: "the Python package has correct types and works",
        part_of: Complete,
        run: python::check,
    },
    Step {
        name: "packages",
        line: "the packages can be built, installed and used",
        part_of: Named,
        run: || dist::run(&[]),
    },
    Step {
        name: "book",
        line: "the book can be built, and no link is dead",
        part_of: Named,
        run: book::build,
    },
];

pub fn help() -> String {
    let complete = list(&part_of(Complete));
    let quick: Vec<&str> = part_of(Quick).iter().map(|step| step.name).collect();
    let only = |which| list(&STEPS.iter().filter(|step| step.part_of == which).collect::<Vec<_>>());
    let (units, named) = (only(Quick), only(Named));
    format!(
        "cargo xtask test [--quick | --only STEP,STEP...] [--list]\n\
         Runs these steps in order and stops at the first that fails:\n{complete}\
         With --quick, between two edits: {} and\n{units}\
         Only if named:\n{named}\
         Examples:\n  cargo xtask test\n  cargo xtask test --quick\n  \
         cargo xtask test --only clippy,docs\n  cargo xtask test --list\n",
        quick[..quick.len() - 1].join(", ")
    )
}

pub fn run(arguments: &[String]) -> Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => run_steps(part_of(Complete)),
        ["--quick"] => run_steps(part_of(Quick)),
        ["--list"] => {
            print!("{}", list(&STEPS.iter().collect::<Vec<_>>()));
            Ok(())
        }
        ["--only", names] => run_steps(select(names)?),
        [word] if word.starts_with("--only=") => run_steps(select(&word["--only=".len()..])?),
        ["--only"] => Err(Failure::usage(format!("--only needs steps; valid names: {}", names()))),
        [word, ..] => Err(Failure::usage(format!(
            "unknown argument `{word}`; `test` has --quick, --only STEP,STEP... and --list (see `cargo xtask test --help`)"
        ))),
    }
}

/// Returns the steps of a loop, in the order of the table.
fn part_of(which: Loop) -> Vec<&'static Step> {
    STEPS.iter().filter(|step| [which, Both].contains(&step.part_of)).collect()
}

fn list(steps: &[&Step]) -> String {
    help::list(steps.iter().map(|step| (step.name, step.line)))
}

/// Returns the named steps, in the order of the table.
fn select(list: &str) -> Result<Vec<&'static Step>> {
    let wanted: Vec<&str> = list.split(',').map(str::trim).collect();
    let known = |name: &str| STEPS.iter().any(|step| step.name == name);
    if let Some(unknown) = wanted.iter().find(|name| !known(name)) {
        return Err(Failure::usage(format!("unknown step `{unknown}`; valid names: {}", names())));
    }
    Ok(STEPS.iter().filter(|step| wanted.contains(&step.name)).collect())
}

fn names() -> String {
    STEPS.iter().map(|step| step.name).collect::<Vec<_>>().join(", ")
}

fn run_steps(steps: Vec<&Step>) -> Result<()> {
    let mut times = Vec::new();
    for step in steps {
        println!("\n== {}: {}", step.name, step.line);
        let start = Instant::now();
        (step.run)().map_err(|failure| stopped(step, &failure))?;
        times.push((step.name, start.elapsed()));
    }
    println!("\n== {}", summary(&times));
    Ok(())
}

fn stopped(step: &Step, failure: &Failure) -> Failure {
    Failure::failed(format!(
        "the step `{0}` failed: {failure}\n`cargo xtask test --only {0}` runs this step alone.",
        step.name
    ))
}

fn summary(times: &[(&str, Duration)]) -> String {
    let each: Vec<String> =
        times.iter().map(|(name, time)| format!("{name} {:.1} s", time.as_secs_f64())).collect();
    let total: Duration = times.iter().map(|(_, time)| time).sum();
    format!("all passed: {}; {:.1} s in total", each.join(", "), total.as_secs_f64())
}

fn fmt() -> Result<()> {
    shell::stream(&mut shell::cargo("fmt --all --check"))
        .map_err(|failure| Failure::failed(format!("{failure}; `cargo fmt --all` fixes it")))
}

fn clippy() -> Result<()> {
    shell::stream(&mut shell::incremental_cargo("clippy --workspace --all-targets -- -D warnings"))
}

/// Checks dependencies by `deny.toml` where the tool is installed; advisories where their database
/// is, too, because tests need no network.
fn deny() -> Result<()> {
    if !shell::on_path("cargo-deny") {
        println!("skipped: cargo-deny is not installed; `cargo install cargo-deny --locked` installs it");
        return Ok(());
    }
    shell::stream(&mut shell::cargo("deny --offline check licenses bans sources"))?;
    if !has_advisories() {
        println!("skipped: no database of advisories; `cargo deny fetch db` gets it");
        return Ok(());
    }
    shell::stream(&mut shell::cargo("deny --offline check advisories"))
}

fn has_advisories() -> bool {
    let own = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = own.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    home.is_some_and(|home| home.join("advisory-dbs").is_dir())
}

fn docs() -> Result<()> {
    shell::stream(shell::cargo("doc --workspace --no-deps").env("RUSTDOCFLAGS", "-D warnings"))
}

/// Runs the tests inside the crates' modules: most of what a mistake breaks, in seconds.
fn units() -> Result<()> {
    let runner = if shell::on_path("cargo-nextest") { "nextest run" } else { "test" };
    shell::stream(&mut shell::incremental_cargo(&format!("{runner} --workspace --lib --bins")))
}

fn tests() -> Result<()> {
    // Not `--all-targets`: that would run the benchmarks as well, unoptimised.
    let arguments = if shell::on_path("cargo-nextest") {
        "nextest run --workspace"
    } else {
        "test --workspace --lib --bins --tests --examples"
    };
    // Where SimGrid is installed, its tests must run.
    let simgrid = shell::on_path("smpirun").then_some(("PANTO_TEST_SIMGRID", "1"));
    shell::stream(shell::cargo(arguments).envs(pypi::variables()).envs(apps::variables()).envs(simgrid))
}

fn doctests() -> Result<()> {
    shell::stream(&mut shell::cargo("test --workspace --doc"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(list: &str) -> Vec<&'static str> {
        select(list).unwrap().iter().map(|step| step.name).collect()
    }

    #[test]
    fn steps_run_in_the_order_of_the_table() {
        assert_eq!(chosen("docs,clippy"), ["clippy", "docs"]);
    }

    #[test]
    fn the_quick_loop_has_what_takes_seconds() {
        let names = |which| part_of(which).iter().map(|step| step.name).collect::<Vec<_>>();
        assert_eq!(names(Quick), ["words", "fmt", "clippy", "units"]);
        assert!(!names(Complete).contains(&"units"), "`tests` has them");
        assert!(help().contains("--quick, between two edits: words, fmt, clippy and\n  units"));
    }

    #[test]
    fn an_unknown_step_lists_the_valid_names() {
        let failure = select("clippy,doc").err().unwrap();
        assert!(matches!(failure, Failure::Usage(_)));
        assert!(failure.to_string().contains(
            "needs, apps, words, fmt, clippy, units, deny, docs, tests, doctests, web, browser, python, packages, book"
        ));
    }

    #[test]
    fn an_unknown_option_is_named() {
        assert!(run(&["--fast".to_owned()]).unwrap_err().to_string().contains("`--fast`"));
    }

    #[test]
    fn the_summary_adds_up() {
        let times = [("fmt", Duration::from_millis(500)), ("clippy", Duration::from_millis(1500))];
        assert_eq!(summary(&times), "all passed: fmt 0.5 s, clippy 1.5 s; 2.0 s in total");
    }
}
