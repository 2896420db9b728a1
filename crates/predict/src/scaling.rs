//! How the time of a program changes with the number of ranks: the curve, where it is best, and
//! what holds it back there.

use panto_machine::{Model, Scale};
use panto_sim::ComputeScale;
use panto_sim::observe::Activity;
use panto_sim::program::Program;
use panto_sim::replay;
use panto_trace::Trace;

use crate::case::{Case, CaseOptions, TRACED_COMPUTER, Traced};
use crate::error::Error;
use crate::prediction::Prediction;

/// A machine, and how programs run on it.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The machine's model.
    pub model: Model,
    /// How programs run on it.
    pub options: CaseOptions,
    /// How traces are replayed.
    pub reading: replay::Options,
    /// Threads that a simulation may use.
    pub threads: usize,
}

/// A change of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Half of what each message takes whatever its size: latency and overheads.
    HalfLatency,
    /// Half of what each byte takes.
    DoubleBandwidth,
    /// Twice as fast processors.
    DoubleSpeed,
}

/// Where the trace of a prediction comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TraceOrigin {
    /// A real run.
    Traced,
    /// Traces of fewer ranks.
    Extrapolated {
        /// The error of its computation as a share of it; none if it is unknown.
        error: Option<f64>,
    },
}

/// The prediction for a number of ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The number of ranks.
    pub ranks: u32,
    /// Whether there is a trace of this number of ranks; otherwise it was extrapolated.
    pub is_traced: bool,
    /// The makespan in seconds.
    pub time: f64,
    /// Its interval in seconds, if computation was extrapolated and its error is known.
    pub interval: Option<(f64, f64)>,
    /// The computation of all ranks, in seconds.
    pub computation: f64,
    /// Where the time of the critical path goes; none if the path is too long to be found.
    pub path: Option<PathShares>,
    /// The function that ranks wait in most, with its share of all ranks' time.
    pub waits_in: Option<(String, f64)>,
}

/// Shares of the critical path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathShares {
    /// Computation.
    pub computation: f64,
    /// Overheads of messages on processors.
    pub overhead: f64,
    /// The network.
    pub network: f64,
}

/// How the size of the problem changes with the number of ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// It stays the same: strong scaling.
    Same,
    /// It grows with the ranks: weak scaling.
    Growing,
}

impl Change {
    /// All changes.
    pub const ALL: [Self; 3] = [Self::HalfLatency, Self::DoubleBandwidth, Self::DoubleSpeed];

    /// Returns the change in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::HalfLatency => "half the latency and overheads of messages",
            Self::DoubleBandwidth => "twice the bandwidth",
            Self::DoubleSpeed => "processors twice as fast",
        }
    }

    /// Returns what the change would improve.
    pub fn cause(self) -> &'static str {
        match self {
            Self::HalfLatency => "the latency and overheads of messages",
            Self::DoubleBandwidth => "the bandwidth",
            Self::DoubleSpeed => "computation",
        }
    }
}

impl Setting {
    /// Returns how fast an old machine computes what a trace has; `None` for speeds that are
    /// stated.
    pub fn old_speed(&self, trace: &Trace) -> Result<Option<String>, Error> {
        Ok(self.case(trace, 1.0)?.old_speed(TRACED_COMPUTER))
    }

    /// Returns the machine, made ready for a program, with processors that are `faster` times as
    /// fast.
    fn case(&self, traced: impl Into<Traced>, faster: f64) -> Result<Case, Error> {
        let mut case = Case::new(self.model.clone(), traced, &self.options)?;
        for scale in &mut case.compute_scales {
            *scale = ComputeScale::from_speed(scale.speed() * faster).unwrap_or(*scale);
        }
        Ok(case)
    }

    /// Returns the notes on how the machine was made ready for a number of ranks.
    pub fn notes(&self, ranks: u32) -> Result<Vec<String>, Error> {
        Ok(self.case(ranks as usize, 1.0)?.notes)
    }

