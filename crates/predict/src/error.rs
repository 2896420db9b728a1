//! Errors of predictions: what was wrong, where, and what to do.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use panto_machine::UnknownSharing;
use panto_sim::{RunError, replay};
use panto_units::ParseError;

/// Why a prediction, a sweep or a search cannot be made.
#[derive(Debug, Clone, PartialEq)]
pub enum Error {
    /// A file cannot be read.
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// A file cannot be written.
    Write {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// The machine model is invalid.
    Machine(panto_machine::Error),
    /// The trace cannot be replayed.
    Replay(ReplayError),
    /// The program cannot complete: a deadlock, or more virtual time than can be counted.
    Simulation {
        /// The engine's error.
        error: RunError,
        /// The error in the terms of the program: its calls, ranks and tags.
        description: String,
    },
    /// A setting of a sweep was not simulated, because the sweep ended before.
    NotSimulated,
    /// A program was to run on 0 processors.
    NoProcessors,
    /// A machine has too few processors.
    TooFewProcessors {
        /// The machine's name.
        machine: String,
        /// The processors it has.
        available: usize,
        /// The processors that were requested.
        requested: usize,
    },
    /// A mapping of ranks to processors is invalid.
    Mapping(MappingError),
    /// A description of noise is invalid.
    Noise(NoiseError),
    /// A processor speed is invalid.
    Speed(SpeedError),
    /// Too few samples were requested for a 95% interval.
    TooFewSamples {
        /// The number requested.
        requested: usize,
        /// The least number.
        least: usize,
    },
    /// The parameters of a sweep are invalid.
    Sweep(SweepError),
    /// An error that an earlier run recorded in its results file, which has its text only.
    Recorded(String),
}

/// Why a trace cannot be replayed; one error for all settings that share the replay.
#[derive(Debug, Clone)]
pub struct ReplayError(Arc<replay::Error>);

/// Why a mapping of ranks to processors is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MappingError {
    /// The text is neither a scheme, a list nor a file.
    Unknown(String),
    /// A rank is mapped to a processor that does not exist.
    OutOfRange {
        /// The rank.
        rank: usize,
        /// Its processor.
        processor: u32,
        /// The number of processors.
        processors: usize,
    },
    /// A word of a map file is not a processor number.
    Word {
        /// The map file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The word.
        word: String,
    },
    /// A map file has another number of ranks than the program.
    Length {
        /// The map file.
        path: PathBuf,
        /// The ranks that it maps.
        mapped: usize,
        /// The ranks of the program.
        ranks: usize,
    },
}

/// Why a description of noise is invalid.
#[derive(Debug, Clone, PartialEq)]
pub enum NoiseError {
    /// The text is neither a distribution nor a file.
    Unknown(String),
    /// A time of the description is invalid.
    Time {
        /// The description.
        text: String,
        /// What is wrong with the time.
        reason: ParseError,
    },
    /// The time between interruptions is zero.
    ZeroPeriod(String),
    /// A line of a recording is not two numbers.
    Line {
        /// The recording.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Its text.
        text: String,
    },
    /// The lines of a recording are not sorted by time.
    Unsorted {
        /// The recording.
        path: PathBuf,
        /// The line that begins too early, from 1.
        line: usize,
    },
    /// The interruptions of a recording leave no time for computation.
    NoTimeLeft(PathBuf),
}

