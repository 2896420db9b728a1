//! What makes two measurements comparable.

use std::collections::BTreeMap;
use std::fmt;

use panto_bench::param::IMPLEMENTATION;
use panto_bench::results::Record;
use panto_bench::{Point, Separation, Value};
use serde::Serialize;

/// The name of a point: measurements with equal keys are of the same thing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Key {
    /// Suite and kernel, `comet/echo` or `osu/latency`.
    pub kernel: String,
    /// How many ranks took part; OSU's benchmarks do not print it.
    pub ranks: Option<usize>,
    /// Everything else that was varied, by name.
    pub params: BTreeMap<String, Value>,
    /// The algorithm of a collective.
    pub algorithm: Option<String>,
    /// The machine that was simulated.
    pub machine: Option<String>,
    /// Which time it is, where that is known: half a round trip is not comparable to a whole one.
    pub time: Option<String>,
}

impl Key {
    /// A point of a benchmark that tells no more than this.
    pub(crate) fn foreign(kernel: String, ranks: Option<usize>, params: BTreeMap<String, Value>) -> Self {
        Self { kernel, ranks, params, algorithm: None, machine: None, time: None }
    }

    /// The point of a record.
    pub(crate) fn of(record: &Record) -> Self {
        Self {
            kernel: record.kernel.clone(),
            ranks: Some(record.point.ranks),
            params: record.point.params.clone(),
            // Where implementations are swept over, the point names it already.
            algorithm: record.algorithm.clone().filter(|_| !record.point.params.contains_key(IMPLEMENTATION)),
            machine: record.machine.clone(),
            time: Some(record.metric.to_string()),
        }
    }

    /// How far apart the two ranks are, where it is a pattern between two.
    pub(crate) fn separation(&self) -> Option<Separation> {
        Point { ranks: self.ranks.unwrap_or(0), params: self.params.clone() }.separation()
    }

    /// All that tells points of one kernel apart, by name: `ranks`, the parameters, `algorithm` and `machine`, as far as they
    /// are known.
    pub fn parameters(&self) -> Vec<(&str, Value)> {
        let ranks = self.ranks.map(|ranks| ("ranks", Value::Number(ranks as u64)));
        let params = self.params.iter().map(|(name, value)| (name.as_str(), value.clone()));
        let text = |name, text: &Option<String>| text.clone().map(|text| (name, Value::Text(text)));
        let last = [text("algorithm", &self.algorithm), text("machine", &self.machine)];
        ranks.into_iter().chain(params).chain(last.into_iter().flatten()).collect()
    }

    /// A parameter that is a number.
    pub fn number(&self, name: &str) -> Option<u64> {
        match self.params.get(name) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }
}

/// `comet/echo ranks=2 bytes=64`.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kernel)?;
        self.ranks.iter().try_for_each(|ranks| write!(f, " ranks={ranks}"))?;
        self.params.iter().try_for_each(|(name, value)| write!(f, " {name}={value}"))?;
        self.algorithm.iter().try_for_each(|name| write!(f, " algorithm={name}"))?;
        self.machine.iter().try_for_each(|name| write!(f, " machine={name}"))
    }
}
