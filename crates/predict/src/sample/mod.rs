//! Uncertainty of a prediction by Monte Carlo sampling: the parameters of a model, and speeds, are
//! drawn repeatedly from their intervals, and the program is simulated for each draw.
//!
//! A parameter with a 95% interval is drawn from the log-normal distribution with that interval: a
//! time or a rate is never negative, and is wrong by a factor rather than by an amount. Parameters
//! are drawn independently of each other. The share of a parameter in the variance of the predicted
//! time is the square of their correlation.

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
use crate::sweep::runner::{Runner, batch_size};
use panto_parallel as parallel;

use draw::{correlation, draws};

/// The least number of samples: with fewer, the ends of the 95% interval lie outside all of them.
pub const LEAST: usize = 40;

/// A parameter that is known by its 95% interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The parameter's name.
    pub key: String,
    /// The interval, as the user wrote it.
    pub written: String,
    /// The lower end; above 0.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl From<&Interval> for Figure {
    fn from(interval: &Interval) -> Self {
        let Interval { key, written, low, high, .. } = interval.clone();
        Self { key, written, low, high }
    }
}

/// What is sampled, and how often.
#[derive(Debug, Clone, Copy)]
pub struct Sampling<'a> {
    /// The program that is simulated.
    pub program: &'a Program,
    /// The parameters that are drawn.
    pub figures: &'a [Figure],
    /// The number of samples; at least [`LEAST`].
    pub count: usize,
    /// The seed: equal seeds give equal samples.
    pub seed: u64,
    /// The number of threads; it does not change the result.
    pub threads: usize,
}

/// The predicted times of all samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    /// Times in seconds, sorted.
    pub times: Vec<f64>,
    /// The contributions to the variance, the largest first.
    pub shares: Vec<Contribution>,
}

/// The contribution of a parameter to the variance of times.
#[derive(Debug, Clone, PartialEq)]
pub struct Contribution {
    /// The parameter's name.
    pub key: String,
    /// The interval, as the user wrote it.
    pub interval: String,
    /// The share of the variance: the squared correlation of the parameter's logarithm with the
    /// times.
    pub share: f64,
}

impl Sampling<'_> {
    /// Simulates the program on `count` machines. `case` makes a machine from values of the
    /// parameters, `noise` the noise of a seed; `done` is called after each sample. Returns `None`
    /// if `stop` is set before all samples are done.
    pub fn run<E: From<Error> + Send>(
        &self,
        case: impl Fn(&[f64]) -> Result<Case, E> + Sync,
        noise: impl Fn(u64) -> Result<Option<Disturbance>, E> + Sync,
        stop: &AtomicBool,
        mut done: impl FnMut(),
    ) -> Result<Option<Samples>, E> {
        if self.count < LEAST {
            return Err(Error::TooFewSamples { requested: self.count, least: LEAST }.into());
        }
        let (runner, machines) = (Runner::new(self.program), draws(self.figures, self.count, self.seed));
        let batches = batches(self.count, batch_size(self.count, self.threads));
        let work = |nth: usize| -> Result<Vec<f64>, E> {
            // Each sample has noise of its own.
            let made = |index: usize| {
                Ok((case(&machines[index].values())?, noise(self.seed.wrapping_add(index as u64))?))
            };
            let cases: Vec<_> = batches[nth].clone().map(made).collect::<Result<_, E>>()?;
            let time = |outcome: Outcome| outcome.map(|figures| figures.time).map_err(E::from);
            runner.run_all(&cases).into_iter().map(time).collect()
        };
        let mut times = vec![f64::NAN; self.count];
        parallel::run(batches.len(), self.threads, stop, work, |nth, some| {
            for (index, time) in batches[nth].clone().zip(some?) {
                times[index] = time;
                done();
            }
            Ok::<(), E>(())
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

/// Splits `0..count` into ranges of at most `size`.
fn batches(count: usize, size: usize) -> Vec<Range<usize>> {
    (0..count).step_by(size).map(|first| first..(first + size).min(count)).collect()
}

impl Samples {
    /// Returns the median time in seconds.
    pub fn median(&self) -> f64 {
        median(&self.times).unwrap_or(f64::NAN)
    }

    /// Returns the 95% interval of the times in seconds.
    pub fn interval(&self) -> (f64, f64) {
        let at = |share| quantile(&self.times, share).unwrap_or(f64::NAN);
        (at(0.025), at(0.975))
    }
}

#[cfg(test)]
mod tests;
