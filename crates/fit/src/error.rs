//! Why no machine could be fitted.

use std::fmt;
use std::io;
use std::path::PathBuf;

use panto_units::bytes;

/// Sizes of `comet/echo` that a fit needs at least: two for start-up and rate, one to contradict
/// them.
pub(crate) const MIN_SIZES: usize = 3;

/// The commands that measure what a fit needs.
const MEASURE: &str =
    "panto calibrate -o machine.toml, or panto bench comet/echo --sizes 0..4MiB -o results.jsonl";

/// Why no machine could be fitted. [`Display`](fmt::Display) adds the command that measures what is
/// missing.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// No record of `comet/echo` between two ranks.
    NoEcho,
    /// Records of `comet/echo` without any sample.
    NoEchoTimes,
    /// Records of `comet/echo` with fewer sizes than a fit needs.
    TooFewSizes {
        /// The sizes that were measured, in bytes.
        sizes: Vec<u64>,
    },
    /// A sample that no clock returns: negative or not finite.
    InvalidTime {
        /// Kernel of the record.
        kernel: String,
        /// Point of the record.
        point: String,
        /// The sample in nanoseconds.
        nanos: f64,
    },
    /// Records of more than one machine.
    MixedMachines {
        /// The first machine, in words.
        first: String,
        /// The machine that differs from it.
        other: String,
    },
    /// Records of a simulated machine that is not built in, without its model file.
    UnknownSwitching {
        /// Name of the machine.
        machine: String,
        /// Its topology as the manifest describes it.
        topology: String,
    },
    /// The fitted model, or the model that gives the topology, is invalid.
    Model(panto_machine::Error),
    /// A file of the fitted model could not be written.
    Write {
        /// The file.
        path: PathBuf,
        /// What the system reported.
        error: io::Error,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoEcho => write!(
                f,
                "no record of comet/echo between two ranks, so the time of a message is unknown; run {MEASURE} on two \
                 or more ranks"
            ),
            Self::NoEchoTimes => write!(f, "the records of comet/echo have no samples; run {MEASURE}"),
            Self::TooFewSizes { sizes } => match sizes.as_slice() {
                [only] => write!(
                    f,
                    "all messages of comet/echo have {}: start-up and rate need at least {MIN_SIZES} sizes; run \
                     {MEASURE}",
                    bytes(*only)
                ),
                sizes => write!(
                    f,
                    "comet/echo has {} message sizes; a fit needs at least {MIN_SIZES}; run {MEASURE}",
                    sizes.len()
                ),
            },
            Self::InvalidTime { kernel, point, nanos } => write!(
                f,
                "{kernel} at {point} has a time of {nanos} ns: times are finite and not negative. The file is damaged \
                 or was not written by panto; measure again: panto bench {kernel} -o FILE"
            ),
            Self::MixedMachines { first, other } => write!(
                f,
                "the results are of different machines, {first} and {other}; fit each machine separately: panto fit \
                 RESULTS with the files of one machine"
            ),
            Self::UnknownSwitching { machine, topology } => write!(
                f,
                "the results are of the simulated machine `{machine}` ({topology}), which is not built in, so its \
                 switching is unknown; pass its model file: panto fit RESULTS --like FILE.toml"
            ),
            Self::Model(error) => error.fmt(f),
            Self::Write { path, error } => write!(f, "cannot write {}: {error}", path.display()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Model(error) => Some(error),
            Self::Write { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl From<panto_machine::Error> for Error {
    fn from(error: panto_machine::Error) -> Self {
        Self::Model(error)
    }
}
