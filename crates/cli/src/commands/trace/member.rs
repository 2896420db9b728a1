//! `mpirun -n 4 panto trace -- ./app`: every rank has a `panto` of its own, and the last of them to end combines.
//!
//! They meet in the folder of the ranks' files alone. Each takes away what an earlier run left under its own number before it starts the
//! program, and no rank gets through `MPI_Init` before all have started; so what is there afterwards is of this run. At its end each
//! leaves a mark, and whoever then sees the marks of all takes the lock.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::PathBuf;

use panto_mpi::launch::Launch;
use panto_trace::Trace;

use super::target::Target;
use crate::failure::Failure;
use crate::out;

/// One of the processes that a launcher started.
pub struct Member<'a> {
    target: &'a Target,
    rank: usize,
    size: Option<usize>,
}

impl<'a> Member<'a> {
    /// As the launcher numbered it; none if no launcher started this process.
    pub fn new(target: &'a Target, launch: Option<Launch>) -> Option<Self> {
        let launch = launch?;
        Some(Self { target, rank: launch.rank?, size: launch.size })
    }

    /// Its number.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Takes a place in the folder, where nothing of an earlier run is left under this number.
    pub fn enter(&self) -> Result<(), Failure> {
        self.target.share()?;
        let mut old = vec![self.own("rank"), self.own("done")];
        if self.rank == 0 {
            if old[0].exists() {
                out::note(format_args!(
                    "panto: replaces what an earlier run left in {}",
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

    /// Leaves the mark; answers whether this process is the one that combines.
    pub fn leave(&self) -> Result<bool, Failure> {
        let mark = self.own("done");
        match File::create(&mark) {
            // Another one has seen all that it needed.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            made => drop(made.map_err(|error| Failure::write(&mark, &error))?),
        }
        Ok(self.are_all_done() && File::create_new(self.lock()).is_ok())
    }

    /// Has every process left its mark? Who started nobody knows: then those count whose rank files are there.
    fn are_all_done(&self) -> bool {
        // A file that cannot be read yet is one of a rank that is not done.
        let from_trace =
            || Trace::open(self.target.ranks()).map_or(usize::MAX, |trace| trace.size() as usize);
        let size = self.size.unwrap_or_else(from_trace);
        let done = self.numbers("done");
        (0..size).all(|rank| done.contains(&rank))
    }

    /// Files of an earlier run with more ranks.
    fn beyond(&self) -> Vec<PathBuf> {
        let Some(size) = self.size else { return Vec::new() };
        let old = self.numbers("rank").into_iter().filter(|number| *number >= size);
        old.map(|number| self.target.ranks().join(format!("{number}.rank"))).collect()
    }

    /// The numbers of the files with this ending. The folder is listed, because a file system over the network may remember of a single
    /// file that it was not there.
    fn numbers(&self, ending: &str) -> Vec<usize> {
        let entries = fs::read_dir(self.target.ranks()).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        let ours = paths.filter(|path| path.extension() == Some(OsStr::new(ending)));
        ours.filter_map(|path| path.file_stem()?.to_str()?.parse().ok()).collect()
    }

    fn own(&self, ending: &str) -> PathBuf {
        self.target.ranks().join(format!("{}.{ending}", self.rank))
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
    fn the_last_one_combines_and_nobody_else() {
        let folder = tempfile::tempdir().unwrap();
        let target = Target::new(folder.path().join("app.panto"), false).unwrap();
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
    fn an_earlier_run_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let target = Target::new(folder.path().join("app.panto"), false).unwrap();
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
    fn no_launcher_no_member() {
        let target = Target::new("app.panto".into(), true).unwrap();
        assert!(Member::new(&target, None).is_none());
    }
}
