//! A tar archive of a folder that depends on its content alone: sorted, without owners, with the
//! time of the commit.

use std::path::Path;
use std::process::Command;

use super::stage::CONTENTS;
use crate::failure::{Failure, Result};
use crate::shell;

/// Packs the folder `name` of `parent` into an archive.
pub fn pack(parent: &Path, name: &str, archive: &Path, seconds: u64) -> Result<()> {
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"]);
    tar.arg(format!("--mtime=@{seconds}")).args(["--use-compress-program=gzip -9n", "-cf"]).arg(archive);
    shell::stream(tar.arg("-C").arg(parent).arg(name))?;
    check(archive, name)
}

/// Fails if an archive lacks one of the files of every package.
fn check(archive: &Path, name: &str) -> Result<()> {
    let listed = shell::capture(Command::new("tar").arg("-tzf").arg(archive))?;
    let missing: Vec<&str> = CONTENTS
        .into_iter()
        .filter(|path| !listed.lines().any(|line| line == format!("{name}/{path}")))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Failure::failed(format!("{} lacks {}", shell::shown(archive), missing.join(", "))))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::dist::stage;
    use crate::scratch::Scratch;

    fn staged(folder: &Path, files: &[&str]) {
        for file in files {
            stage::write(&folder.join("panto-1/").join(file), file).unwrap();
        }
    }

    #[test]
    fn an_archive_has_everything_and_depends_on_nothing_else() {
        let scratch = Scratch::new("archive").unwrap();
        let archives = ["a", "b"].map(|name| {
            let folder = scratch.path().join(name);
            staged(&folder, &CONTENTS);
            let archive = folder.join("panto.tar.gz");
            pack(&folder, "panto-1", &archive, 1_000_000_000).unwrap();
            fs::read(archive).unwrap()
        });
        assert_eq!(archives[0], archives[1]);
    }

    #[test]
    fn a_file_that_is_missing_is_named() {
        let scratch = Scratch::new("incomplete").unwrap();
        staged(scratch.path(), &CONTENTS[1..]);
        let archive = scratch.path().join("panto.tar.gz");
        let failure = pack(scratch.path(), "panto-1", &archive, 0).unwrap_err();
        assert!(failure.to_string().ends_with("lacks bin/panto"), "{failure}");
    }
}
