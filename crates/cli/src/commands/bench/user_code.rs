//! Options for implementations of the user's.

use std::time::Duration;

use clap::Args;
use panto_bench::scenario::operation::Implementation;

#[derive(Args)]
pub struct UserCodeArgs {
    /// Implementations of collectives: `library`, one of its algorithms such as library:ring (under
    /// MPI, see `panto tune`), an algorithm of Panto's such as rabenseifner, or a plug-in
    /// path/libmine.so:name. Of matrix kernels: `library`, which is Panto's own, or a plug-in
    /// [default: library].
    #[arg(long = "impl", value_name = "NAME,...", value_delimiter = ',')]
    pub implementation: Option<Vec<Implementation>>,

    /// Time after which a plug-in implementation counts as hung.
    #[arg(long, alias = "patience", value_name = "TIME", default_value = "10s", value_parser = panto_units::parse_time)]
    pub timeout: Duration,
}
