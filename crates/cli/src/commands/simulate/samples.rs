//! Options of sampling the uncertainty of a prediction.

use clap::Args;
use panto_machine::Interval;
use panto_predict::sample::{Figure, LEAST, Samples, Sampling};
use panto_predict::{Case, Speeds, Traced};
use panto_sim::program::Program;
use panto_transport::threads::cores;

use super::{CaseArgs, NoiseArgs};
use crate::count::{MOST_RUNS, count};
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress;

/// The number of samples.
#[derive(Args, Default)]
pub struct SampleArgs {
    /// Estimate the uncertainty of the prediction: draw the parameters that are intervals, in the
    /// model or as in `--speed 1.8..2.2`, N times.
    #[arg(long, value_name = "N", value_parser = count(0, MOST_RUNS))]
    samples: Option<usize>,
}

/// The machine that is varied by sampling.
pub struct SampledCase<'a> {
    pub machine: &'a str,
    pub case: &'a CaseArgs,
    pub noise: &'a NoiseArgs,
}

/// The parameters that are drawn.
pub struct Unknowns {
    /// Parameters of the model.
    intervals: Vec<Interval>,
    /// Speeds of processors.
    speeds: Speeds,
}

impl Unknowns {
    fn figures(&self) -> Vec<Figure> {
        self.intervals.iter().map(Figure::from).chain(self.speeds.figures()).collect()
    }

    /// Returns the machine with these values of the parameters.
    fn case(&self, sampled: &SampledCase<'_>, values: &[f64], traced: Traced) -> Result<Case, Failure> {
        let (of_model, of_speeds) = values.split_at(self.intervals.len());
        let sets = self.intervals.iter().zip(of_model).map(|(interval, value)| interval.set(*value));
        let sets: Vec<String> = sets.collect();
        sampled.case.case_with(sampled.machine, &sets, self.speeds.with(of_speeds), traced)
    }
}

/// The outcome of sampling.
pub enum Drawn {
    /// No samples were requested.
    NotRequested,
    /// Ctrl-C stopped it.
    Interrupted,
    /// All samples.
    Samples(Samples),
}

impl SampleArgs {
    /// Returns the parameters to draw; fails if samples are requested but all parameters are
    /// certain.
    pub fn unknowns(&self, sampled: &SampledCase<'_>) -> Result<Unknowns, Failure> {
        let speeds = sampled.case.speeds()?;
        let Some(count) = self.samples else {
            return Ok(Unknowns { intervals: Vec::new(), speeds: speeds.certain()? });
        };
        if count < LEAST {
            return Err(Failure::Usage(format!(
                "--samples {count}: use at least {LEAST}; several hundred are recommended"
            )));
        }
        let intervals = sampled.case.model(sampled.machine)?.intervals().to_vec();
        let unknowns = Unknowns { intervals, speeds };
        if unknowns.figures().is_empty() && sampled.noise.noise.is_none() {
            return Err(Failure::Usage(format!(
                "--samples {count}: the model `{}` has no intervals to draw from; in a model file (base = \"{}\") give the \
                 95% intervals of parameters in a section [intervals], such as \"network.link.latency\" = \"1.9us..2.2us\" \
                 (docs/machines.md), or use --speed 0.9..1.1",
                sampled.machine, sampled.machine
            )));
        }
        Ok(unknowns)
    }

    /// Simulates the program once per sample.
    pub fn draw(
        &self,
        sampled: &SampledCase<'_>,
        unknowns: &Unknowns,
        program: &Program,
        traced: Traced,
    ) -> Result<Drawn, Failure> {
        let Some(count) = self.samples else { return Ok(Drawn::NotRequested) };
        let seed = sampled.noise.seed;
        let figures = unknowns.figures();
        let plan = Sampling { program, figures: &figures, count, seed, threads: cores().len() };
        let case = |values: &[f64]| unknowns.case(sampled, values, traced);
        let noise = |seed| sampled.noise.disturbance_by(seed);
        let (stop, progress) = (interrupt::listen()?, Progress::new());
        progress.begin("samples", count);
        let drawn: Result<_, Failure> = plan.run(case, noise, &stop, || progress.step(""));
        progress.clear();
        Ok(drawn?.map_or(Drawn::Interrupted, Drawn::Samples))
    }
}