    /// Predicts a run.
    pub fn point(&self, trace: &Trace, origin: TraceOrigin) -> Result<Point, Error> {
        let ranks = trace.size();
        let case = self.case(trace, 1.0)?;
        let program = replay::program_on(trace, &case.machine, &self.reading, self.threads)?.program;
        let prediction = self.predict(&program, &case)?;
        let interval = match origin {
            TraceOrigin::Extrapolated { error: Some(error) } => {
                let error = error.clamp(0.0, MOST_ERROR);
                let time = |factor: f64| -> Result<f64, Error> {
                    let case = self.case(trace, factor)?;
                    Ok(self.predict(&program, &case)?.time().as_secs())
                };
                Some((time(1.0 / (1.0 - error))?, time(1.0 / (1.0 + error))?))
            }
            _ => None,
        };
        Ok(Point {
            ranks,
            is_traced: origin == TraceOrigin::Traced,
            time: prediction.time().as_secs(),
            interval,
            computation: prediction.spent().compute.as_secs(),
            path: path_shares(&prediction),
            waits_in: waits_in(&prediction, &program),
        })
    }

    fn predict(&self, program: &Program, case: &Case) -> Result<Prediction, Error> {
        Prediction::new(program, case, None, self.threads).map_err(|error| {
            let description = error.describe(program).to_string();
            Error::Simulation { error, description }
        })
    }

    /// Returns the time of a run on the machine with a change, in seconds.
    pub fn changed(&self, trace: &Trace, change: Change) -> Result<f64, Error> {
        let faster = if change == Change::DoubleSpeed { 2.0 } else { 1.0 };
        let mut case = self.case(trace, faster)?;
        let program = replay::program_on(trace, &case.machine, &self.reading, self.threads)?.program;
        let by = match change {
            Change::HalfLatency => Scale { startup: 0.5, per_byte: 1.0 },
            Change::DoubleBandwidth => Scale { startup: 1.0, per_byte: 0.5 },
            Change::DoubleSpeed => Scale { startup: 1.0, per_byte: 1.0 },
        };
        case.machine.network = case.machine.network.scaled(by);
        for network in case.machine.networks.values_mut() {
            *network = network.scaled(by);
        }
        Ok(self.predict(&program, &case)?.time().as_secs())
    }
}

/// The largest error of computation that is simulated.
const MOST_ERROR: f64 = 0.9;

fn path_shares(prediction: &Prediction) -> Option<PathShares> {
    let path = prediction.path.as_ref()?;
    let whole = prediction.time().as_secs();
    let of = |is_computation: bool| {
        let parts =
            path.shares.iter().filter(|share| (share.activity == Activity::Compute) == is_computation);
        parts.map(|share| share.time.as_secs()).sum::<f64>() / whole
    };
    let network = path.network.as_secs() / whole;
    (whole > 0.0).then(|| PathShares { computation: of(true), overhead: of(false), network })
}

fn waits_in(prediction: &Prediction, program: &Program) -> Option<(String, f64)> {
    let calls = prediction.totals.by_function(program).into_iter();
    let most = calls.max_by_key(|(_, totals)| totals.spent.waited)?;
    let whole = prediction.time().as_secs() * f64::from(program.ranks);
    let share = most.1.spent.waited.as_secs() / whole;
    (share > 0.0).then(|| (most.0.to_owned(), share))
}

/// Returns how the problem changes with the ranks, by the computation of traced runs.
pub fn problem(points: &[Point]) -> Problem {
    let traced = || points.iter().filter(|point| point.is_traced);
    let (Some(first), Some(last)) = (traced().next(), traced().next_back()) else { return Problem::Same };
    let (work, ranks) =
        (last.computation / first.computation, f64::from(last.ranks) / f64::from(first.ranks));
    if work > ranks.sqrt() { Problem::Growing } else { Problem::Same }
}

/// Returns how many times as fast the work is done as by one rank, which has no messages: the
/// computation of the run with the fewest ranks, or of each run if the problem grows, divided by
/// the time.
pub fn speedups(points: &[Point], problem: Problem) -> Vec<f64> {
    let base = points.first().map_or(0.0, |point| point.computation);
    let is_same = problem == Problem::Same;
    points.iter().map(|point| if is_same { base } else { point.computation } / point.time).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(ranks: u32, time: f64, computation: f64) -> Point {
        Point { ranks, is_traced: true, time, interval: None, computation, path: None, waits_in: None }
    }

    #[test]
    fn speed_up_refers_to_the_same_work() {
        let strong = [point(4, 2.5, 8.0), point(16, 1.0, 8.8)];
        assert_eq!(problem(&strong), Problem::Same);
        assert_eq!(speedups(&strong, Problem::Same), [3.2, 8.0]);
        let weak = [point(4, 2.0, 8.0), point(16, 2.0, 32.0)];
        assert_eq!(problem(&weak), Problem::Growing);
        assert_eq!(speedups(&weak, Problem::Growing), [4.0, 16.0]);
    }
}
