//! The library that is loaded into the program: carried in this binary, unpacked where the program finds it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::StatVfsMountFlags;

use crate::failure::Failure;
use crate::out;

/// The library, as the build script made it.
const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libpanto_tracer.so"));

/// Its name. Two versions never meet under the same one.
const NAME: &str = concat!("libpanto-tracer-", env!("PANTO_TRACER_CHECKSUM"), ".so");

/// The variable by which the dynamic linker is told.
pub const VARIABLE: &str = "LD_PRELOAD";

/// The library on disk. A folder that was made for it alone goes when this does.
pub struct Preload {
    path: PathBuf,
    own_folder: Option<PathBuf>,
}

impl Preload {
    /// Unpacks it into the folder of the ranks, which all hosts of a job see. `writer` tells apart those who do so at once.
    pub fn unpack(ranks: &Path, writer: &str) -> Result<Self, Failure> {
        let Some(why) = unfit(ranks) else {
            let path = ranks.join(NAME);
            write(&path, writer)?;
            return Ok(Self { path, own_folder: None });
        };
        let folder = own_folder().map_err(|error| Failure::write(&std::env::temp_dir(), &error))?;
        let preload = Self { path: folder.join(NAME), own_folder: Some(folder) };
        if let Some(too) = unfit(&std::env::temp_dir()) {
            return Err(Failure::Usage(format!(
                "{why}, and {too}; name a place that is fit for both with -o, or another folder for temporary files with TMPDIR"
            )));
        }
        write(&preload.path, writer)?;
        out::note(format_args!(
            "panto: {why}; the tracer is in {} instead, and ranks on other hosts do not find it there",
            preload.path.display()
        ));
        Ok(preload)
    }

    /// What the variable should be, in front of what it is.
    pub fn value(&self, present: Option<&OsStr>) -> OsString {
        let mut value = self.path.clone().into_os_string();
        if let Some(present) = present.filter(|present| !present.is_empty()) {
            value.push(":");
            value.push(present);
        }
        value
    }
}

impl Drop for Preload {
    fn drop(&mut self) {
        if let Some(folder) = &self.own_folder {
            let _ = fs::remove_file(&self.path);
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Why programs cannot load a library from this folder.
fn unfit(folder: &Path) -> Option<String> {
    let bytes = folder.as_os_str().as_bytes();
    if bytes.iter().any(|byte| byte.is_ascii_whitespace() || *byte == b':') {
        return Some(format!("{}: {VARIABLE} takes no spaces and colons", folder.display()));
    }
    let flags = rustix::fs::statvfs(folder).ok()?.f_flag;
    flags.contains(StatVfsMountFlags::NOEXEC).then(|| format!("{} is mounted with noexec", folder.display()))
}

/// A folder that nobody else can write to: what lies in a shared one under a known name could be anybody's.
fn own_folder() -> std::io::Result<PathBuf> {
    let process = std::process::id();
    let names = (0..100).map(|number| std::env::temp_dir().join(format!("panto-{process}-{number}")));
    let mut outcome = Err(std::io::ErrorKind::AlreadyExists.into());
    for path in names {
        outcome = DirBuilder::new().mode(0o700).create(&path).map(|()| path);
        if !matches!(&outcome, Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists) {
            break;
        }
    }
    outcome
}

/// Writes the library under another name first: nobody loads half of it.
fn write(path: &Path, writer: &str) -> Result<(), Failure> {
    if path.metadata().is_ok_and(|data| data.len() == LIBRARY.len() as u64) {
        return Ok(());
    }
    let partial = path.with_extension(format!("{writer}.so"));
    let written = File::create(&partial)
        .and_then(|mut file| file.write_all(LIBRARY))
        .and_then(|()| fs::rename(&partial, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&partial);
        Failure::write(path, &error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_unpacked_once_and_whole() {
        let folder = tempfile::tempdir().unwrap();
        for writer in ["0", "1"] {
            let preload = Preload::unpack(folder.path(), writer).unwrap();
            assert_eq!(fs::read(&preload.path).unwrap(), LIBRARY);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn it_goes_elsewhere_if_the_linker_could_not_name_it() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["with space", "with:colon"] {
            let ranks = folder.path().join(name);
            fs::create_dir(&ranks).unwrap();
            let preload = Preload::unpack(&ranks, "0").unwrap();
            let path = preload.path.clone();
            assert!(path.is_file() && !path.starts_with(&ranks), "{}", path.display());
            drop(preload);
            assert!(!path.parent().unwrap().exists());
        }
    }

    #[test]
    fn other_libraries_stay_preloaded() {
        let preload = Preload { path: "/ranks/it.so".into(), own_folder: None };
        assert_eq!(preload.value(None), "/ranks/it.so");
        assert_eq!(preload.value(Some(OsStr::new(""))), "/ranks/it.so");
        assert_eq!(preload.value(Some(OsStr::new("/a.so b.so"))), "/ranks/it.so:/a.so b.so");
    }
}
