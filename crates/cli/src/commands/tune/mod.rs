//! `panto tune`: finds the fastest algorithms of an MPI library's collectives, and writes the files
//! that make the library use them.

mod check;
mod directory;
mod library_files;
mod measure;
mod simulated;
mod text;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use panto_bench::scenario::operation::Implementation;
use panto_bench::{Effort, Settings, parse_sizes, scenario};
use panto_mpi::Threads;
use panto_results::scenario::CollectiveCall;
use panto_schedule::Collective;
use panto_transport::TUNABLE;

use self::directory::Directory;
use super::effort::EffortArgs;
use crate::failure::Failure;
use crate::format::{Format, TABLE_OR_JSON};
use crate::mpi::{self, MpiArgs};
use crate::simulated::MachineArgs;

/// Choose the fastest algorithms of an MPI library's collectives.
#[derive(Args)]
#[command(override_usage = USAGE, after_help = AFTER_HELP)]
pub struct Tune {
    /// Collectives: allreduce, bcast, alltoall, allgather, reduce.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', default_value = "allreduce,bcast,alltoall")]
    collective: Vec<CollectiveCall>,

    /// Message sizes: `8..1MiB` (doubling), or `8,1K,64kB` [default: 8B to 1MiB, or as
    /// much as fits into memory on a simulated machine].
    #[arg(long, value_name = "SIZES", allow_hyphen_values = true)]
    sizes: Option<String>,

    /// Directory for the files.
    #[arg(short, long, value_name = "DIR", default_value = "tuned")]
    output: PathBuf,

    /// Replace the files of an earlier tuning.
    #[arg(long)]
    force: bool,

    /// Only check the files of this directory: the library's own choice beside the tuned one.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["on", "force"])]
    check: Option<PathBuf>,

    /// Tune for a simulated machine: a built-in name or a model file.
    #[arg(long, value_name = "MACHINE")]
    on: Option<String>,

    /// Number of ranks of the simulated machine [default: one per processor, at most 64].
    #[arg(short = 'n', long, value_name = "N", requires = "on")]
    ranks: Option<usize>,

    /// Output format.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Format::one_of(TABLE_OR_JSON))]
    format: Format,

    #[command(flatten, next_help_heading = "Effort")]
    effort: EffortArgs,

    #[command(flatten, next_help_heading = "MPI")]
    mpi: MpiArgs,

    #[command(flatten, next_help_heading = "Simulated machines")]
    machine: MachineArgs,

    /// The MPI launcher and its options, without a program.
    #[arg(value_name = "LAUNCHER", trailing_var_arg = true)]
    words: Vec<OsString>,
}

const USAGE: &str = "panto tune [OPTIONS] -- LAUNCHER...\n       LAUNCHER... panto tune [OPTIONS]\n       panto tune [OPTIONS] --on <MACHINE>";

const AFTER_HELP: &str = "\
Every algorithm that the library can be told to use (Open MPI's component `tuned`, MPICH) is measured beside the library's own choice. An algorithm is chosen where it is faster beyond doubt. The directory gets the file that the library reads (Open MPI's dynamic rules, MPICH's selection trees), environment.sh, which makes it used, and all samples.

With the launcher after --, the choice is checked as well: jobs with and without the files alternate, and the times are compared as by `panto compare`.

Examples:
  panto tune -- mpirun -n 64                      measure, write, check
  panto tune --collective allreduce --sizes 8..64KiB -- mpirun -n 16
  mpirun -n 64 panto tune -o tuned                measure and write
  panto tune --check tuned -- mpirun -n 64        check once more
  . tuned/environment.sh && mpirun -n 64 ./app    use it
  panto tune --on infiniband -n 256               for a simulated machine

Exit codes: 0 success, also if nothing is faster than the library's own choice; 3 a size is slower with the files than without; 1 and 2 as in all commands.

docs/tuning.md describes the method and its limits.";

impl Tune {
    pub fn run(self) -> Result<ExitCode, Failure> {
        if mpi::launched().is_some() {
            return self.in_job();
        }
        if let Some(machine) = &self.on {
            return self.on_machine(machine);
        }
        if self.words.is_empty() {
            return Err(Failure::Usage(
                "no MPI job to tune; give the launcher after --, as in `panto tune -- mpirun -n 4`, or a simulated machine with \
                 --on"
                    .into(),
            ));
        }
        match &self.check {
            Some(directory) => self.check(&Directory::open(directory)?),
            None => self.launch(),
        }
    }

    fn in_job(&self) -> Result<ExitCode, Failure> {
        if !self.words.is_empty() || self.check.is_some() || self.on.is_some() {
            return Err(Failure::Usage(
                "--check, --on and a launcher after -- do not apply inside an MPI job; start panto without a launcher for them"
                    .into(),
            ));
        }
        self.machine.refuse(mpi::NAME)?;
        let default = Implementation::LibraryAlgorithm(DEFAULT.into());
        let world = self.mpi.start(&self.settings(2, default, |_| Vec::new())?, Threads::Single)?;
        let outcome = mpi::guarded(|| self.measure_in_job(&world));
        mpi::end(world, outcome)
    }

    /// Returns the collectives to tune.
    fn collectives(&self) -> Result<Vec<Collective>, Failure> {
        let tunable = |call: &CollectiveCall| match call.plain() {
            Some(collective) if TUNABLE.contains(&collective) => Ok(collective),
            _ => Err(Failure::Usage(format!(
                "{call} cannot be tuned; these can: {}",
                TUNABLE.map(|collective| CollectiveCall::Plain(collective).name()).join(", ")
            ))),
        };
        self.collective.iter().map(tunable).collect()
    }

    /// Returns the settings of a run on these ranks: the default of all collectives, and the
    /// candidates of each.
    fn settings(
        &self,
        ranks: usize,
        default: Implementation,
        candidates: impl Fn(Collective) -> Vec<Implementation>,
    ) -> Result<Settings, Failure> {
        let sizes = self.sizes.as_deref().map(parse_sizes).transpose();
        let by_call = |collective| (CollectiveCall::Plain(collective), candidates(collective));
        let options = scenario::Options {
            calls: Some(self.collective.clone()),
            implementations: Some(vec![default]),
            by_call: self.collectives()?.into_iter().map(by_call).collect(),
            from: Some(ranks),
            ..scenario::Options::default()
        };
        let settings = Settings {
            ranks: vec![ranks],
            ranks_given: true,
            sizes: sizes.map_err(|error| Failure::Usage(format!("--sizes: {error}")))?,
            effort: Effort { passes: PASSES, ..self.effort.effort() },
            seed: self.effort.seed,
            ..Settings::default()
        };
        Ok(settings.with_options(options))
    }
}

/// Passes over all points. The 95 % interval of ten medians reaches from the second to the ninth,
/// so equal algorithms are apart by chance in 101 of the 184,756 orders of ten and ten.
const PASSES: usize = 10;

/// The name of the library's own choice among its algorithms.
const DEFAULT: &str = "default";

/// The prefix of the library's algorithms among implementations.
const LIBRARY_PREFIX: &str = "library:";
