//! What only the suite `classic` is asked.

use clap::Args;
use panto_bench::classic::Options;

use crate::failure::Failure;

#[derive(Args)]
pub struct ClassicArgs {}

impl ClassicArgs {
    pub fn options(&self) -> Result<Options, Failure> {
        Ok(Options {})
    }
}
