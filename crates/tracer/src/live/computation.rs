//! Where the time of computation between calls comes from.

use std::path::Path;

/// The source of computation times.
pub enum Computation {
    /// As measured in this run.
    Measured,
    /// None: calls follow each other at once.
    None,
    /// As recorded in another run: the times before each call, in nanoseconds, which contain the
    /// program's sleeps if that run was in virtual time.
    Recorded { times: Vec<u64>, next: usize, has_sleeps: bool },
}

impl Computation {
    /// Returns the source that a setting names, for a rank.
    pub fn new(setting: &str, has_sleeps: bool, rank: u32) -> Result<Self, String> {
        match setting {
            "measured" => Ok(Self::Measured),
            "none" => Ok(Self::None),
            folder => {
                let path = Path::new(folder).join(format!("{rank}.times"));
                let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                let (words, _) = bytes.as_chunks();
                let times = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
                Ok(Self::Recorded { times, next: 0, has_sleeps })
            }
        }
    }

    pub fn is_measured(&self) -> bool {
        matches!(self, Self::Measured)
    }

    /// Returns the computation before the current call, and the time that passed without one.
    pub fn before_call(&self, measured: u64, passed: u64) -> u64 {
        match self {
            Self::Measured => measured + passed,
            Self::None => passed,
            Self::Recorded { times, next, has_sleeps } => {
                let recorded = times.get(*next).copied().unwrap_or(0);
                if *has_sleeps { recorded.max(passed) } else { recorded + passed }
            }
        }
    }

    /// Returns the number of calls that the rank has made, and that of the recorded ones, if they
    /// differ. Only in `MPI_Finalize`, which is the last call and is not recorded yet.
    pub fn difference(&self) -> Option<(usize, usize)> {
        match self {
            Self::Recorded { times, next, .. } if next + 1 != times.len() => Some((next + 1, times.len())),
            _ => None,
        }
    }

    /// The current call was recorded.
    pub fn used(&mut self) {
        if let Self::Recorded { next, .. } = self {
            *next += 1;
        }
    }
}
