//! The installation of mdBook, which turns Markdown into the website.

use std::path::PathBuf;
use std::process::Command;

use crate::failure::Result;
use crate::shell;

/// The releases whose configuration `docs/book.toml` is written for.
const VERSION: &str = "0.5";

/// Returns mdBook: that on the path if its version fits, or one that is installed in
/// `target/tools`.
pub fn ensure() -> Result<PathBuf> {
    let root = shell::root().join("target/tools");
    let own = root.join("bin/mdbook");
    if let Some(found) = [shell::find("mdbook"), Some(own.clone())].into_iter().flatten().find(fits) {
        return Ok(found);
    }
    println!("installing mdBook in {}, once", shell::shown(&root));
    // Without its server and its watcher, which are not used, it has half the dependencies.
    let line = "install mdbook --locked --force --no-default-features --features search --version";
    shell::stream(shell::cargo(line).arg(format!("^{VERSION}")).arg("--root").arg(&root))?;
    Ok(own)
}

/// Returns whether a program is a version of mdBook that can be used.
fn fits(program: &PathBuf) -> bool {
    let output = Command::new(program).arg("--version").output();
    output.is_ok_and(|output| is_known(&String::from_utf8_lossy(&output.stdout)))
}

fn is_known(version: &str) -> bool {
    let number = version.trim().trim_start_matches("mdbook").trim().trim_start_matches('v');
    number.starts_with(&format!("{VERSION}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_versions_are_not_used() {
        assert!(is_known("mdbook v0.5.4\n"));
        assert!(!is_known("mdbook v0.4.51") && !is_known("0.51.0") && !is_known(""));
    }
}
