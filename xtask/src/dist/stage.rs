//! The installed files, in the layout of a prefix such as `/usr`: the binary, man pages,
//! completions, documents and a module file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, Result};
use crate::shell;

/// Documents of the repository that are installed.
const DOCUMENTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// What programs include to name regions.
const HEADERS: [&str; 2] = ["panto.h", "panto.f90"];

/// The completions of each shell, where it looks for them.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/panto"),
    ("zsh", "share/zsh/site-functions/_panto"),
    ("fish", "share/fish/vendor_completions.d/panto.fish"),
];

/// What every package has, by its path under the prefix.
pub const CONTENTS: [&str; 14] = [
    "bin/panto",
    "include/panto.f90",
    "include/panto.h",
    "share/bash-completion/completions/panto",
    "share/doc/panto/CHANGELOG.md",
    "share/doc/panto/LICENSE-APACHE",
    "share/doc/panto/LICENSE-MIT",
    "share/doc/panto/README.md",
    "share/doc/panto/SBOM.cdx.json",
    "share/fish/vendor_completions.d/panto.fish",
    "share/man/man1/panto.1",
    "share/man/man1/panto-bench.1",
    concat!("share/modulefiles/panto/", env!("CARGO_PKG_VERSION")),
    "share/zsh/site-functions/_panto",
];

/// Installs everything under a prefix that does not exist yet. A binary of this computer prints
/// the pages, whatever the target of the installed one; `bill` is the bill of materials.
pub fn install(binary: &Path, native: &Path, bill: &Path, prefix: &Path) -> Result<()> {
    copy(binary, &prefix.join("bin/panto"))?;
    copy(bill, &prefix.join("share/doc/panto/SBOM.cdx.json"))?;
    let module = prefix.join("share/modulefiles/panto").join(env!("CARGO_PKG_VERSION"));
    copy(&shell::root().join("packaging/modulefiles/panto"), &module)?;
    for name in HEADERS {
        copy(&shell::root().join("include").join(name), &prefix.join("include").join(name))?;
    }
    for name in DOCUMENTS {
        copy(&shell::root().join(name), &prefix.join("share/doc/panto").join(name))?;
    }
    for (shell_name, path) in COMPLETIONS {
        let script = shell::capture(Command::new(native).args(["completions", shell_name]))?;
        write(&prefix.join(path), script)?;
    }
    let pages = prefix.join("share/man/man1");
    shell::capture(Command::new(native).args(["man", "--dir"]).arg(pages)).map(drop)
}

/// Copies a file into a folder that is created if needed.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    create_parent(to)?;
    fs::copy(from, to).map(drop).map_err(|error| failed(from, &error))
}

/// Writes a file into a folder that is created if needed.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    create_parent(path)?;
    fs::write(path, content).map_err(|error| failed(path, &error))
}

fn create_parent(path: &Path) -> Result<()> {
    let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    fs::create_dir_all(&folder).map_err(|error| failed(&folder, &error))
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::failed(format!("{}: {error}", path.display()))
}

/// Returns all files under a folder, in order.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| failed(folder, &error))? {
        let path = entry.map_err(|error| failed(folder, &error))?.path();
        if path.is_dir() { found.extend(files(&path)?) } else { found.push(path) }
    }
    found.sort();
    Ok(found)
}
