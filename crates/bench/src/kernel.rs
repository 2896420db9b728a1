//! What a kernel is, and which ones there are.

use std::fmt;
use std::str::FromStr;

use panto_schedule::Problem;
use panto_transport::Transport;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::calibrate;
use crate::classic;
use crate::cm5;
use crate::comet;
use crate::error::{Error, Result};
use crate::measure::Lab;
use crate::point::Point;
use crate::results::Record;
use crate::scenario;
use crate::settings::Settings;
use crate::swap;

/// What people should know of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// The suite that it belongs to.
    pub suite: &'static str,
    /// Its name within the suite.
    pub name: &'static str,
    /// What it measures, in a line.
    pub line: &'static str,
    /// The parameter on the x axis of its graph (C18).
    pub axis: &'static str,
    /// The fewest ranks it can run on.
    pub least_ranks: usize,
    /// A kernel whose results it needs.
    pub needs: Option<&'static str>,
}

impl About {
    /// `suite/name`.
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.suite, self.name)
    }
}

/// A communication pattern that is measured. Written once, for every transport.
pub trait Pattern {
    /// What people should know of it.
    fn about(&self) -> About;

    /// Do the settings hold what the kernel cannot do without? The error names the remedy. A suite leaves a
    /// kernel out that is not available.
    fn available(&self, settings: &Settings) -> Result<()> {
        let _ = settings;
        Ok(())
    }

    /// The points to measure. `earlier` is what was measured before in this run.
    fn points(&self, settings: &Settings, earlier: &[Record]) -> Result<Vec<Point>>;

    /// The collective that a point is, and the bytes of its elements, where it is nothing else.
    fn collective(&self, point: &Point) -> Option<(Problem, usize)> {
        let _ = point;
        None
    }

    /// Measures one point. All ranks of the world call this together; the root answers with the record.
    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>>;
}

macro_rules! kernels {
    ($($variant:ident => $pattern:expr),+ $(,)?) => {
        /// All kernels. The set is closed here and nowhere else.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Kernel {
            $(
                #[allow(missing_docs, reason = "each pattern documents itself")]
                $variant
            ),+
        }

        impl Kernel {
            /// Every kernel, in the order in which a suite runs them.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// What people should know of it.
            pub fn about(self) -> About {
                match self { $(Self::$variant => $pattern.about()),+ }
            }

            /// Do the settings hold what it needs? See [`Pattern::available`].
            pub fn available(self, settings: &Settings) -> Result<()> {
                match self { $(Self::$variant => $pattern.available(settings)),+ }
            }

            /// The points to measure; see [`Pattern::points`].
            pub fn points(self, settings: &Settings, earlier: &[Record]) -> Result<Vec<Point>> {
                match self { $(Self::$variant => $pattern.points(settings, earlier)),+ }
            }

            /// The collective that a point is; see [`Pattern::collective`].
            pub fn collective(self, point: &Point) -> Option<(Problem, usize)> {
                match self { $(Self::$variant => $pattern.collective(point)),+ }
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
    Guard => comet::Guard,
    Shift => comet::Shift,
    Transpose => comet::Transpose,
    RowBroadcast => comet::RowBroadcast,
    ColumnBroadcast => comet::ColumnBroadcast,
    Handler => comet::Handler,
    Io => comet::Io,
    Swap => swap::Swap,
    SendReceive => swap::SendReceive,
    MessageSets => cm5::MessageSets,
    SimpleSend => cm5::SimpleSend,
    PathLength => cm5::PathLength,
    CompleteExchange => cm5::CompleteExchange,
    RivalBroadcast => cm5::RivalBroadcast,
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
    /// The kernels that a name stands for: a suite, or one kernel with or without its suite. Without, it is that of the first
    /// suite that has one: `broadcast` is CoMet's.
    pub fn named(name: &str) -> Result<Vec<Self>> {
        let all = || Self::ALL.iter().copied();
        let suite: Vec<Self> = all().filter(|kernel| kernel.about().suite == name).collect();
        if !suite.is_empty() {
            return Ok(suite);
        }
        let exact = all().find(|kernel| kernel.about().full_name() == name);
        let short = || all().find(|kernel| kernel.about().name == name);
        exact.or_else(short).map(|kernel| vec![kernel]).ok_or_else(|| unknown(name))
    }
}

fn unknown(name: &str) -> Error {
    let names: Vec<String> = Kernel::ALL.iter().map(|kernel| kernel.about().full_name()).collect();
    Error::usage(format!(
        "there is no suite or kernel `{name}`; there are {} (`panto bench --list` explains them)",
        names.join(", ")
    ))
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.about().full_name())
    }
}

impl FromStr for Kernel {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.iter().find(|kernel| kernel.about().full_name() == name);
        found.copied().ok_or_else(|| unknown(name))
    }
}

/// By name, so that a process that was told of a kernel knows it.
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
