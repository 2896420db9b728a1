//! The keys of points: measurements with equal keys are comparable.

use std::collections::BTreeMap;
use std::fmt;

use panto_results::param::{IMPLEMENTATION, RANKS};
use panto_results::{Point, Record, Separation, Value};

use serde::Serialize;

/// The identity of a point: measurements with equal keys are of the same quantity.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Key {
    /// Suite and kernel, such as `comet/echo` or `osu/latency`.
    pub kernel: String,
    /// The number of ranks; the OSU benchmarks do not print it.
    pub ranks: Option<usize>,
    /// All other parameters, by name.
    pub params: BTreeMap<String, Value>,
    /// The algorithm of a collective.
    pub algorithm: Option<String>,
    /// The machine that was simulated.
    pub machine: Option<String>,
    /// The metric, if known: half a round trip is not comparable to a whole one.
    pub time: Option<String>,
}

impl Key {
    /// Returns the key of a point of a third-party benchmark, which reports no more than this.
    pub(crate) fn foreign(kernel: String, ranks: Option<usize>, params: BTreeMap<String, Value>) -> Self {
        Self { kernel, ranks, params, algorithm: None, machine: None, time: None }
    }

    /// Returns the key of a record.
    pub(crate) fn of(record: &Record) -> Self {
        Self {
            kernel: record.kernel.clone(),
            ranks: Some(record.point.ranks),
            params: record.point.params.clone(),
            // A sweep over implementations already has the algorithm among its parameters.
            algorithm: record.algorithm.clone().filter(|_| !record.point.params.contains_key(IMPLEMENTATION)),
            machine: record.machine.clone(),
            time: Some(record.metric.to_string()),
        }
    }

    /// Returns how far apart the two ranks of a point-to-point pattern are.
    pub(crate) fn separation(&self) -> Option<Separation> {
        Point { ranks: self.ranks.unwrap_or(0), params: self.params.clone() }.separation()
    }

    /// Returns everything that distinguishes points of one kernel, by name: `ranks`, the
    /// parameters, `algorithm` and `machine`, as far as they are known.
    pub fn parameters(&self) -> Vec<(&str, Value)> {
        let ranks = self.ranks.map(|ranks| (RANKS, Value::Number(ranks as u64)));
        let params = self.params.iter().map(|(name, value)| (name.as_str(), value.clone()));
        let text = |name, text: &Option<String>| text.clone().map(|text| (name, Value::Text(text)));
        let last = [text("algorithm", &self.algorithm), text("machine", &self.machine)];
        ranks.into_iter().chain(params).chain(last.into_iter().flatten()).collect()
    }

    /// Returns a numeric parameter.
    pub fn number(&self, name: &str) -> Option<u64> {
        match self.params.get(name) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }
}

/// Formats the key as `comet/echo ranks=2 bytes=64`.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kernel)?;
        self.ranks.iter().try_for_each(|ranks| write!(f, " ranks={ranks}"))?;
        self.params.iter().try_for_each(|(name, value)| write!(f, " {name}={value}"))?;
        self.algorithm.iter().try_for_each(|name| write!(f, " algorithm={name}"))?;
        self.machine.iter().try_for_each(|name| write!(f, " machine={name}"))
    }
}
