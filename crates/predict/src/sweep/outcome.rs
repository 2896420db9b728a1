//! The outcome of a setting, and its line in a results file.

use panto_sim::batch::LaneResult;
use panto_sim::observe::{Activity, Cause, Observer};
use panto_units::Time;
use serde_json::{Map, Value, json};

use super::assess::Assessment;
use super::parameter::Variant;
use crate::error::Error;

/// The figures of a prediction that a sweep keeps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// The makespan in seconds.
    pub time: f64,
    /// The scaled speed-up: the computation of all ranks divided by the makespan.
    pub speedup: f64,
    /// The mean share of the makespan in which processors were busy.
    pub utilisation: f64,
    /// The share of the ranks' time, up to their ends, in which they waited.
    pub waiting: f64,
    /// The number of processors that have ranks.
    pub processors: usize,
}

/// The figures of a setting, or why it failed.
pub type Outcome = Result<Figures, Error>;

/// A setting and its outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The key: equal keys mean equal predictions.
    pub key: String,
    /// The setting.
    pub variant: Variant,
    /// The outcome.
    pub outcome: Outcome,
    /// What limits the program, if that was found.
    pub assessment: Option<Assessment>,
    /// What the run costs, in the currency of the given price.
    pub cost: Option<f64>,
}

impl Row {
    /// Returns the row as a JSON object; times in seconds.
    pub fn json(&self) -> Value {
        let choices = self.variant.choices().iter();
        let settings: Map<String, Value> =
            choices.map(|(parameter, value)| (parameter.name().to_owned(), value.as_str().into())).collect();
        let mut row = json!({ "key": self.key, "settings": settings });
        match &self.outcome {
            Ok(figures) => {
                row["time_s"] = figures.time.into();
                row["scaled_speedup"] = figures.speedup.into();
                row["mean_utilisation"] = figures.utilisation.into();
                row["waiting_share"] = figures.waiting.into();
                row["processors"] = figures.processors.into();
            }
            Err(error) => row["error"] = error.to_string().into(),
        }
        if let Some(assessment) = &self.assessment {
            row["assessment"] = assessment.json();
        }
        if let Some(cost) = self.cost {
            row["cost"] = cost.into();
        }
        row
    }

    /// Reads a row back from [`Self::json`].
    pub fn from_json(row: &Value) -> Option<Self> {
        let (key, outcome) = Self::read(row)?;
        let settings = row["settings"].as_object()?.iter();
        let choices = settings.map(|(name, value)| Some((name.as_str().into(), value.as_str()?.to_owned())));
        let variant = Variant::new(choices.collect::<Option<Vec<_>>>()?);
        let cost = row["cost"].as_f64();
        Some(Self { key, variant, outcome, assessment: None, cost })
    }

    /// Reads the key and the outcome back from [`Self::json`].
    pub fn read(row: &Value) -> Option<(String, Outcome)> {
        let key = row["key"].as_str()?.to_owned();
        if let Some(error) = row["error"].as_str() {
            return Some((key, Err(Error::Recorded(error.to_owned()))));
        }
        let figures = Figures {
            time: row["time_s"].as_f64()?,
            speedup: row["scaled_speedup"].as_f64()?,
            utilisation: row["mean_utilisation"].as_f64()?,
            waiting: row["waiting_share"].as_f64()?,
            processors: row["processors"].as_u64()? as usize,
        };
        Some((key, Ok(figures)))
    }
}

/// Sums over all ranks, in picoseconds: what [`Figures`] need, at little cost.
///
/// A rank works or waits, so its work is its time minus its waits. If ranks share processors
/// (`SHARED`), a rank may also be preempted, and work is summed separately.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums<const SHARED: bool> {
    /// Numbers from here on are helpers, which are not counted.
    ranks: u32,
    compute: u128,
    busy: u128,
    waited: u128,
}

impl<const SHARED: bool> Sums<SHARED> {
    pub(super) fn new(ranks: u32) -> Self {
        Self { ranks, ..Self::default() }
    }

    /// Returns the sums of a lane of a batch.
    pub(super) fn of_lane(ranks: u32, lane: &LaneResult) -> Self {
        Self { ranks, compute: lane.computed, busy: 0, waited: lane.waited }
    }

    /// Adds the sums of other ranks.
    pub(super) fn merge(&mut self, other: &Self) {
        self.compute += other.compute;
        self.busy += other.busy;
        self.waited += other.waited;
    }

    /// Returns the figures, given the end of each rank.
    pub(super) fn figures(&self, ends: &[Time], processors: usize) -> Figures {
        let last = ends.iter().max().copied().unwrap_or_default();
        let time = last.as_picos() as f64;
        let ended: u128 = ends.iter().map(|end| u128::from(end.as_picos())).sum();
        let busy = if SHARED { self.busy } else { ended.saturating_sub(self.waited) };
        let share = |part: u128, whole: f64| if whole == 0.0 { 0.0 } else { part as f64 / whole };
        Figures {
            time: last.as_secs(),
            speedup: share(self.compute, time),
            utilisation: share(busy, time * processors as f64),
            waiting: share(self.waited, ended as f64),
            processors,
        }
    }
}

impl<const SHARED: bool> Observer for Sums<SHARED> {
    #[inline]
    fn worked(&mut self, rank: u32, activity: Activity, from: Time, to: Time) {
        if (SHARED || activity == Activity::Compute) && rank < self.ranks {
            let time = u128::from(to.since(from).as_picos());
            if SHARED {
                self.busy += time;
            }
            if activity == Activity::Compute {
                self.compute += time;
            }
        }
    }

    #[inline]
    fn shared(&mut self, rank: u32, activity: Activity, time: Time) {
        if SHARED && rank < self.ranks {
            let time = u128::from(time.as_picos());
            self.busy = self.busy.saturating_sub(time);
            if activity == Activity::Compute {
                self.compute = self.compute.saturating_sub(time);
            }
        }
    }

    #[inline]
    fn waited(&mut self, rank: u32, from: Time, to: Time, _cause: Cause) {
        if rank < self.ranks {
            self.waited += u128::from(to.since(from).as_picos());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::Parameter;

    #[test]
    fn a_row_is_read_back() {
        let variant =
            Variant::new([(Parameter::Machine, "a \"b\"".to_owned()), (Parameter::Speed, "1,2".to_owned())]);
        let figures =
            Figures { time: 0.1 + 0.2, speedup: 1.0 / 3.0, utilisation: 1e-9, waiting: 0.0, processors: 7 };
        for outcome in [Ok(figures), Err(Error::Recorded("too few processors".to_owned()))] {
            let row =
                Row { key: "00ff".into(), variant: variant.clone(), outcome, assessment: None, cost: None };
            let line = row.json().to_string();
            let read = Row::read(&serde_json::from_str(&line).unwrap()).unwrap();
            assert_eq!(read, (row.key, row.outcome));
            assert!(line.contains("\"settings\":{\"machine\":\"a \\\"b\\\"\",\"speed\":\"1,2\"}"), "{line}");
        }
        assert_eq!(Row::read(&json!({ "key": "1" })), None);
    }

    #[test]
    fn an_empty_program_has_zero_shares() {
        let figures = Sums::<false>::new(2).figures(&[Time::ZERO, Time::ZERO], 2);
        assert_eq!((figures.speedup, figures.utilisation, figures.waiting), (0.0, 0.0, 0.0));
    }
}