/// Why a processor speed is invalid.
#[derive(Debug, Clone, PartialEq)]
pub enum SpeedError {
    /// There is no speed in the text.
    Empty(String),
    /// A word is not a speed.
    Number {
        /// The word.
        word: String,
        /// The whole argument.
        text: String,
    },
    /// The lower end of an interval is above the upper one.
    Reversed {
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// An interval where only a number can be used.
    Interval(String),
    /// The speed, times that of the machine model, is out of range.
    OutOfRange {
        /// The product.
        speed: f64,
        /// The least speed.
        least: f64,
        /// The highest speed.
        most: f64,
    },
}

/// Why the parameters of a sweep are invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SweepError {
    /// A list has an empty value.
    MissingValue {
        /// The list.
        list: String,
        /// The parameter's name.
        parameter: String,
    },
    /// The text is not a key with values.
    NotKeyValue(String),
    /// The axes have more combinations than this.
    TooManySettings(usize),
    /// A parameter is given twice.
    Repeated(String),
    /// No machine is named.
    NoMachine,
    /// The text is not a number of processors.
    Processors(String),
    /// The text names no level of sharing.
    Sharing(UnknownSharing),
    /// The checksum of a line of a results file does not match.
    DamagedLine {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// A line of a results file was not written by a sweep.
    ForeignFile {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
}

impl Error {
    /// Returns the error of a file that cannot be read.
    pub(crate) fn read(path: &Path, error: &std::io::Error) -> Self {
        Self::Read { path: path.to_owned(), reason: error.to_string() }
    }

    /// Returns the error of a file that cannot be written.
    pub(crate) fn write(path: &Path, error: &std::io::Error) -> Self {
        Self::Write { path: path.to_owned(), reason: error.to_string() }
    }
}

impl ReplayError {
    /// Returns the error of the replay.
    pub fn get(&self) -> &replay::Error {
        &self.0
    }
}

impl From<replay::Error> for ReplayError {
    fn from(error: replay::Error) -> Self {
        Self(Arc::new(error))
    }
}

/// Errors of one replay are equal; so are those that read the same.
impl PartialEq for ReplayError {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.to_string() == other.0.to_string()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { path, reason } => write!(f, "cannot read {}: {reason}", path.display()),
            Self::Write { path, reason } => write!(f, "cannot write {}: {reason}", path.display()),
            Self::Machine(error) => error.fmt(f),
            Self::Replay(error) => error.get().fmt(f),
            Self::Simulation { description: text, .. } | Self::Recorded(text) => f.write_str(text),
            Self::NotSimulated => f.write_str("the setting was not simulated"),
            Self::NoProcessors => f.write_str("a program needs at least 1 processor"),
            Self::TooFewProcessors { machine, available, requested } => write!(
                f,
                "{machine} has {available} processors, {requested} were requested; use a larger topology, such as with --set"
            ),
            Self::Mapping(error) => error.fmt(f),
            Self::Noise(error) => error.fmt(f),
            Self::Speed(error) => error.fmt(f),
            Self::TooFewSamples { requested, least } => write!(
                f,
                "{requested} samples are too few for a 95% interval; use at least {least}; several hundred are recommended"
            ),
            Self::Sweep(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for MappingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(text) => write!(
                f,
                "invalid map `{text}`: expected `wrap`, `block`, a list of processors such as 0,1,3,2, or a file"
            ),
            Self::OutOfRange { rank, processor, processors } => write!(
                f,
                "the map puts rank {rank} on processor {processor}, but there are only {processors} (0 to {})",
                processors - 1
            ),
            Self::Word { path, line, word } => write!(
                f,
                "{}:{line}: `{word}` is not a processor number; a map has one for each rank",
                path.display()
            ),
            Self::Length { path, mapped, ranks } => write!(
                f,
                "{} maps {mapped} rank{}, but the program has {ranks}; use a map that was made for it",
                path.display(),
                if *mapped == 1 { "" } else { "s" }
            ),
        }
    }
}

impl fmt::Display for NoiseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(text) => write!(
                f,
                "invalid noise `{text}`: expected `periodic:PERIOD,LENGTH` such as periodic:1ms,10us, `random:PERIOD,LENGTH` \
                 (means), or a file with two numbers per line: start and length of an interruption in nanoseconds"
            ),
            Self::Time { text, reason } => write!(f, "invalid noise `{text}`: {reason}"),
            Self::ZeroPeriod(text) => {
                write!(f, "invalid noise `{text}`: the time between interruptions must not be 0")
            }
            Self::Line { path, line, text } => write!(
                f,
                "{}:{line}: `{text}` is not two integers: start and length of an interruption in nanoseconds",
                path.display()
            ),
            Self::Unsorted { path, line } => write!(
                f,
                "{}:{line}: starts before the interruption above it; sort the file by its first column",
                path.display()
            ),
            Self::NoTimeLeft(path) => {
                write!(f, "{}: the interruptions leave no time for computation", path.display())
            }
        }
    }
}

impl fmt::Display for SpeedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty(text) => write!(f, "no speed in `{text}`; use a number such as 2.3"),
            Self::Number { word, text } => write!(
                f,
                "invalid speed `{word}` in `{text}`: expected a number from 0.000001 to 1000000 (2 is twice as fast as the \
                 traced machine) or an interval such as 1.8..2.2"
            ),
            Self::Reversed { low, high } => {
                write!(f, "invalid speed `{low}..{high}`: the interval is reversed; use `{high}..{low}`")
            }
            Self::Interval(text) => write!(
                f,
                "the speed `{text}` is an interval, which only `panto simulate --samples` draws from; use a number"
            ),
            Self::OutOfRange { speed, least, most } => write!(
                f,
                "speed {speed} is out of range: --speed times processor.speed of the model must be from {least:e} to {most:e}"
            ),
        }
    }
}

impl fmt::Display for SweepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingValue { list, parameter } => {
                write!(f, "a value is missing in `{list}` for `{parameter}`; expected a list such as 1,2,4")
            }
            Self::NotKeyValue(text) => {
                write!(f, "`{text}` is not KEY=VALUE,VALUE, such as link.latency=1us,2us")
            }
            Self::TooManySettings(most) => {
                write!(f, "more than {most} settings: the numbers of values multiply; vary fewer parameters")
            }
            Self::Repeated(name) => write!(f, "`{name}` is given twice"),
            Self::NoMachine => {
                f.write_str("no machine is given; use --machine with one or more, such as infiniband,my.toml")
            }
            Self::Processors(text) => write!(f, "`{text}` is not a number of processors such as 16"),
            Self::Sharing(error) => error.fmt(f),
            Self::DamagedLine { path, line } => write!(
                f,
                "{}:{line}: the checksum of the line does not match: the file is damaged, or was edited; remove the line, so \
                 that its configuration runs again, or only its field `crc`, so that it is read unchecked",
                path.display()
            ),
            Self::ForeignFile { path, line } => write!(
                f,
                "{}:{line}: not a line of `panto sweep`; nothing is added to this file, choose another one",
                path.display()
            ),
        }
    }
}

impl std::error::Error for Error {}

impl From<replay::Error> for Error {
    fn from(error: replay::Error) -> Self {
        Self::Replay(error.into())
    }
}

impl From<panto_machine::Error> for Error {
    fn from(error: panto_machine::Error) -> Self {
        Self::Machine(error)
    }
}

impl From<MappingError> for Error {
    fn from(error: MappingError) -> Self {
        Self::Mapping(error)
    }
}

impl From<NoiseError> for Error {
    fn from(error: NoiseError) -> Self {
        Self::Noise(error)
    }
}

impl From<SpeedError> for Error {
    fn from(error: SpeedError) -> Self {
        Self::Speed(error)
    }
}

impl From<SweepError> for Error {
    fn from(error: SweepError) -> Self {
        Self::Sweep(error)
    }
}
