//! Options of the suite `comet`.

use std::path::PathBuf;

use clap::Args;
use panto_bench::comet::{ContentionRoles, Options};
use panto_bench::parse_counts;
use panto_schedule::Mesh;
use panto_transport::AlgorithmChoice;

use super::user_code::UserCodeArgs;
use crate::failure::Failure;

#[derive(Args)]
pub struct CometArgs {
    /// Background loads of the contention kernel, in percent of the peak bandwidth.
    #[arg(long, value_name = "N,...", default_value = "50,90")]
    loads: String,

    /// Ranks of the contention kernel: the load, then the echo, such as 0-7,1-3 [default: four
    /// whose routes share a link].
    #[arg(long, value_name = "A-B,C-D")]
    contend: Option<ContentionRoles>,

    /// Process mesh of the matrix kernels, rows x columns, such as 4x2, or with its ranks row by
    /// row, such as 2x2:0,1,3,2.
    #[arg(long, value_name = "RxC[:RANKS]")]
    mesh: Option<Mesh>,

    /// Row or column of the matrix that is broadcast [default: the middle one].
    #[arg(long, value_name = "N")]
    index: Option<u64>,

    /// Algorithm of collectives, such as binomial or ring, or `library` for that of the MPI library
    /// or transport [default: library].
    #[arg(long, value_name = "NAME", value_parser = super::parse_choice)]
    algorithm: Option<AlgorithmChoice>,

    /// Time a broadcast from the first start to the last end, without a final barrier.
    #[arg(long)]
    no_barrier: bool,

    /// Directory of the I/O kernel's files.
    #[arg(long, value_name = "DIR")]
    io_dir: Option<PathBuf>,

    /// Bytes each rank writes in the I/O kernel.
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = panto_units::parse_bytes)]
    io_size: u64,
}

impl CometArgs {
    pub fn options(&self, user_code: &UserCodeArgs) -> Result<Options, Failure> {
        Ok(Options {
            loads: parse_counts(&self.loads)?,
            contention: self.contend,
            mesh: self.mesh.clone(),
            index: self.index,
            algorithm: match self.algorithm {
                Some(AlgorithmChoice::Algorithm(algorithm)) => Some(algorithm),
                Some(AlgorithmChoice::Library) | None => None,
            },
            closing_barrier: !self.no_barrier,
            io_dir: self.io_dir.clone(),
            io_bytes: self.io_size,
            implementations: user_code.implementation.clone(),
            patience: user_code.timeout,
        })
    }
}
