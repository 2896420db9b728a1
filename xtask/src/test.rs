//! `cargo xtask test`: everything that must hold before a change goes in.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::failure::{Failure, Result};
use crate::needs::{self, pypi};
use crate::{apps, help, shell, web, words};

struct Step {
    name: &'static str,
    line: &'static str,
    run: fn() -> Result<()>,
}

const STEPS: &[Step] = &[
    Step { name: "needs", line: "what the tests need is installed", run: needs::ensure },
    Step { name: "apps", line: "the programs that tests run are built for each MPI", run: apps::ensure },
    Step { name: "words", line: "comments, docs and names follow the writing rules", run: words::check },
    Step { name: "fmt", line: "the code is formatted", run: fmt },
    Step { name: "clippy", line: "clippy has no warnings", run: clippy },
    Step {
        name: "deny",
        line: "dependencies are maintained, and have allowed licences and sources",
        run: deny,
    },
    Step { name: "docs", line: "the documentation builds without warnings", run: docs },
    Step { name: "tests", line: "all tests pass", run: tests },
    Step { name: "doctests", line: "the examples in the documentation work", run: doctests },
    Step { name: "web", line: "the types of the viewer's modules are correct", run: web::types },
    Step { name: "browser", line: "the viewer works in a browser", run: web::browser },
];

pub fn help() -> String {
    let steps = help::list(STEPS.iter().map(|step| (step.name, step.line)));
    format!(
        "cargo xtask test [--only STEP,STEP...] [--list]\n\
         Runs these steps in order and stops at the first that fails:\n{steps}\
         Examples:\n  cargo xtask test\n  cargo xtask test --only clippy,docs\n  cargo xtask test --list\n"
    )
}

pub fn run(arguments: &[String]) -> Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => run_steps(STEPS.iter().collect()),
        ["--list"] => {
            print!("{}", help::list(STEPS.iter().map(|step| (step.name, step.line))));
            Ok(())
        }
        ["--only", names] => run_steps(select(names)?),
        [word] if word.starts_with("--only=") => run_steps(select(&word["--only=".len()..])?),
        ["--only"] => Err(Failure::usage(format!("--only needs steps; valid names: {}", names()))),
        [word, ..] => Err(Failure::usage(format!(
            "unknown argument `{word}`; `test` has --only STEP,STEP... and --list (see `cargo xtask test --help`)"
        ))),
    }
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
    shell::stream(&mut shell::cargo("clippy --workspace --all-targets -- -D warnings"))
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
    fn an_unknown_step_lists_the_valid_names() {
        let failure = select("clippy,doc").err().unwrap();
        assert!(matches!(failure, Failure::Usage(_)));
        assert!(
            failure
                .to_string()
                .contains("needs, apps, words, fmt, clippy, deny, docs, tests, doctests, web, browser")
        );
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
