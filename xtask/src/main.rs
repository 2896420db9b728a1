//! The chores of the project: `cargo xtask --help`.
//!
//! Codes such as P17 in comments are requirements: rows of `docs/conformance.md`.
#![deny(unsafe_code)]

mod accuracy;
mod apps;
mod bench;
mod book;
mod dist;
mod failure;
mod help;
mod needs;
mod pictures;
mod python;
mod scratch;
mod shell;
mod test;
mod web;
mod words;

use std::process::ExitCode;

use failure::{Failure, Result};

/// Something that `cargo xtask` does.
struct Chore {
    name: &'static str,
    line: &'static str,
    help: fn() -> String,
    run: fn(&[String]) -> Result<()>,
}

const CHORES: &[Chore] = &[
    Chore { name: "test", line: "all checks and tests; CI runs this", help: test::help, run: test::run },
    Chore {
        name: "bench",
        line: "Panto's own speed, side by side with MPI",
        help: bench::help,
        run: bench::run,
    },
    Chore {
        name: "accuracy",
        line: "predicted times of programs beside real ones",
        help: accuracy::help,
        run: accuracy::run,
    },
    Chore {
        name: "apps",
        line: "builds the MPI programs of apps/ for each installed MPI",
        help: apps::help,
        run: apps::run,
    },
    Chore {
        name: "dist",
        line: "packages for machines without a Rust toolchain",
        help: dist::help,
        run: dist::run,
    },
    Chore {
        name: "book",
        line: "the documentation as a searchable website, with checked links",
        help: book::help,
        run: book::run,
    },
    Chore {
        name: "pictures",
        line: "draws the pictures of the README from a real run",
        help: pictures::help,
        run: pictures::run,
    },
    Chore {
        name: "words",
        line: "checks the language of comments, docs and names",
        help: words::help,
        run: words::run,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            failure.exit_code()
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<()> {
    let Some((name, rest)) = arguments.split_first() else {
        return Err(Failure::usage(format!(
            "missing chore; valid names: {}; see `cargo xtask --help`",
            names()
        )));
    };
    if help::is_requested(name) {
        print!("{}", help::all(CHORES));
        return Ok(());
    }
    let Some(chore) = CHORES.iter().find(|chore| chore.name == name) else {
        return Err(Failure::usage(format!(
            "unknown chore `{name}`; valid names: {} (see `cargo xtask --help`)",
            names()
        )));
    };
    if rest.iter().any(|argument| help::is_requested(argument)) {
        print!("{}", (chore.help)());
        return Ok(());
    }
    (chore.run)(rest)
}

fn names() -> String {
    let names: Vec<_> = CHORES.iter().map(|chore| format!("`{}`", chore.name)).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_chore_lists_the_valid_names() {
        let failure = dispatch(&["tset".to_owned()]).unwrap_err();
        assert!(matches!(failure, Failure::Usage(_)));
        assert!(failure.to_string().contains("`test`, `bench`, `accuracy`, `apps`"));
    }
}
