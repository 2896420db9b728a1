//! A prediction as text, JSON and CSV.

mod json;
mod tables;

use std::fmt::Write as _;
use std::path::Path;

use panto_predict::{AssumedFigures, Case, Disturbance, Prediction, Processor, TRACED_COMPUTER, explain};
use panto_sim::Sharing;
use panto_sim::network::PacketCounts;
use panto_sim::replay::{REPEATED_OUTCOMES, Replay};
use panto_sim::results::TimeSum;
use panto_trace::{Trace, key};
use panto_units::{grouped, percent, significant, time};
use serde_json::Value;

/// A prediction with everything it was made from.
pub struct PredictionReport<'a> {
    /// The name of the trace.
    pub name: &'a Path,
    /// The trace of the program.
    pub trace: &'a Trace,
    /// The program, as it was replayed for this machine.
    pub replay: &'a Replay,
    /// The machine.
    pub case: &'a Case,
    /// The prediction.
    pub prediction: &'a Prediction,
    /// The noise of the operating system, if any was simulated.
    pub noise: Option<&'a Disturbance>,
    /// How much of the time rests on assumed figures of the machine, if it has any.
    pub assumed: Option<&'a AssumedFigures>,
    /// What was predicted.
    pub subject: Subject,
}

/// What a prediction is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A traced run, on another machine.
    Trace,
    /// A run in the virtual time of this machine: what depends on time followed it.
    VirtualRun(RunComputation),
}

/// Where the times of computation of a run in virtual time came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunComputation {
    /// They were measured.
    Measured,
    /// They were repeated from a trace.
    Repeated,
    /// There were none.
    None,
}

