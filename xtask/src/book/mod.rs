//! `cargo xtask book`: the documentation as a searchable website, in `target/book/html`.
//!
//! The pages are those of `docs/SUMMARY.md`, staged in the folders of the repository so that their
//! links hold, and a page per command from the definitions of the command line. mdBook makes HTML
//! of them; then every link of every page is checked.

mod links;
mod stage;
mod tool;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, Result};
use crate::shell;

pub fn help() -> String {
    "cargo xtask book\n\
     Builds the book of docs/, with a page per command, in target/book/html, and checks its links.\n\
     It needs no network and no server: open target/book/html/index.html. Installs mdBook in\n\
     target/tools if it is not on the path.\n\
     Examples:\n  cargo xtask book\n"
        .to_owned()
}

pub fn run(arguments: &[String]) -> Result<()> {
    if let Some(word) = arguments.first() {
        return Err(Failure::usage(format!("unknown argument `{word}`; `book` has none")));
    }
    build()
}

/// Builds the book and checks its links.
pub fn build() -> Result<()> {
    let mdbook = tool::ensure()?;
    let folder = folder();
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| failed(&folder, &error))?;
    }
    let source = folder.join("src");
    let reference = source.join("docs/cli");
    commands(&reference)?;
    stage::stage(&shell::root(), &source, &stage::reference(&reference)?)?;
    for name in ["book.toml", "book.css"] {
        let from = shell::root().join("docs").join(name);
        fs::copy(&from, folder.join(name)).map_err(|error| failed(&from, &error))?;
    }
    let html = folder.join("html");
    shell::stream(Command::new(mdbook).arg("build").arg(&folder).arg("--dest-dir").arg(&html))?;
    let count = links::check(&html)?;
    println!("{}: {count} links, none dead", shell::shown(&html.join("index.html")));
    Ok(())
}

fn folder() -> PathBuf {
    shell::root().join("target/book")
}

/// Writes a page per command.
fn commands(folder: &Path) -> Result<()> {
    shell::stream(&mut shell::cargo("build --quiet --package panto"))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(shell::root().join("target"), PathBuf::from);
    let mut panto = Command::new(target.join("debug/panto"));
    shell::capture(panto.args(["man", "--markdown", "--dir"]).arg(folder)).map(drop)
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::failed(format!("{}: {error}", path.display()))
}
