//! The machine as it is: what `panto calibrate` finds, and how fast both cores compute at once.

use std::path::{Path, PathBuf};

use crate::bench::{Mpi, Source};
use crate::failure::{Failure, Result};
use crate::shell;

const PACE: Source = Source { name: "pace", text: include_str!("pace.c") };

/// A model file, and what to tell the simulator beside it.
pub struct Machine {
    pub model: PathBuf,
    /// How fast a core computes while the other one does, against one alone, where programs are traced.
    pub pace: f64,
}

/// Measures, with a rank on each core.
pub fn machine(mpi: &Mpi, panto: &Path, folder: &Path) -> Result<Machine> {
    let model = folder.join(format!("cores-{}.toml", mpi.folder));
    shell::capture(mpi.command(panto).arg("calibrate").arg("-o").arg(&model))?;
    let program = mpi.compile(&PACE, folder)?;
    let printed = shell::capture(&mut mpi.command(&program))?;
    let wrong = || Failure::failed(format!("{} printed no number: {printed}", PACE.name));
    let pace: f64 = printed.trim().parse().map_err(|_| wrong())?;
    println!("{}: a core computes {pace:.3} times as fast while the other one does", mpi.name);
    Ok(Machine { model, pace })
}
