//! What disturbs computation.

use clap::Args;
use panto_predict::Disturbance;

use crate::failure::Failure;

/// What disturbs computation.
#[derive(Args)]
pub struct NoiseArgs {
    /// What the operating system takes from computation: periodic:EVERY,LASTS, random:EVERY,LASTS (in the mean), or a file
    /// of recorded interruptions (begin and length in nanoseconds)
    #[arg(long, value_name = "NOISE")]
    pub noise: Option<String>,

    /// Where random numbers begin: the same seed gives the same prediction
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

impl NoiseArgs {
    pub fn disturbance(&self) -> Result<Option<Disturbance>, Failure> {
        self.disturbance_by(self.seed)
    }

    /// The same with other random numbers.
    pub fn disturbance_by(&self, seed: u64) -> Result<Option<Disturbance>, Failure> {
        let parsed = self.noise.as_deref().map(|text| Disturbance::parse(text, seed));
        Ok(parsed.transpose()?)
    }
}
