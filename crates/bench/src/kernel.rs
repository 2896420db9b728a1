//! Kernels: the trait of a benchmark pattern, and the closed set of all patterns.

use std::fmt;
use std::str::FromStr;

use panto_results::{KernelInfo, Point, Record};
use panto_schedule::{Algorithm, Problem};
use panto_transport::Transport;
use panto_units::suggest::hint;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::calibrate;
use crate::classic;
use crate::cm5;
use crate::comet;
use crate::error::{Error, Result};
use crate::measure::Lab;
use crate::scenario;
use crate::settings::Settings;
use crate::swap;

/// A benchmark pattern, written once for every transport.
pub trait Pattern {
    /// Returns the kernel's name, one of those of [`panto_results::kernel`].
    fn name(&self) -> &'static str;

    /// Returns the kernel's entry in the catalogue.
    ///
    /// # Panics
    /// Panics if the catalogue has no such name, which is a bug of the kernel.
    fn info(&self) -> &'static KernelInfo {
        KernelInfo::find(self.name()).expect("every kernel is in the catalogue")
    }

    /// Checks that the settings have what the kernel requires; the error says what to do. A suite
    /// skips kernels that are unavailable.
    fn available(&self, settings: &Settings) -> Result<()> {
        let _ = settings;
        Ok(())
    }

    /// Returns the points to measure; `earlier` are the records of this run so far.
    fn points(&self, settings: &Settings, earlier: &[Record]) -> Result<Vec<Point>>;

    /// Returns what to know before the run: what is left out of the points, and how long they take
    /// where that is longer than the time budget.
    fn plan_notes(&self, settings: &Settings) -> Vec<String> {
        let _ = settings;
        Vec::new()
    }

    /// Returns the collective that a point consists of and the bytes of its elements; `None` for
    /// patterns that are more than one collective.
    fn collective(&self, point: &Point) -> Option<(Problem, usize)> {
        let _ = point;
        None
    }

    /// Returns the algorithm of [`collective`](Self::collective) that the user named, if any.
    fn algorithm(&self, settings: &Settings) -> Option<Algorithm> {
        let _ = settings;
        None
    }

    /// Measures one point. All ranks call this together; the root returns the record.
    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>>;
}

macro_rules! kernels {
    ($($variant:ident => $pattern:expr),+ $(,)?) => {
        /// All kernels.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Kernel {
            $(
                #[allow(missing_docs, reason = "each pattern documents itself")]
                $variant
            ),+
        }

        impl Kernel {
            /// All kernels, in the order in which a suite runs them.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Returns the kernel's name, such as `comet/echo`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $pattern.name()),+ }
            }

            /// Returns the kernel's entry in the catalogue.
            pub fn info(self) -> &'static KernelInfo {
                match self { $(Self::$variant => $pattern.info()),+ }
            }

            /// Checks that the settings have what it requires; see [`Pattern::available`].
            pub fn available(self, settings: &Settings) -> Result<()> {
                match self { $(Self::$variant => $pattern.available(settings)),+ }
            }

            /// Returns the points to measure; see [`Pattern::points`].
            pub fn points(self, settings: &Settings, earlier: &[Record]) -> Result<Vec<Point>> {
                match self { $(Self::$variant => $pattern.points(settings, earlier)),+ }
            }

            /// Returns what to know before the run; see [`Pattern::plan_notes`].
            pub fn plan_notes(self, settings: &Settings) -> Vec<String> {
                match self { $(Self::$variant => $pattern.plan_notes(settings)),+ }
            }

            /// Returns the collective that a point consists of; see [`Pattern::collective`].
            pub fn collective(self, point: &Point) -> Option<(Problem, usize)> {
                match self { $(Self::$variant => $pattern.collective(point)),+ }
            }

            /// Returns the algorithm of the collective that the user named; see
            /// [`Pattern::algorithm`].
            pub fn algorithm(self, settings: &Settings) -> Option<Algorithm> {
                match self { $(Self::$variant => $pattern.algorithm(settings)),+ }
            }

            /// Measures one point; see [`Pattern::run`].
            pub fn run<T: Transport>(self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
                match self { $(Self::$variant => $pattern.run(lab, point)),+ }
            }
        }
    };
}

