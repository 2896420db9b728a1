//! Checks of the project's language: the part of CONTRIBUTING.md's writing rules that a program can
//! hold.
//!
//! - Doc comments stand alone: they begin with a capital letter and end with a period
//!   ([`doc_comments`]).
//! - Comments are wrapped at 100 columns ([`comments`]).
//! - Markdown is wrapped at 100 columns ([`markdown`]), and the paths it names exist ([`paths`]).
//! - Retired words do not come back, neither in names nor in comments, docs or output
//!   ([`retired`]).

mod comments;
mod doc_comments;
mod markdown;
mod paths;
mod retired;
mod tokens;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, Result};
use crate::shell;

/// A place that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Violation {
    /// The line, counted from 1.
    line: usize,
    /// What is wrong there, and the remedy.
    message: String,
}

impl Violation {
    fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.message)
    }
}

/// Columns of a line of prose, in comments (with their indentation) and in Markdown.
const MAX_COLUMNS: usize = 100;

/// Violations printed before the rest is only counted.
const MAX_SHOWN: usize = 200;

/// Checks every tracked file of the repository.
pub fn check() -> Result<()> {
    check_paths(&[])
}

/// Runs `cargo xtask words [PATH...]`: checks the tracked files under the given paths, or all.
pub fn run(arguments: &[String]) -> Result<()> {
    check_paths(arguments)
}

/// Returns the help text of the chore.
pub fn help() -> String {
    "cargo xtask words [PATH...]\n\
     Checks comments, docs and names: doc comments are sentences, comments and Markdown are\n\
     wrapped at 100 columns, and retired words do not appear. Without paths, the whole\n\
     repository.\n\
     Examples:\n  cargo xtask words\n  cargo xtask words crates/sim docs/traces.md\n"
        .to_owned()
}

fn check_paths(paths: &[String]) -> Result<()> {
    let mut found = Vec::new();
    for path in tracked(paths)? {
        // A binary file or a file deleted from the work tree has no words.
        let Ok(text) = fs::read_to_string(shell::root().join(&path)) else { continue };
        found.extend(violations(&path, &text).into_iter().map(|one| format!("{}:{one}", path.display())));
    }
    if found.is_empty() {
        return Ok(());
    }
    for line in found.iter().take(MAX_SHOWN) {
        println!("{line}");
    }
    Err(Failure::failed(format!(
        "{} violations of the writing rules in CONTRIBUTING.md{}",
        found.len(),
        if found.len() > MAX_SHOWN { format!(", the first {MAX_SHOWN} above") } else { String::new() }
    )))
}

/// Returns the files under version control below the paths, relative to the root.
fn tracked(paths: &[String]) -> Result<Vec<PathBuf>> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--"]).args(paths).current_dir(shell::root());
    let list = shell::capture(&mut git)?;
    Ok(list.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from).collect())
}

/// Checks one file with every rule that applies to its kind.
fn violations(path: &Path, text: &str) -> Vec<Violation> {
    let mut found = Vec::new();
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("rs") => {
            found.extend(comments::check(text));
            found.extend(doc_comments::check(text));
        }
        Some("md") => {
            found.extend(markdown::check(text));
            found.extend(paths::check(&shell::root(), text));
        }
        Some("js" | "c" | "h" | "py" | "css" | "html" | "toml" | "snap" | "yml") => {}
        _ => return found,
    }
    if !retired::is_exempt(path) {
        found.extend(retired::check(path, text));
    }
    found.sort_by_key(|violation| violation.line);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_follow_the_kind_of_file() {
        let long = "word ".repeat(30);
        assert_eq!(violations(Path::new("a.md"), &long).len(), 1);
        assert_eq!(violations(Path::new("a.toml"), &long), []);
        assert_eq!(violations(Path::new("a.rs"), "/// second half.").len(), 1);
        assert_eq!(violations(Path::new("a.rs"), &format!("// {long}")).len(), 1);
    }

    #[test]
    fn violations_come_in_the_order_of_lines() {
        let text = "/// Nobody waits.\nfn a() {}\n/// half.\nfn b() {}\n";
        let lines: Vec<usize> =
            violations(Path::new("a.rs"), text).iter().map(|violation| violation.line).collect();
        assert_eq!(lines, [1, 3]);
    }
}
