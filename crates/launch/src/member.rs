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

use panto_trace::Trace;

use crate::error::{Error, Result};
use crate::target::Target;

/// One of the processes that a launcher started, each of which runs the program of one rank.
#[derive(Debug)]
pub struct Member<'a> {
    target: &'a Target,
    rank: usize,
    size: Option<usize>,
}

impl<'a> Member<'a> {
    /// Returns the member with this rank. `size` is the number of ranks, if the launcher tells it.
    pub fn new(target: &'a Target, rank: usize, size: Option<usize>) -> Self {
        Self { target, rank, size }
    }

    /// Returns the rank.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Creates the directory, and removes files of an earlier run with this rank. Returns whether
    /// rank 0 found any.
    pub fn enter(&self) -> Result<bool> {
        self.target.share()?;
        let mut old = vec![self.own("rank"), self.own("done")];
        let replaces = self.rank == 0 && old[0].exists();
        if self.rank == 0 {
            old.push(self.lock());
            old.extend(self.beyond());
        }
        for path in old {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::write(path, error));
                }
                _ => {}
            }
        }
        Ok(replaces)
    }

    /// Creates the marker; returns whether this process is the one that combines.
    pub fn leave(&self) -> Result<bool> {
        let marker = self.own("done");
        match File::create(&marker) {
            // Another process has already combined and removed the directory.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            made => drop(made.map_err(|error| Error::write(&marker, error))?),
        }
        Ok(self.are_all_done() && self.take_lock())
    }

    /// Takes the lock; returns false if another process has it, or has had it and is removing the
    /// directory.
    fn take_lock(&self) -> bool {
        if File::create_new(self.lock()).is_err() {
            return false;
        }
        let is_first = self.are_all_done();
        if !is_first {
            let _ = fs::remove_file(self.lock());
            let _ = fs::remove_dir(self.target.ranks());
        }
        is_first
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
    use super::*;

    #[test]
    fn only_the_last_member_combines() {
        let directory = tempfile::tempdir().unwrap();
        let target = Target::new(directory.path().join("app.panto"), false).unwrap();
        let members: Vec<Member<'_>> = (0..3).map(|rank| Member::new(&target, rank, Some(3))).collect();
        for member in &members {
            member.enter().unwrap();
        }
        let last: Vec<bool> = [1, 0, 2].map(|rank| members[rank].leave().unwrap()).to_vec();
        assert_eq!(last, [false, false, true]);
        assert!(!members[0].leave().unwrap());
        target.clear().unwrap();
        assert!(!members[1].leave().unwrap());
    }

    /// A process may have seen the markers of all before another one combined.
    #[test]
    fn a_directory_that_is_being_removed_is_not_combined_again() {
        let directory = tempfile::tempdir().unwrap();
        let target = Target::new(directory.path().join("app.panto"), false).unwrap();
        let members: Vec<Member<'_>> = (0..2).map(|rank| Member::new(&target, rank, Some(2))).collect();
        for member in &members {
            member.enter().unwrap();
        }
        assert!(!members[0].leave().unwrap());
        assert!(members[1].leave().unwrap());
        for name in ["0.done", "1.done", "combine.lock"] {
            fs::remove_file(target.ranks().join(name)).unwrap();
        }
        assert!(!members[0].take_lock());
        assert!(!target.ranks().exists());
    }

    #[test]
    fn files_of_an_earlier_run_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let target = Target::new(directory.path().join("app.panto"), false).unwrap();
        target.share().unwrap();
        for name in ["0.rank", "0.done", "1.rank", "1.done", "combine.lock", "2.rank"] {
            fs::write(target.ranks().join(name), "old").unwrap();
        }
        let (first, second) = (Member::new(&target, 0, Some(2)), Member::new(&target, 1, Some(2)));
        assert!(first.enter().unwrap());
        assert!(!second.enter().unwrap());
        assert_eq!(fs::read_dir(target.ranks()).unwrap().count(), 0);
        assert!(!second.leave().unwrap());
        assert!(first.leave().unwrap());
    }
}
