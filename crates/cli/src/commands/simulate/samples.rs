//! How certain a prediction is.

use clap::Args;
use panto_machine::Interval;
use panto_predict::sample::{Figure, LEAST, Samples, Sampling};
use panto_predict::{Case, Error, Speeds};
use panto_report::table::{Column, Table};
use panto_sim::program::Program;
use panto_transport::threads::cores;
use panto_units::{TIME, on_ladder, percent};
use serde_json::{Value, json};

use super::{CaseArgs, NoiseArgs};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{interrupt, out};

/// How often figures are drawn.
#[derive(Args)]
pub struct SampleArgs {
    /// Draw the figures of the model, and of --speed, from their intervals so many times, and say how certain the predicted time is
    #[arg(long, value_name = "N")]
    samples: Option<usize>,
}

/// All that samples are made of.
pub struct Question<'a> {
    pub machine: &'a str,
    pub case: &'a CaseArgs,
    pub noise: &'a NoiseArgs,
}

/// What is drawn.
pub struct Unknowns {
    /// Figures of the model,
    intervals: Vec<Interval>,
    /// and those of these.
    speeds: Speeds,
}

impl Unknowns {
    fn figures(&self) -> Vec<Figure> {
        self.intervals.iter().map(Figure::from).chain(self.speeds.figures()).collect()
    }

    /// The machine with these values.
    fn case(&self, question: &Question<'_>, values: &[f64], ranks: usize) -> Result<Case, Failure> {
        let (of_model, of_speeds) = values.split_at(self.intervals.len());
        let sets = self.intervals.iter().zip(of_model).map(|(interval, value)| interval.set(*value));
        let sets: Vec<String> = sets.collect();
        question.case.case_with(question.machine, &sets, self.speeds.with(of_speeds), ranks)
    }
}

/// What came of samples.
pub enum Answer {
    /// Nobody asked.
    Unasked,
    /// Ctrl-C.
    Stopped,
    /// These.
    Drawn(Samples),
}

impl SampleArgs {
    /// What can be drawn; an error if somebody asks for samples and there is nothing.
    pub fn unknowns(&self, question: &Question<'_>) -> Result<Unknowns, Failure> {
        let speeds = question.case.speeds()?;
        let Some(count) = self.samples else {
            return Ok(Unknowns { intervals: Vec::new(), speeds: speeds.certain()? });
        };
        if count < LEAST {
            return Err(Failure::Usage(format!(
                "--samples {count}: take at least {LEAST}, better some hundreds"
            )));
        }
        let intervals = question.case.model(question.machine)?.intervals().to_vec();
        let unknowns = Unknowns { intervals, speeds };
        if unknowns.figures().is_empty() && question.noise.noise.is_none() {
            return Err(Failure::Usage(format!(
                "--samples {count}: the model `{}` does not say how well its figures are known, and so there is nothing to draw; \
                 in a model file (base = \"{}\") give figures their 95 % intervals: [intervals] with lines such as \
                 \"network.link.latency\" = \"1.9us..2.2us\" (docs/machines.md), or say --speed 0.9..1.1",
                question.machine, question.machine
            )));
        }
        Ok(unknowns)
    }

    /// Runs the program on so many machines.
    pub fn answer(
        &self,
        question: &Question<'_>,
        unknowns: &Unknowns,
        program: &Program,
    ) -> Result<Answer, Failure> {
        let Some(count) = self.samples else { return Ok(Answer::Unasked) };
        let seed = question.noise.seed;
        let figures = unknowns.figures();
        let sampling = Sampling { program, figures: &figures, count, seed, threads: cores().len() };
        let said = |failure: Failure| Error::new(failure.to_string());
        let ranks = program.ranks as usize;
        let case = |values: &[f64]| unknowns.case(question, values, ranks).map_err(said);
        let noise = |seed| question.noise.disturbance_by(seed).map_err(said);
        let (stop, progress) = (interrupt::listen()?, Progress::new());
        progress.begin("samples", count);
        let samples = sampling.run(case, noise, &stop, || progress.step(String::new()));
        progress.clear();
        Ok(samples?.map_or(Answer::Stopped, Answer::Drawn))
    }
}

/// Times with as many digits as it takes to see that the first and the last differ.
fn told_apart(times: [f64; 3]) -> [String; 3] {
    let with = |digits| times.map(|time| on_ladder(time, TIME, digits));
    let differ = |texts: &[String; 3]| texts[0] != texts[2];
    (3..9).map(with).find(differ).unwrap_or_else(|| with(3))
}

impl Answer {
    /// For people.
    pub fn print(&self) {
        let Self::Drawn(samples) = self else { return };
        let (low, high) = samples.interval();
        let [low, median, high] = told_apart([low, samples.median(), high]);
        out::line(format_args!(
            "\nHow certain it is: {} samples have a median of {median}, and 95 % of them are from {low} to {high}",
            samples.times.len()
        ));
        if samples.shares.is_empty() {
            return;
        }
        let columns =
            [Column::text("figure"), Column::right("interval"), Column::right("share of the variance")];
        let mut table = Table::new(columns);
        for part in &samples.shares {
            table.row([part.key.clone(), part.interval.clone(), percent(100.0 * part.share)]);
        }
        out::text(format_args!("\n{table}"));
    }

    /// For machines; times in seconds.
    pub fn json(&self) -> Value {
        let Self::Drawn(samples) = self else { return Value::Null };
        let (low, high) = samples.interval();
        let share = |part: &panto_predict::sample::Contribution| json!({ "figure": part.key, "interval": part.interval, "variance_share": part.share });
        json!({
            "count": samples.times.len(),
            "median_s": samples.median(),
            "low_s": low,
            "high_s": high,
            "times_s": samples.times,
            "figures": samples.shares.iter().map(share).collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::told_apart;

    #[test]
    fn a_narrow_interval_is_seen() {
        assert_eq!(told_apart([23.51e-3, 23.53e-3, 23.54e-3]), ["23.51ms", "23.53ms", "23.54ms"]);
        assert_eq!(told_apart([1e-3, 2e-3, 3e-3]), ["1.00ms", "2.00ms", "3.00ms"]);
        assert_eq!(told_apart([1.0, 1.0, 1.0]), ["1.00s", "1.00s", "1.00s"]);
    }
}
