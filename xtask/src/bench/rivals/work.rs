//! The work of the comparison: time-independent traces, and the machine of [`smpirun`] as a model
//! file.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::smpirun;
use crate::failure::{Failure, Result};

/// Size of each message in bytes.
const BYTES: u32 = 1_024;

/// The communication pattern.
#[derive(Debug, Clone, Copy)]
pub enum Pattern {
    /// Exchanges with four neighbours on a torus.
    Halo,
    /// An all-to-all exchange.
    Alltoall,
}

/// A simulated program.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    pub name: &'static str,
    pub pattern: Pattern,
    /// Number of ranks, a square.
    pub ranks: u32,
    pub rounds: u32,
}

/// The files of a comparison.
pub struct Files {
    /// The list of the traces of all ranks.
    pub list: PathBuf,
    /// The model file.
    pub machine: PathBuf,
    /// The folder of these files and of those that `SimGrid` needs.
    pub folder: PathBuf,
}

impl Work {
    /// Returns the number of calls of all ranks, as both simulators count them.
    pub fn calls(&self) -> u64 {
        let partners = self.partners(0).len() as u64;
        (2 + u64::from(self.rounds) * (2 * partners + 1)) * u64::from(self.ranks)
    }

    /// Returns the ranks that a rank sends to and receives from, by tag.
    fn partners(&self, rank: u32) -> Vec<(u32, u32)> {
        let ranks = self.ranks;
        match self.pattern {
            Pattern::Alltoall => {
                (1..ranks).map(|far| ((rank + far) % ranks, (rank + ranks - far) % ranks)).collect()
            }
            Pattern::Halo => {
                let side = ranks.isqrt();
                let at = |rows: u32, columns: u32| {
                    (rank / side + rows) % side * side + (rank % side + columns) % side
                };
                [(0, 1), (0, side - 1), (1, 0), (side - 1, 0)]
                    .map(|(rows, columns)| {
                        (at(rows, columns), at((side - rows) % side, (side - columns) % side))
                    })
                    .to_vec()
            }
        }
    }

    fn trace(&self, rank: u32) -> String {
        let mut text = format!("{rank} init\n");
        let partners = self.partners(rank);
        for _ in 0..self.rounds {
            for (tag, (_, from)) in partners.iter().enumerate() {
                let _ = writeln!(text, "{rank} irecv {from} {tag} {BYTES}");
            }
            for (tag, (to, _)) in partners.iter().enumerate() {
                let _ = writeln!(text, "{rank} isend {to} {tag} {BYTES}");
            }
            let _ = writeln!(text, "{rank} waitall {}", 2 * partners.len());
        }
        text + &format!("{rank} finalize\n")
    }

    /// Writes all files into a folder.
    pub fn write(&self, folder: &Path) -> Result<Files> {
        let folder = folder.join(format!("{}-{}", self.name, self.ranks));
        fs::create_dir(&folder).map_err(|error| failed(&folder, &error))?;
        let put = |name: &str, text: &str| {
            let path = folder.join(name);
            fs::write(&path, text).map(|()| path.clone()).map_err(|error| failed(&path, &error))
        };
        let mut list = String::new();
        for rank in 0..self.ranks {
            let path = put(&format!("rank{rank}.txt"), &self.trace(rank))?;
            let _ = writeln!(list, "{}", path.display());
        }
        smpirun::prepare(&folder, self.ranks).map_err(|error| failed(&folder, &error))?;
        Ok(Files {
            list: put("work.ti", &list)?,
            machine: put("machine.toml", &machine(self.ranks))?,
            folder,
        })
    }
}

/// A machine with a link between every two processors and no overheads.
fn machine(ranks: u32) -> String {
    format!(
        "name = \"plain\"\n[network]\ntopology = \"complete\"\nprocessors = {ranks}\nswitching = \"packet\"\n\
         link = {{ latency = \"10us\", bandwidth = \"1GB/s\" }}\n[send]\nstandard = \"buffered\"\n"
    )
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::failed(format!("cannot write {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_send_has_its_receive() {
        for pattern in [Pattern::Halo, Pattern::Alltoall] {
            let work = Work { name: "work", pattern, ranks: 16, rounds: 2 };
            for rank in 0..16 {
                for (tag, (to, _)) in work.partners(rank).into_iter().enumerate() {
                    assert_eq!(work.partners(to)[tag].1, rank, "{pattern:?}: {rank} to {to}");
                }
            }
            let lines: usize = (0..16).map(|rank| work.trace(rank).lines().count()).sum();
            assert_eq!(lines as u64, work.calls());
        }
    }
}
