//! The guide is true: every command of `docs/guide` runs, page after page in one folder, every link
//! has a target, and the pictures are drawn by the commands. `PANTO_BLESS=1` redraws them.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// Returns the launcher of an MPI that starts more ranks than there are cores.
fn launcher() -> Option<&'static str> {
    let all = [("mpiexec.mpich", "mpiexec.mpich"), ("mpirun.openmpi", "mpirun.openmpi --oversubscribe")];
    let works = |name: &str| Command::new(name).arg("--version").output().is_ok();
    all.into_iter().find(|(name, _)| works(name)).map(|(_, line)| line)
}

/// Returns a folder with `panto`, and with `mpirun` if an MPI is installed.
fn programs(folder: &Path) -> PathBuf {
    let bin = folder.join("bin");
    fs::create_dir(&bin).expect("a folder");
    symlink(env!("CARGO_BIN_EXE_panto"), bin.join("panto")).expect("a link");
    if let Some(launcher) = launcher() {
        let path = bin.join("mpirun");
        fs::write(&path, format!("#!/bin/sh\nexec {launcher} \"$@\"\n")).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it can be run");
    }
    bin
}

#[test]
fn the_commands_of_the_guide_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let bin = programs(folder.path());
    let path = std::env::var("PATH").unwrap_or_default();
    for (name, text) in pages() {
        for block in blocks(&text) {
            if block.contains("mpirun") && !bin.join("mpirun").exists() {
                eprintln!("{name}: no MPI is installed, passed over:\n{block}");
                continue;
            }
            let mut shell = Command::new("sh");
            shell.args(["-eu", "-c", block]).current_dir(folder.path());
            shell.env("PATH", format!("{}:{path}", bin.display()));
            // Open MPI refuses to run as root without these.
            shell.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
            let output = shell.output().expect("a shell");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{name}: {}\n{block}\n{said}", output.status);
        }
        for picture in links(&text).iter().filter(|link| is(link, "svg")) {
            drawn(&folder.path().join(picture), &guide().join(picture));
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
