//! A Debian package: the files of a prefix where Debian's policy has them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::target::Target;
use super::{VERSION, build, stage};
use crate::failure::{Failure, Result};
use crate::scratch::Scratch;
use crate::shell;

/// Files that Debian has elsewhere, by their paths under a prefix, or not at all.
const MOVED: [(&str, Option<&str>); 5] = [
    ("share/zsh/site-functions/_panto", Some("share/zsh/vendor-completions/_panto")),
    // `copyright` has them.
    ("share/doc/panto/LICENSE-APACHE", None),
    ("share/doc/panto/LICENSE-MIT", None),
    ("share/doc/panto/SBOM.cdx.json", None),
    // It is for machines whose software is not installed under `/usr`.
    ("share/modulefiles", None),
];

/// Packs the files of a prefix into a package in the folder, and returns its path.
pub fn pack(prefix: &Path, target: Target, folder: &Path, seconds: u64) -> Result<PathBuf> {
    let scratch = Scratch::new("debian")?;
    let root = scratch.path().join("root");
    for file in stage::files(prefix)? {
        let name = file.strip_prefix(prefix).unwrap_or(&file);
        if let Some(place) = place(name) {
            stage::copy(&file, &root.join("usr").join(place))?;
        }
    }
    let documents = root.join("usr/share/doc/panto");
    stage::copy(&shell::root().join("packaging/debian/copyright"), &documents.join("copyright"))?;
    stage::write(&documents.join("changelog"), changelog(&date(seconds)?))?;
    compress(&root)?;
    stage::write(&root.join("DEBIAN/control"), control(target, kibibytes(&root)?))?;
    stage::write(&root.join("DEBIAN/md5sums"), checksums(&root)?)?;
    shell::stream(Command::new("chmod").args(["-R", "u=rwX,go=rX"]).arg(&root))?;
    let package = folder.join(format!("panto_{VERSION}_{}.deb", target.debian));
    let mut dpkg = Command::new("dpkg-deb");
    dpkg.args(["--root-owner-group", "-Zxz", "--build"]).arg(&root).arg(&package);
    shell::stream(dpkg.env("SOURCE_DATE_EPOCH", seconds.to_string()))?;
    Ok(package)
}

/// Returns where a file of a prefix is under `/usr`, if it is installed.
fn place(name: &Path) -> Option<PathBuf> {
    for (from, to) in MOVED {
        if let Ok(rest) = name.strip_prefix(from) {
            return to.map(|to| Path::new(to).join(rest).components().collect());
        }
    }
    Some(name.to_path_buf())
}

/// Compresses man pages and changelogs, as policy 12.1 and 12.7 demand.
fn compress(root: &Path) -> Result<()> {
    let share = root.join("usr/share");
    let named = ["doc/panto/changelog", "doc/panto/CHANGELOG.md"].map(|name| share.join(name));
    let pages = stage::files(&share.join("man"))?;
    let present = named.into_iter().filter(|path| path.is_file()).chain(pages);
    shell::stream(Command::new("gzip").arg("-9n").args(present))
}

fn changelog(date: &str) -> String {
    let maintainer = maintainer();
    format!(
        "panto ({VERSION}) unstable; urgency=medium\n\n  * CHANGELOG.md lists what changed.\n\n -- {maintainer}  {date}\n"
    )
}

/// Returns who made the package, from the variables that Debian's own programs read.
fn maintainer() -> String {
    let variable = |name, default: &str| std::env::var(name).unwrap_or(default.to_owned());
    let name = variable("DEBFULLNAME", "The Panto authors");
    format!("{name} <{}>", variable("DEBEMAIL", "panto@example.org"))
}

/// Returns a time in the format of RFC 5322.
fn date(seconds: u64) -> Result<String> {
    let text =
        shell::capture(Command::new("date").args(["-Ru", "-d", &format!("@{seconds}")]).env("LC_ALL", "C"))?;
    Ok(text.trim().to_owned())
}

