//! Work for both: time-independent traces, and the machine of [`smpirun`] as Panto writes it down.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::smpirun;
use crate::failure::{Failure, Result};

/// Bytes of each message.
const BYTES: u32 = 1_024;

/// Who exchanges messages with whom.
#[derive(Debug, Clone, Copy)]
pub enum Pattern {
    /// With four neighbours on a torus.
    Halo,
    /// With everybody, all at once.
    Alltoall,
}

/// What is simulated.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    pub name: &'static str,
    pub pattern: Pattern,
    /// A square number.
    pub ranks: u32,
    pub rounds: u32,
}

/// Where everything is.
pub struct Files {
    /// The list of the ranks' traces.
    pub list: PathBuf,
    /// The machine, as Panto writes it down.
    pub machine: PathBuf,
    /// The folder of all that, with what `SimGrid` needs.
    pub folder: PathBuf,
}

impl Work {
    /// Calls of all ranks, as both count them.
    pub fn calls(&self) -> u64 {
        let partners = self.partners(0).len() as u64;
        (2 + u64::from(self.rounds) * (2 * partners + 1)) * u64::from(self.ranks)
    }

    /// Whom a rank sends to, and whom it receives from on the same tag.
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

    /// Writes everything into a folder.
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

/// Every two have a link of their own, and processors pay for nothing.
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
    fn whoever_is_sent_to_expects_it() {
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
