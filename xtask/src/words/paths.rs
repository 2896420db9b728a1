//! Paths in Markdown exist: a document that names `crates/sim/src/costs.rs` is wrong once that file
//! is gone.

use std::path::Path;

use super::Violation;

/// The folders of the repository whose paths are checked.
const ROOTS: &[&str] = &[
    "apps/",
    "crates/",
    "data/",
    "docs/",
    "examples/",
    "machines/",
    "packaging/",
    "python/",
    "scenarios/",
    "xtask/",
];

pub(super) fn check(root: &Path, text: &str) -> Vec<Violation> {
    let lines = text.lines().enumerate();
    lines
        .flat_map(|(index, line)| code_spans(line).map(move |span| (index + 1, span)))
        .filter(|(_, span)| is_path(span) && !root.join(span).exists())
        .map(|(line, span)| Violation::new(line, format!("`{span}` does not exist")))
        .collect()
}

/// Returns what stands between single backticks on a line.
fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Returns whether a code span is a plain path: no placeholders, arguments or line numbers.
fn is_path(span: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-".contains(c);
    ROOTS.iter().any(|root| span.starts_with(root)) && span.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell;

    fn lines(text: &str) -> Vec<usize> {
        check(&shell::root(), text).iter().map(|violation| violation.line).collect()
    }

    #[test]
    fn a_path_that_is_gone_is_found() {
        assert_eq!(lines("See `xtask/src/main.rs`\nand `crates/gone/src/lib.rs`."), [2]);
    }

    #[test]
    fn placeholders_and_commands_are_not_paths() {
        assert!(lines("`crates/<name>`, `crates/*`, `docs/a.md --flag`, `target/release/panto`").is_empty());
    }
}
