//! Options of the noise of the operating system.

use clap::Args;
use panto_predict::Disturbance;

use crate::failure::Failure;

/// Noise of the operating system.
#[derive(Args, Default)]
pub struct NoiseArgs {
    /// Operating system noise: periodic:PERIOD,LENGTH, random:PERIOD,LENGTH (mean values), or a
    /// file of recorded interruptions (start and length in nanoseconds).
    #[arg(long, value_name = "NOISE")]
    pub noise: Option<String>,

    /// Random seed; the same seed gives the same prediction.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

impl NoiseArgs {
    /// Returns the noise with the seed of the command line.
    pub fn disturbance(&self) -> Result<Option<Disturbance>, Failure> {
        self.disturbance_by(self.seed)
    }

    /// Returns the noise with another seed.
    pub fn disturbance_by(&self, seed: u64) -> Result<Option<Disturbance>, Failure> {
        let parsed = self.noise.as_deref().map(|text| Disturbance::parse(text, seed));
        Ok(parsed.transpose()?)
    }
}
