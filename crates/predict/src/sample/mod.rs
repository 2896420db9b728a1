//! How certain a prediction is: the figures of a model, and speeds, are drawn from their intervals, again and again.
//!
//! A figure that is known by an interval is drawn from the log-normal distribution 95 % of which lie in it: a time or a rate is never
//! negative, and is wrong by a factor rather than by an amount. Figures are drawn independently of each other.

mod draw;

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use panto_machine::Interval;
use panto_sim::program::Program;
use panto_stats::{median, quantile};

use crate::case::Case;
use crate::error::Error;
use crate::noise::Disturbance;
use crate::sweep::Outcome;
use crate::sweep::quick::{Quick, batch_size};
use crate::sweep::spread::spread;

use draw::{correlation, draws};

/// Fewer samples have no 95 % interval: it would be outside of all of them.
pub const LEAST: usize = 40;

/// A figure that is known by its 95 % interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// What people know it by.
    pub key: String,
    /// Its interval, as it was written.
    pub written: String,
    /// The lower end, above 0,
    pub low: f64,
    /// and the upper one.
    pub high: f64,
}

impl From<&Interval> for Figure {
    fn from(interval: &Interval) -> Self {
        let Interval { key, written, low, high, .. } = interval.clone();
        Self { key, written, low, high }
    }
}

/// What is drawn, and how often.
#[derive(Debug, Clone, Copy)]
pub struct Sampling<'a> {
    /// What is run.
    pub program: &'a Program,
    /// What is drawn.
    pub figures: &'a [Figure],
    /// How often; at least [`LEAST`].
    pub count: usize,
    /// The same seed draws the same.
    pub seed: u64,
    /// On so many threads; that changes nothing but how long it takes.
    pub threads: usize,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    /// All predicted times, in seconds, the shortest first.
    pub times: Vec<f64>,
    /// What the spread of times comes from, the most important first.
    pub shares: Vec<Contribution>,
}

/// A figure, and how much of the spread comes from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Contribution {
    /// The figure's key.
    pub key: String,
    /// Its interval, as the model has it.
    pub interval: String,
    /// The share of the variance of times that goes with it: the square of their correlation.
    pub share: f64,
}

impl Sampling<'_> {
    /// Runs the program on so many machines. `case` makes one of values of the figures, `noise` what disturbs computation, by a seed; `done`
    /// is called after each. Nothing comes of it if `stop` is set before all are done.
    pub fn run(
        &self,
        case: impl Fn(&[f64]) -> Result<Case, Error> + Sync,
        noise: impl Fn(u64) -> Result<Option<Disturbance>, Error> + Sync,
        stop: &AtomicBool,
        mut done: impl FnMut(),
    ) -> Result<Option<Samples>, Error> {
        if self.count < LEAST {
            return Err(Error::new(format!(
                "{} samples have no 95 % interval: take at least {LEAST}, better some hundreds",
                self.count
            )));
        }
        let (quick, machines) = (Quick::new(self.program), draws(self.figures, self.count, self.seed));
        let batches = batches(self.count, batch_size(self.count, self.threads));
        let work = |nth: usize| -> Result<Vec<f64>, Error> {
            // Noise is drawn, too: another one each time.
            let made = |index: usize| {
                Ok((case(&machines[index].values())?, noise(self.seed.wrapping_add(index as u64))?))
            };
            let cases: Vec<_> = batches[nth].clone().map(made).collect::<Result<_, Error>>()?;
            let time = |outcome: Outcome| outcome.map(|figures| figures.time).map_err(Error::new);
            quick.run_all(&cases).into_iter().map(time).collect()
        };
        let mut times = vec![f64::NAN; self.count];
        spread(batches.len(), self.threads, stop, work, |nth, some| {
            for (index, time) in batches[nth].clone().zip(some?) {
                times[index] = time;
                done();
            }
            Ok::<(), Error>(())
        })?;
        if times.iter().any(|time| time.is_nan()) {
            return Ok(None);
        }
        let share = |(nth, figure): (usize, &Figure)| {
            let logs: Vec<f64> = machines.iter().map(|draw| draw.logs[nth]).collect();
            let (key, interval) = (figure.key.clone(), figure.written.clone());
            Contribution { key, interval, share: correlation(&logs, &times).powi(2) }
        };
        let mut shares: Vec<Contribution> = self.figures.iter().enumerate().map(share).collect();
        shares.sort_by(|a, b| b.share.total_cmp(&a.share));
        times.sort_by(f64::total_cmp);
        Ok(Some(Samples { times, shares }))
    }
}

/// Numbers below a count, so many at a time.
fn batches(count: usize, size: usize) -> Vec<Range<usize>> {
    (0..count).step_by(size).map(|first| first..(first + size).min(count)).collect()
}

impl Samples {
    /// Half of the times are shorter.
    pub fn median(&self) -> f64 {
        median(&self.times).unwrap_or(f64::NAN)
    }

    /// 95 % of the times are between these.
    pub fn interval(&self) -> (f64, f64) {
        let at = |share| quantile(&self.times, share).unwrap_or(f64::NAN);
        (at(0.025), at(0.975))
    }
}

#[cfg(test)]
mod tests;
