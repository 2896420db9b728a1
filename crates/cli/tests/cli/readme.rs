//! The README is true: its commands run in order, as pasted, in one folder, and print lines like
//! those that it shows; its pictures exist and are small.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::shell::Shell;
use super::{stderr, stdout};

/// The largest picture, in bytes: a page that many people open must load quickly.
const MOST_BYTES: u64 = 200_000;

/// A command after a prompt, and the lines that the page shows as its output.
struct Example<'a> {
    line: &'a str,
    shown: Vec<&'a str>,
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

fn page() -> String {
    fs::read_to_string(repository().join("README.md")).expect("the page is there")
}

/// Returns the commands in the blocks of code of a page.
fn examples(page: &str) -> Vec<Example<'_>> {
    let mut found: Vec<Example<'_>> = Vec::new();
    for block in page.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("console\n")) {
        for line in block.lines() {
            match (line.strip_prefix("$ "), found.last_mut()) {
                (Some(line), _) => found.push(Example { line, shown: Vec::new() }),
                (None, Some(last)) => last.shown.push(line),
                (None, None) => panic!("output before the first command: {line}"),
            }
        }
    }
    found
}

#[test]
fn the_commands_of_the_page_run_in_order() {
    let shell = Shell::new();
    if !(shell.has_mpi && shell.has_apps) {
        eprintln!("skipped: the page needs an MPI and the programs of `cargo xtask apps`");
        return;
    }
    symlink("target/apps/mpich/stencil", shell.folder().join("stencil")).expect("a link");
    let page = page();
    let examples = examples(&page);
    assert_eq!(examples.len(), 5, "five commands are the whole story");
    for Example { line, shown } in examples {
        let output = printed(&shell, line);
        for line_shown in shown {
            let known = label(line_shown).is_none_or(|label| output.contains(label));
            assert!(known, "`{line}` does not print a line like\n{line_shown}\nbut\n{output}");
        }
    }
}

/// Runs a command and returns what it prints. A model of a busy machine is poor, which is an error
/// that names its remedy; the remedy is then applied.
fn printed(shell: &Shell, line: &str) -> String {
    let mut output = shell.run(line);
    if !output.status.success() && stderr(&output).contains("--force") {
        output = shell.run(&format!("{line} --force"));
    }
    assert!(output.status.success(), "{line}: {}", stderr(&output));
    format!("{}\n{}", stdout(&output), stderr(&output))
}

/// Returns what a line of output begins with, if that is a word that is the same in every run.
fn label(line: &str) -> Option<&str> {
    let word = line.split_whitespace().next()?;
    word.chars().all(|c| c.is_ascii_alphabetic()).then_some(word)
}

#[test]
fn the_pictures_exist_and_are_small() {
    let page = page();
    let sources = page.split(['"', ' ']).filter(|word| word.starts_with("docs/pictures/"));
    let mut count = 0;
    for source in sources {
        let file =
            fs::metadata(repository().join(source)).unwrap_or_else(|error| panic!("{source}: {error}"));
        assert!(file.len() < MOST_BYTES, "{source} has {} bytes", file.len());
        count += 1;
    }
    assert!(count >= 2, "light and dark");
}

#[test]
fn the_links_of_the_page_lead_somewhere() {
    let page = page();
    let targets = page.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    for (target, _) in targets.filter(|(target, _)| !target.contains("://")) {
        let path = target.split('#').next().unwrap_or_default();
        assert!(repository().join(path).exists(), "{target}");
    }
}
