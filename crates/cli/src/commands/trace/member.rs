//! `mpirun -n 4 panto trace -- ./app`: every rank has a `panto` process of its own, and the last
//! one to end combines the files.
//!
//! The processes coordinate only through the directory of the ranks' files. Before it starts the
//! program, each removes the files of an earlier run that have its number; since no rank completes
//! `MPI_Init` before all have started, all files found later belong to this run. At its end each
//! process creates a marker file; one that then finds the markers of all takes the lock and
//! combines.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::PathBuf;

use panto_mpi::launch::Launch;
use panto_trace::Trace;

use super::target::Target;
use crate::failure::Failure;
use crate::print;

/// One of the processes that a launcher started.
pub struct Member<'a> {
    target: &'a Target,
    rank: usize,
    size: Option<usize>,
}

impl<'a> Member<'a> {
    /// Returns the member with the rank from the launcher; `None` without a launcher.
    pub fn new(target: &'a Target, launch: Option<Launch>) -> Option<Self> {
        let launch = launch?;
        Some(Self { target, rank: launch.rank?, size: launch.size })
    }

    /// Returns the rank.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Creates the directory, and removes files of an earlier run with this rank.
    pub fn enter(&self) -> Result<(), Failure> {
        self.target.share()?;
        let mut old = vec![self.own("rank"), self.own("done")];
        if self.rank == 0 {
            if old[0].exists() {
                print::note(format_args!(
                    "panto: replacing the files of an earlier run in {}",
                    self.target.ranks().display()
                ));
            }
            old.push(self.lock());
            old.extend(self.beyond());
        }
        for path in old {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Failure::write(&path, &error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Creates the marker; returns whether this process is the one that combines.
    pub fn leave(&self) -> Result<bool, Failure> {
        let marker = self.own("done");
        match File::create(&marker) {
            // Another process has already combined and removed the directory.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            made => drop(made.map_err(|error| Failure::write(&marker, &error))?),
        }
        Ok(self.are_all_done() && File::create_new(self.lock()).is_ok())
    }

    /// Returns whether every process has created its marker. If the launcher does not tell the
    /// number of ranks, it is taken from the files.
    fn are_all_done(&self) -> bool {
        // A file that cannot be read yet belongs to a rank that is not done.
        let from_trace =
            || Trace::open(self.target.ranks()).map_or(usize::MAX, |trace| trace.size() as usize);
        let size = self.size.unwrap_or_else(from_trace);
        let done = self.numbers("done");
        (0..size).all(|rank| done.contains(&rank))
    }

    /// Returns the files of an earlier run with more ranks.
    fn beyond(&self) -> Vec<PathBuf> {
        let Some(size) = self.size else { return Vec::new() };
        let old = self.numbers("rank").into_iter().filter(|number| *number >= size);
        old.map(|number| self.target.ranks().join(format!("{number}.rank"))).collect()
    }

    /// Returns the numbers of the files with this extension. The directory is listed, because a
    /// network file system may cache that a single file did not exist.
    fn numbers(&self, extension: &str) -> Vec<usize> {
        let entries = fs::read_dir(self.target.ranks()).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        let ours = paths.filter(|path| path.extension() == Some(OsStr::new(extension)));
        ours.filter_map(|path| path.file_stem()?.to_str()?.parse().ok()).collect()
    }

    fn own(&self, extension: &str) -> PathBuf {
        self.target.ranks().join(format!("{}.{extension}", self.rank))
    }

    fn lock(&self) -> PathBuf {
        self.target.ranks().join("combine.lock")
    }
}

#[cfg(test)]
mod tests {
    use panto_mpi::launch::Launcher;

    use super::*;

    fn member(target: &Target, rank: usize, size: Option<usize>) -> Member<'_> {
        let launch = Launch { launcher: Launcher::Hydra, rank: Some(rank), size };
        Member::new(target, Some(launch)).unwrap()
    }

    #[test]
    fn only_the_last_member_combines() {
        let directory = tempfile::tempdir().unwrap();
        let target = Target::new(directory.path().join("app.panto"), false).unwrap();
        let members: Vec<Member<'_>> = (0..3).map(|rank| member(&target, rank, Some(3))).collect();
        for member in &members {
            member.enter().unwrap();
        }
        let last: Vec<bool> = [1, 0, 2].map(|rank| members[rank].leave().unwrap()).to_vec();
        assert_eq!(last, [false, false, true]);
        assert!(!members[0].leave().unwrap());
        target.clear().unwrap();
        assert!(!members[1].leave().unwrap());
    }

    #[test]
    fn files_of_an_earlier_run_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let target = Target::new(directory.path().join("app.panto"), false).unwrap();
        target.share().unwrap();
        for name in ["0.rank", "0.done", "1.rank", "1.done", "combine.lock", "2.rank"] {
            fs::write(target.ranks().join(name), "old").unwrap();
        }
        let (first, second) = (member(&target, 0, Some(2)), member(&target, 1, Some(2)));
        first.enter().unwrap();
        second.enter().unwrap();
        assert_eq!(fs::read_dir(target.ranks()).unwrap().count(), 0);
        assert!(!second.leave().unwrap());
        assert!(first.leave().unwrap());
    }

    #[test]
    fn there_is_no_member_without_a_launcher() {
        let target = Target::new("app.panto".into(), true).unwrap();
        assert!(Member::new(&target, None).is_none());
    }
}