kernels! {
    Echo => comet::Echo,
    Exchange => comet::Exchange,
    Broadcast => comet::Broadcast,
    Reduction => comet::Reduction,
    Barrier => comet::Barrier,
    Contention => comet::Contention,
    Overlap => comet::Overlap,
    Daxpy => comet::Daxpy,
    Guard => comet::Guard,
    Shift => comet::Shift,
    Transpose => comet::Transpose,
    RowBroadcast => comet::RowBroadcast,
    ColumnBroadcast => comet::ColumnBroadcast,
    Handler => comet::Handler,
    HandlerReply => comet::HandlerReply,
    Io => comet::Io,
    Swap => swap::Swap,
    SendReceive => swap::SendReceive,
    MessageSets => cm5::MessageSets,
    SimpleSend => cm5::SimpleSend,
    PathLength => cm5::PathLength,
    CompleteExchange => cm5::CompleteExchange,
    BroadcastContest => cm5::BroadcastContest,
    Overhead => calibrate::Overhead,
    Gap => calibrate::Gap,
    Eager => calibrate::Eager,
    Pairs => calibrate::Pairs,
    Rates => calibrate::Rates,
    Latency => classic::Latency,
    Bandwidth => classic::Bandwidth,
    Bidirectional => classic::Bidirectional,
    MultiLatency => classic::MultiLatency,
    MultiBandwidth => classic::MultiBandwidth,
    SendrecvRing => classic::SendrecvRing,
    ExchangeRing => classic::ExchangeRing,
    Halo2d => classic::Halo2d,
    Halo3d => classic::Halo3d,
    PutLatency => classic::PutLatency,
    GetLatency => classic::GetLatency,
    AccumulateLatency => classic::AccumulateLatency,
    PutBandwidth => classic::PutBandwidth,
    GetBandwidth => classic::GetBandwidth,
    ScenarioOnly => scenario::Only,
    ScenarioDelay => scenario::Delay,
    ScenarioOverlap => scenario::Overlap,
    ScenarioOwn => scenario::Own,
}

impl Kernel {
    /// Returns the kernels that a name selects: a suite, or one kernel with or without its suite.
    /// Without, the first suite that has such a kernel: `broadcast` is CoMet's.
    pub fn named(name: &str) -> Result<Vec<Self>> {
        let all = || Self::ALL.iter().copied();
        let suite: Vec<Self> = all().filter(|kernel| kernel.info().suite() == name).collect();
        if !suite.is_empty() {
            return Ok(suite);
        }
        let exact = all().find(|kernel| kernel.name() == name);
        let short = || all().find(|kernel| kernel.info().short_name() == name);
        exact.or_else(short).map(|kernel| vec![kernel]).ok_or_else(|| unknown(name))
    }
}

/// Returns the error of an unknown name: with the kernels of its suite if that is known, or with
/// the suites.
fn unknown(name: &str) -> Error {
    let suite = name.split_once('/').map(|(suite, _)| suite);
    let of_suite = Kernel::ALL.iter().filter(|kernel| suite == Some(kernel.info().suite()));
    let kernels: Vec<&str> = of_suite.map(|kernel| kernel.name()).collect();
    let known = if kernels.is_empty() {
        let mut suites: Vec<&str> = Kernel::ALL.iter().map(|kernel| kernel.info().suite()).collect();
        suites.dedup();
        format!("suites: {}", suites.join(", "))
    } else {
        format!("kernels of that suite: {}", kernels.join(", "))
    };
    let suites = Kernel::ALL.iter().map(|kernel| kernel.info().suite());
    let kernels = Kernel::ALL.iter().flat_map(|kernel| [kernel.name(), kernel.info().short_name()]);
    let hint = hint(name, suites.chain(kernels));
    let then = if hint.is_empty() { ";" } else { "" };
    Error::usage(format!(
        "unknown suite or kernel `{name}`{hint}{then} {known}; `panto bench --list` describes all kernels"
    ))
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kernel {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.iter().find(|kernel| kernel.name() == name);
        found.copied().ok_or_else(|| unknown(name))
    }
}

/// Serialises the name, by which processes announce kernels to each other.
impl Serialize for Kernel {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Kernel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}