impl PredictionReport<'_> {
    /// Returns the text for a terminal: totals, what they take for granted, tables, and where the
    /// time went. More than 16 ranks are summarised by quantiles unless `all_ranks` is set.
    pub fn text(&self, all_ranks: bool) -> String {
        let mut text = self.heading() + "\n";
        for (name, value) in self.lines() {
            let _ = writeln!(text, "{name:<15}{value}");
        }
        text += &list("Assumptions:", &self.assumptions());
        text += &list("Not simulated:", &self.warnings());
        for table in tables::all(self, all_ranks) {
            let _ = write!(text, "\n{table}");
        }
        text += &list("Where the time went:", &explain(self.prediction, &self.replay.program));
        text
    }

    /// Returns everything that is known of the prediction; times in seconds.
    pub fn json(&self) -> Value {
        json::prediction(self)
    }

    /// Returns one row per rank; times in seconds.
    pub fn csv(&self) -> String {
        tables::csv(self).to_csv()
    }

    fn heading(&self) -> String {
        let (ranks, processors) = (self.prediction.ends.len(), self.case.processors_used());
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        format!(
            "{} on {}: {ranks} rank{} on {processors} processor{}",
            self.name.display(),
            self.case.machine.name,
            plural(ranks),
            plural(processors)
        )
    }

    fn lines(&self) -> Vec<(&'static str, String)> {
        let prediction = self.prediction;
        let spent = prediction.spent();
        let seconds = |sum: TimeSum| time(sum.as_secs());
        let last = prediction.last().map_or_else(String::new, |rank| format!(" (rank {rank} ends last)"));
        let mut lines = vec![
            ("time", format!("{}{last}", seconds(prediction.time().into()))),
            (
                "computation",
                format!(
                    "{} summed over ranks; scaled speed-up {}",
                    seconds(spent.compute),
                    significant(prediction.scaled_speedup(), 3)
                ),
            ),
            (
                "communication",
                format!(
                    "{} of message overhead and {} of waiting, summed over ranks",
                    seconds(spent.communicated()),
                    seconds(spent.waited)
                ),
            ),
            ("utilisation", self.utilisation()),
        ];
        lines.extend(self.packets().map(|text| ("packets", text)));
        lines
    }

    /// Returns how many packets arrived out of order, where they take random routes.
    fn packets(&self) -> Option<String> {
        let PacketCounts { arrived, out_of_order } = self.prediction.totals.packets();
        let share = 100.0 * out_of_order as f64 / arrived as f64;
        let text = || format!("{}, of which {} arrived out of order", grouped(arrived), percent(share));
        (arrived > 0).then(text)
    }

    fn utilisation(&self) -> String {
        let prediction = self.prediction;
        let of = |processor: &Processor| prediction.utilisation(processor);
        let by = |a: &&Processor, b: &&Processor| of(a).total_cmp(&of(b));
        let bounds = prediction.processors.iter().min_by(by).zip(prediction.processors.iter().max_by(by));
        let bounds = bounds.map_or_else(String::new, |(least, most)| {
            format!(
                "; minimum {} (processor {}), maximum {} (processor {})",
                percent(100.0 * of(least)),
                least.number,
                percent(100.0 * of(most)),
                most.number
            )
        });
        format!("{} on average{bounds}", percent(100.0 * prediction.mean_utilisation()))
    }

    /// Returns what the prediction takes for granted, the most important first.
    fn assumptions(&self) -> Vec<String> {
        let sharing = match self.case.sharing {
            Sharing::None => "no contention: messages share nothing (--sharing none)",
            Sharing::Endpoints => {
                "messages share the ports of their sender and receiver, but not links between \
                 them (--sharing links simulates those, too)"
            }
            Sharing::Links => "messages share links (--sharing links)",
        };
        let origin = self.trace.metadata().get(key::EXTRAPOLATED);
        let mut all: Vec<String> = origin.map(extrapolated).into_iter().collect();
        all.extend([self.computation_speed(), sharing.to_owned()]);
        all.extend(self.assumed.map(|assumed| assumed.describe(self.prediction.time())));
        all.extend(self.noise.map(Disturbance::describe));
        all.extend(self.case.notes.iter().cloned());
        let is_repeated = |text: &str| REPEATED_OUTCOMES.contains(&text);
        let is_virtual = self.subject != Subject::Trace;
        let replayed = self.replay.assumptions.iter().filter(|text| !is_virtual || !is_repeated(text));
        all.extend(replayed.cloned());
        all
    }

    /// Returns how fast computation is assumed to be.
    fn computation_speed(&self) -> String {
        let speeds = || self.case.compute_scales.iter().map(|scale| scale.speed());
        let (least, most) = (speeds().fold(f64::INFINITY, f64::min), speeds().fold(0.0, f64::max));
        let factor = |speed| significant(speed, 3);
        let computer = match self.subject {
            Subject::Trace => TRACED_COMPUTER,
            Subject::VirtualRun(RunComputation::Measured) => "this computer",
            Subject::VirtualRun(RunComputation::Repeated) => "the computer of the trace that is repeated",
            Subject::VirtualRun(RunComputation::None) => {
                return "computation takes no time (--computation none)".to_owned();
            }
        };
        if let Some(text) = self.case.old_speed(computer) {
            return text;
        }
        if most == 0.0 || (least, most) == (1.0, 1.0) {
            format!("computation takes as long as on {computer} (--speed changes that)")
        } else if factor(least) == factor(most) {
            format!("computation is {} times as fast as on {computer}", factor(most))
        } else {
            format!(
                "computation is {} to {} times as fast as on {computer}, by processor",
                factor(least),
                factor(most)
            )
        }
    }

    /// Returns what could not be simulated.
    fn warnings(&self) -> Vec<String> {
        self.replay.left_out()
    }
}

/// Returns a heading with a line per item; an empty string for an empty list.
pub(super) fn list(heading: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let items: Vec<String> = lines.iter().map(|line| format!("- {line}\n")).collect();
    format!("\n{heading}\n{}", items.concat())
}

/// Says that a trace is not of a real run.
fn extrapolated(from: &str) -> String {
    format!("the trace was extrapolated from traces of {from} (panto extrapolate)")
}
