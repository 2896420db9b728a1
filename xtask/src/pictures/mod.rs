//! `cargo xtask pictures`: the pictures of the README, from a real run. The README's own commands
//! are run in order; what they write is shown in a browser, in light and in dark.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bench::build_panto;
use crate::failure::{Failure, Result};
use crate::scratch::Scratch;
use crate::{apps, dist, needs, shell, web};

/// What the picture needs besides Rust.
const NEEDS: [&str; 5] = ["gcc", "MPICH", "Chromium", "Node.js", "playwright-core and TypeScript"];

/// The program that the README traces, where `cargo xtask apps` puts it.
const PROGRAM: &str = "target/apps/mpich/stencil";

/// The right half of the picture: the predicted run.
const VIEWER: &str = "panto view stencil.ptl --html viewer.html";

pub fn help() -> String {
    "cargo xtask pictures\n\
     Runs the commands of README.md with a release build, and draws docs/pictures/first-*.webp:\n\
     the report and the viewer that they write, side by side, in light and in dark. Figures are\n\
     those of this computer, so let nothing else run.\n\
     Examples:\n  cargo xtask pictures\n"
        .to_owned()
}

pub fn run(arguments: &[String]) -> Result<()> {
    if let Some(word) = arguments.first() {
        return Err(Failure::usage(format!("unknown argument `{word}`; `pictures` has none")));
    }
    if let Some(need) = needs::first_missing(&NEEDS) {
        return Err(Failure::failed(format!("{} is missing; to install it: {}", need.name, need.remedy())));
    }
    apps::ensure()?;
    let scratch = Scratch::new("pictures")?;
    let desk = Desk::new(scratch.path(), &build_panto()?)?;
    let page = read(&shell::root().join("README.md"))?;
    for line in commands(&page).chain([VIEWER]) {
        println!("\n$ {line}");
        desk.run(line)?;
    }
    web::picture(scratch.path(), &folder())?;
    sizes()
}

fn folder() -> PathBuf {
    shell::root().join("docs/pictures")
}

/// Returns the commands of a page: the lines with a prompt.
fn commands(page: &str) -> impl Iterator<Item = &str> {
    page.lines().filter_map(|line| line.strip_prefix("$ "))
}

/// A folder in which commands run as a reader of the README types them.
struct Desk<'a> {
    folder: &'a Path,
    path: OsString,
}

impl<'a> Desk<'a> {
    /// Puts `panto`, `mpirun` and the program of the README where its reader has them.
    fn new(folder: &'a Path, panto: &Path) -> Result<Self> {
        let bin = folder.join("bin");
        fs::create_dir(&bin).map_err(|error| failed(&bin, &error))?;
        for (target, link) in
            [(panto, bin.join("panto")), (&shell::root().join(PROGRAM), folder.join("stencil"))]
        {
            symlink(target, &link).map_err(|error| failed(&link, &error))?;
        }
        // Not a link: MPICH's launcher finds its other programs beside itself.
        dist::write(&bin.join("mpirun"), "#!/bin/sh\nexec mpiexec.mpich \"$@\"\n")?;
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(bin.join("mpirun"), executable).map_err(|error| failed(&bin, &error))?;
        let old = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([bin].into_iter().chain(std::env::split_paths(&old)));
        Ok(Self { folder, path: path.map_err(|error| Failure::failed(format!("PATH: {error}")))? })
    }

    fn run(&self, line: &str) -> Result<()> {
        shell::stream(Command::new("sh").args(["-c", line]).current_dir(self.folder).env("PATH", &self.path))
    }
}

/// Prints the sizes of the pictures. A test of the README limits them.
fn sizes() -> Result<()> {
    for entry in fs::read_dir(folder()).map_err(|error| failed(&folder(), &error))?.flatten() {
        let bytes = entry.metadata().map_err(|error| failed(&entry.path(), &error))?.len();
        println!("{}: {bytes} bytes", shell::shown(&entry.path()));
    }
    Ok(())
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| failed(path, &error))
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::failed(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_story_of_the_readme_writes_what_is_shown() {
        let page = read(&shell::root().join("README.md")).unwrap();
        let lines: Vec<&str> = commands(&page).collect();
        for name in ["report.html", "stencil.ptl", "./stencil"] {
            assert!(lines.iter().any(|line| line.contains(name)), "{name}: {lines:?}");
        }
    }
}
