//! What only the suite `swap` is asked.

use clap::Args;
use panto_bench::swap::Options;

use crate::failure::Failure;

#[derive(Args)]
pub struct SwapArgs {}

impl SwapArgs {
    pub fn options(&self) -> Result<Options, Failure> {
        Ok(Options {})
    }
}
