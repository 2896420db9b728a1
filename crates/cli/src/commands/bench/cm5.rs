//! What only the suite `cm5` is asked.

use clap::Args;
use panto_bench::cm5::Options;

use crate::failure::Failure;

#[derive(Args)]
pub struct Cm5Args {}

impl Cm5Args {
    pub fn options(&self) -> Result<Options, Failure> {
        Ok(Options {})
    }
}
