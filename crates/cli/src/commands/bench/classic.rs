//! Options of the suite `classic`.

use clap::Args;
use panto_bench::classic::{Grid, Options, WINDOW};
use panto_transport::Synchronisation;

use crate::failure::Failure;

#[derive(Args)]
pub struct ClassicArgs {
    /// Messages in flight at once in the bandwidth kernels.
    #[arg(long, value_name = "N", default_value_t = WINDOW, allow_hyphen_values = true)]
    window: usize,

    /// Process grid of the halo exchanges, such as 4x2 or 2x2x2 [default: as even as possible].
    #[arg(long, value_name = "AxB[xC]")]
    grid: Option<Grid>,

    /// Synchronisations of one-sided communication: fence, lock, flush, pscw
    /// (post-start-complete-wait) [default: all].
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    sync: Option<Vec<Synchronisation>>,
}

impl ClassicArgs {
    pub fn options(&self) -> Result<Options, Failure> {
        let synchronisations = self.sync.clone().unwrap_or_else(|| Synchronisation::ALL.to_vec());
        let options = Options { window: self.window, grid: self.grid.clone(), synchronisations };
        options.check()?;
        Ok(options)
    }
}
