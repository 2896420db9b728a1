//! The guide is true: every command of `docs/guide` runs, page after page in one folder, every link
//! has a target, and the pictures are drawn by the commands. `PANTO_BLESS=1` redraws them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::shell::Shell;

fn guide() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide").canonicalize().expect("the guide is there")
}

/// Returns the targets of a page's links that are in this repository.
fn links(text: &str) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.to_owned()).filter(|target| !target.contains("://")).collect()
}

/// Returns whether a file name has this extension.
fn is(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|own| own == extension)
}

/// Returns the pages in the order in which the first page lists them, beginning with that page.
fn pages() -> Vec<(String, String)> {
    let page = |name: String| {
        let text = fs::read_to_string(guide().join(&name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, text)
    };
    let first = page("README.md".into());
    let others: Vec<_> = links(&first.1).into_iter().map(page).collect();
    std::iter::once(first).chain(others).collect()
}

/// Returns the blocks of commands of a page.
fn blocks(text: &str) -> Vec<&str> {
    text.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("sh\n")).collect()
}

#[test]
fn the_commands_of_the_guide_run() {
    let shell = Shell::new();
    for (name, text) in pages() {
        for block in blocks(&text) {
            if block.contains("mpirun") && !shell.has_mpi {
                eprintln!("{name}: skipped, no MPI is installed:\n{block}");
                continue;
            }
            let output = shell.run(block);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{name}: {}\n{block}\n{errors}", output.status);
        }
        for picture in links(&text).iter().filter(|link| is(link, "svg")) {
            drawn(&shell.folder().join(picture), &guide().join(picture));
        }
    }
}

/// Asserts that a picture of the guide is drawn by its commands, and is small.
fn drawn(made: &Path, kept: &Path) {
    if std::env::var_os("PANTO_BLESS").is_some() {
        fs::copy(made, kept).expect("it can be written");
    }
    for path in [made, kept] {
        let picture = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(picture.contains("</svg>") && picture.len() < 30_000, "{}", path.display());
    }
}

#[test]
fn the_links_of_the_guide_lead_somewhere() {
    let pages = pages();
    for (name, text) in &pages {
        for link in links(text) {
            let target = link.split('#').next().unwrap_or_default();
            assert!(guide().join(target).exists(), "{name}: {link}");
        }
    }
    let listed: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
    for entry in fs::read_dir(guide()).expect("a folder").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(!is(&name, "md") || listed.contains(&name.as_str()), "{name} is not listed");
    }
}
