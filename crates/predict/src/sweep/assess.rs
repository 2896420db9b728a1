//! What limits a program on a machine, and how far the machine's intervals spread its time.
//!
//! Each setting is simulated again on machines that differ from its own: without costs per message,
//! without costs per byte, without either, and with every figure at the faster and at the slower
//! end of its interval. The first three tell what holds the program back, as removing a resource
//! tells more than a sum of times, part of which is hidden behind others. The last two bound the
//! time.

use std::fmt;

use panto_machine::{CostKind, Interval, Model};
use serde_json::{Value, json};

use super::outcome::{Figures, Outcome};
use super::parameter::Variant;
use crate::error::Error;

/// The machines beside that of a setting.
pub const BESIDE: usize = 5;

/// What limits a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The work of the processors.
    Computation,
    /// Waiting for other ranks, which a network without any cost would not shorten: imbalance and
    /// dependences.
    Waiting,
    /// Costs per message.
    Latency,
    /// Costs per byte.
    Bandwidth,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Computation => "computation",
            Self::Waiting => "waiting",
            Self::Latency => "latency",
            Self::Bandwidth => "bandwidth",
        })
    }
}

/// What is known of a setting beside its figures. Times are in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Assessment {
    /// The mean computation of a processor.
    pub computation: f64,
    /// The time without any cost of messages, less the computation.
    pub waiting: f64,
    /// How much less time the program needs without costs per message.
    pub latency: f64,
    /// How much less time the program needs without costs per byte.
    pub bandwidth: f64,
    /// The time with every figure at the faster end of its interval.
    pub low: f64,
    /// The time with every figure at the slower end of its interval.
    pub high: f64,
}

impl Assessment {
    /// Returns the settings to simulate beside one.
    pub fn beside(variant: &Variant) -> Result<[Variant; BESIDE], Error> {
        let model = variant.model()?;
        let (latency, bandwidth) = (model.free_of(CostKind::Latency), model.free_of(CostKind::Bandwidth));
        let both = [latency.clone(), bandwidth.clone()].concat();
        let [fast, slow] = [Interval::faster, Interval::slower].map(|end| ends(&model, end));
        Ok([latency, bandwidth, both, fast, slow].map(|sets| variant.with(&sets)))
    }

    /// Returns the assessment of a setting from its figures and those of [`Self::beside`]; `None`
    /// if one of those failed.
    pub fn new(own: &Figures, beside: [&Outcome; BESIDE]) -> Option<Self> {
        let [latency, bandwidth, neither, fast, slow] = beside.map(|one| one.as_ref().ok());
        let computation = own.speedup * own.time / own.processors.max(1) as f64;
        let gain = |other: &Figures| (own.time - other.time).max(0.0);
        Some(Self {
            computation,
            waiting: (neither?.time - computation).max(0.0),
            latency: gain(latency?),
            bandwidth: gain(bandwidth?),
            low: fast?.time.min(own.time),
            high: slow?.time.max(own.time),
        })
    }

    /// Returns what limits the program: the largest of the four times.
    pub fn limit(&self) -> Limit {
        let all = [
            (Limit::Computation, self.computation),
            (Limit::Waiting, self.waiting),
            (Limit::Latency, self.latency),
            (Limit::Bandwidth, self.bandwidth),
        ];
        let most = |a: (Limit, f64), b: (Limit, f64)| if b.1 > a.1 { b } else { a };
        all.into_iter().reduce(most).map_or(Limit::Computation, |(limit, _)| limit)
    }

    /// Returns the assessment as JSON.
    pub fn json(&self) -> Value {
        json!({
            "limited_by": self.limit().to_string(),
            "computation_s": self.computation,
            "waiting_s": self.waiting,
            "latency_s": self.latency,
            "bandwidth_s": self.bandwidth,
            "low_s": self.low,
            "high_s": self.high,
        })
    }
}

fn ends(model: &Model, end: impl Fn(&Interval) -> String) -> Vec<String> {
    model.intervals().iter().map(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::Parameter;

    fn figures(time: f64) -> Figures {
        Figures { time, speedup: 2.0, utilisation: 0.5, waiting: 0.5, processors: 4 }
    }

    #[test]
    fn the_largest_part_is_the_limit() {
        let own = figures(10.0);
        let beside = [9.0, 4.0, 5.5, 8.0, 13.0].map(|time| Ok(figures(time)));
        let found = Assessment::new(&own, beside.each_ref()).unwrap();
        assert_eq!((found.computation, found.waiting), (5.0, 0.5));
        assert_eq!((found.latency, found.bandwidth, found.limit()), (1.0, 6.0, Limit::Bandwidth));
        assert_eq!((found.low, found.high), (8.0, 13.0));
        let failed = Err(Error::Recorded("too small".into()));
        assert_eq!(Assessment::new(&own, [&failed, &beside[1], &beside[2], &beside[3], &beside[4]]), None);
    }

    #[test]
    fn machines_beside_have_no_cost_or_its_ends() {
        let variant = Variant::new([(Parameter::Machine, "bgp".to_owned())]);
        let [latency, bandwidth, both, fast, slow] = Assessment::beside(&variant).unwrap();
        assert!(latency.in_words().contains("network.hop 0us"), "{}", latency.in_words());
        assert!(bandwidth.in_words().contains("network.link.bandwidth 10"), "{}", bandwidth.in_words());
        let hop = |variant: &Variant| variant.case(8).unwrap().machine.network.between(0, 1, 0).as_secs();
        assert!(hop(&both) < hop(&fast) && hop(&fast) < hop(&variant) && hop(&variant) < hop(&slow));
    }
}