fn control(target: Target, kibibytes: u64) -> String {
    let (major, minor) = build::GLIBC;
    format!(
        "Package: panto\nVersion: {VERSION}\nArchitecture: {}\nMaintainer: {}\nInstalled-Size: {kibibytes}\n\
         Depends: libc6 (>= {major}.{minor})\nSuggests: mpich | openmpi-bin\nSection: science\nPriority: optional\n\
         Description: laboratory for message-passing performance\n \
         Panto measures how a machine passes messages, records what an MPI program\n \
         does without recompiling it, and predicts how that program would run on\n \
         another machine. The MPI of the launcher is found at run time.\n",
        target.debian,
        maintainer()
    )
}

fn kibibytes(root: &Path) -> Result<u64> {
    let size = |path: &PathBuf| fs::metadata(path).map_or(0, |file| file.len().div_ceil(1024));
    Ok(stage::files(root)?.iter().map(size).sum())
}

/// Returns the checksums of all files, by which `dpkg --verify` finds changed ones.
fn checksums(root: &Path) -> Result<String> {
    let files = stage::files(&root.join("usr"))?;
    let names = files.iter().filter_map(|path| path.strip_prefix(root).ok());
    shell::capture(Command::new("md5sum").args(names).current_dir(root))
}

/// Checks a package by Debian's rules where lintian is installed, unpacks it and starts the binary
/// if it is one of this computer.
pub fn try_out(package: &Path, target: Target) -> Result<()> {
    if shell::on_path("lintian") {
        let mut lintian = Command::new("lintian");
        lintian.args(["--allow-root", "--fail-on", "error,warning", "--tag-display-limit", "0"]);
        shell::stream(lintian.arg(package))?;
    } else {
        println!("skipped: lintian is not installed; `apt-get install lintian` installs it");
    }
    let scratch = Scratch::new("unpacked")?;
    shell::stream(Command::new("dpkg-deb").arg("-x").arg(package).arg(scratch.path()))?;
    let pages = stage::files(&scratch.path().join("usr/share/man/man1"))?.len();
    println!("{}: {pages} man pages", shell::shown(package));
    if target.is_native() {
        return shell::stream(Command::new(scratch.path().join("usr/bin/panto")).arg("--version"));
    }
    Ok(())
}

/// Returns why no package can be made here, if so.
pub fn missing() -> Option<Failure> {
    let reason = "dpkg-deb is missing; `apt-get install dpkg` installs it, also on other systems";
    (!shell::on_path("dpkg-deb")).then(|| Failure::failed(reason))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::target::ALL;

    #[test]
    fn files_are_where_debian_has_them() {
        if missing().is_some() {
            eprintln!("skipped: dpkg-deb is not installed");
            return;
        }
        let scratch = Scratch::new("package").unwrap();
        let prefix = scratch.path().join("prefix");
        for path in stage::CONTENTS {
            stage::write(&prefix.join(path), path).unwrap();
        }
        let package = pack(&prefix, ALL[0], scratch.path(), 1_000_000_000).unwrap();
        let listed = shell::capture(Command::new("dpkg-deb").arg("-c").arg(&package)).unwrap();
        for name in [
            "usr/bin/panto",
            "usr/share/bash-completion/completions/panto",
            "usr/share/doc/panto/changelog.gz",
            "usr/share/doc/panto/copyright",
            "usr/share/man/man1/panto-bench.1.gz",
            "usr/share/zsh/vendor-completions/_panto",
        ] {
            assert!(listed.lines().any(|line| line.ends_with(&format!("./{name}"))), "{name} in\n{listed}");
        }
        assert!(!listed.contains("LICENSE") && !listed.contains("modulefiles"), "{listed}");
        let control = shell::capture(Command::new("dpkg-deb").arg("-I").arg(&package)).unwrap();
        assert!(control.contains("Architecture: amd64") && control.contains("libc6 (>= 2.17)"), "{control}");
    }
}
