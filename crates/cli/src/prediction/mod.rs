//! What is printed about a prediction.

mod json;
mod tables;

use panto_predict::{Case, Disturbance, Prediction, in_words};
use panto_sim::Model;
use panto_sim::replay::Replay;
use panto_sim::results::Sum;
use panto_trace::Trace;
use panto_units::{percent, time};
use serde_json::Value;

use crate::out;

/// A prediction, with all that it came from.
pub struct Shown<'a> {
    pub trace: &'a Trace,
    pub replay: &'a Replay,
    pub case: &'a Case,
    pub prediction: &'a Prediction,
    pub noise: Option<&'a Disturbance>,
}

impl Shown<'_> {
    /// Tables and sentences for people.
    pub fn print(&self, all_ranks: bool) {
        out::line(self.heading());
        for (name, text) in self.lines() {
            out::line(format_args!("{name:<15}{text}"));
        }
        for table in tables::all(self, all_ranks) {
            out::text(format_args!("\n{table}"));
        }
        list("Where the time went:", &in_words(self.prediction, &self.replay.program));
        list("Assumed:", &self.assumptions());
        list("Left out:", &self.warnings());
    }

    pub fn json(&self) -> Value {
        json::prediction(self)
    }

    /// A row for each rank, for machines.
    pub fn csv(&self) -> String {
        tables::csv(self).to_csv()
    }

    fn heading(&self) -> String {
        let (ranks, processors) = (self.prediction.ends.len(), self.case.processors_used());
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        format!(
            "{} on {}: {ranks} rank{} on {processors} processor{}",
            self.trace.path().display(),
            self.case.machine.name,
            plural(ranks),
            plural(processors)
        )
    }

    fn lines(&self) -> Vec<(&'static str, String)> {
        let prediction = self.prediction;
        let spent = prediction.spent();
        let seconds = |sum: Sum| time(sum.as_secs());
        let last = prediction.last().map_or_else(String::new, |rank| format!(", when rank {rank} ends"));
        vec![
            ("time", format!("{}{last}", seconds(prediction.time().into()))),
            (
                "computation",
                format!(
                    "{} on all ranks together; scaled speed-up {}",
                    seconds(spent.compute),
                    panto_units::significant(prediction.scaled_speedup(), 3)
                ),
            ),
            (
                "communication",
                format!(
                    "{} of work for messages and {} of waiting, on all ranks together",
                    seconds(spent.communicated()),
                    seconds(spent.waited)
                ),
            ),
            ("utilisation", self.utilisation()),
        ]
    }

    fn utilisation(&self) -> String {
        let prediction = self.prediction;
        let of = |processor: &panto_predict::Processor| prediction.utilisation(processor);
        let by = |a: &&panto_predict::Processor, b: &&panto_predict::Processor| of(a).total_cmp(&of(b));
        let bounds = prediction.processors.iter().min_by(by).zip(prediction.processors.iter().max_by(by));
        let bounds = bounds.map_or_else(String::new, |(least, most)| {
            format!(
                "; {} (processor {}) to {} (processor {})",
                percent(100.0 * of(least)),
                least.number,
                percent(100.0 * of(most)),
                most.number
            )
        });
        format!("{} of the processors' time{bounds}", percent(100.0 * prediction.mean_utilisation()))
    }

    /// What the prediction takes for granted.
    pub fn assumptions(&self) -> Vec<String> {
        let network = match self.case.network {
            Model::Fast => {
                "messages do not get in each other's way (--network traffic lets them share links)"
            }
            Model::Traffic => "messages share links",
        };
        let mut all = vec![network.to_owned()];
        all.extend(self.noise.map(Disturbance::describe));
        all.extend(self.case.notes.iter().cloned());
        all.extend(self.replay.assumptions.iter().cloned());
        all
    }

    /// What could not be simulated.
    pub fn warnings(&self) -> Vec<String> {
        self.replay.warnings.iter().map(ToString::to_string).collect()
    }
}

fn list(heading: &str, lines: &[String]) {
    if !lines.is_empty() {
        out::line(format_args!("\n{heading}"));
    }
    for line in lines {
        out::line(format_args!("- {line}"));
    }
}
