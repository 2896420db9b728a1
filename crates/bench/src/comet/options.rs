//! Options of the suite.

use std::path::PathBuf;
use std::time::Duration;

use panto_schedule::{Algorithm, Mesh};
use panto_transport::AlgorithmChoice;

use super::ContentionRoles;
use crate::error::{Error, Result};
use crate::options::SuiteOptions;
use crate::scenario::operation::Implementation;

/// Options of CoMet.
#[derive(Debug, Clone)]
pub struct Options {
    /// Background loads of the contention kernel, in per cent of the peak bandwidth.
    pub loads: Vec<u64>,
    /// Ranks of the contention kernel; four whose routes share a link by default.
    pub contention: Option<ContentionRoles>,
    /// Process mesh of the matrix kernels; nearly square by default.
    pub mesh: Option<Mesh>,
    /// Global row or column that is broadcast; the middle one by default.
    pub index: Option<u64>,
    /// Algorithm of collectives; the message layer's own by default.
    pub algorithm: Option<Algorithm>,
    /// Whether a barrier closes the timed region of a broadcast (C6).
    pub closing_barrier: bool,
    /// Directory that the I/O kernel writes to; without it the kernel is unavailable.
    pub io_dir: Option<PathBuf>,
    /// Bytes that each rank writes to a file.
    pub io_bytes: u64,
    /// Implementations of the matrix kernels: Panto's own, and some of the user's.
    pub implementations: Option<Vec<Implementation>>,
    /// Time after which a call of a user's implementation counts as hung.
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            loads: vec![50, 90],
            contention: None,
            mesh: None,
            index: None,
            algorithm: None,
            closing_barrier: true,
            io_dir: None,
            io_bytes: 16 << 20,
            implementations: None,
            patience: Duration::from_secs(10),
        }
    }
}

impl Options {
    /// Returns the implementation of collectives.
    pub(super) fn choice(&self) -> AlgorithmChoice {
        self.algorithm.map_or(AlgorithmChoice::Library, AlgorithmChoice::Algorithm)
    }
}

impl SuiteOptions for Options {
    fn check(&self, ranks: usize) -> Result<()> {
        if self.loads.iter().any(|&load| load > 100) {
            return Err(Error::usage("a load is at most 100 per cent of the peak bandwidth"));
        }
        if let Some(roles) = &self.contention {
            roles.check(ranks)?;
        }
        self.mesh.as_ref().map_or(Ok(()), |mesh| check_mesh(mesh, ranks))
    }
}

fn check_mesh(mesh: &Mesh, ranks: usize) -> Result<()> {
    let cells = mesh.ranks();
    if cells == ranks {
        return Ok(());
    }
    Err(Error::usage(format!(
        "the mesh {mesh} has {cells} cells, and there are {ranks} ranks; use --ranks {cells} or another mesh"
    )))
}
