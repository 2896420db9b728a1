//! A search for a better mapping of ranks to processors, as text and JSON.

use panto_predict::Case;
use panto_predict::balance::{Attempt, BalanceResult, Effort, Scheme, Step, Trial};
use panto_sim::replay::Replay;
use panto_trace::Trace;
use panto_units::{TIME, Time, grouped, in_units, percent};
use serde_json::{Value, json};

use super::prediction::list;
use super::ranks::rank_list;
use crate::table::{Column, Table};

/// Processors up to which the best mapping is listed.
const MOST_PROCESSORS: usize = 32;

/// A search with everything it was made from.
pub struct BalanceReport<'a> {
    /// The baselines and the attempts.
    pub found: &'a BalanceResult,
    /// The trace of the program.
    pub trace: &'a Trace,
    /// The program, as it was replayed for this machine.
    pub replay: &'a Replay,
    /// The machine.
    pub case: &'a Case,
    /// The schemes that were tried, and for how long.
    pub effort: &'a Effort,
    /// Whether every improvement of an annealing attempt gets a row, not only the last.
    pub all_steps: bool,
}

fn seconds(time: Time) -> String {
    in_units(time.as_secs(), TIME, 4)
}

fn share(part: f64) -> String {
    percent(100.0 * part)
}

impl BalanceReport<'_> {
    /// Returns the text for a terminal.
    pub fn text(&self) -> String {
        let mut text = self.heading() + "\n";
        if !self.found.attempts.is_empty() {
            text.push('\n');
            text += &self.history().to_string();
        }
        text.push('\n');
        text += &self.summary().to_string();
        if let Some((best, _)) = self.found.best()
            && best.busy.len() <= MOST_PROCESSORS
        {
            text.push('\n');
            text += &processors(best).to_string();
        }
        text + &list("Assumptions:", &self.assumed()) + &list("Not simulated:", &self.left_out())
    }

    /// Returns the comment lines of a map file with the best mapping.
    pub fn map_comments(&self, best: &Trial) -> Vec<String> {
        let others =
            self.found.baselines.iter().map(|(name, trial)| format!("{name} {}", seconds(trial.time)));
        vec![
            format!("processor of each rank, found by panto balance; {}", self.heading()),
            format!("predicted time {} ({})", seconds(best.time), others.collect::<Vec<_>>().join(", ")),
        ]
    }

    fn heading(&self) -> String {
        let (path, machine) = (self.trace.path().display(), &self.case.machine.name);
        let (ranks, processors) = (self.case.places.len(), self.processors());
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        format!(
            "{path} on {machine}: {ranks} rank{} on {processors} processor{}",
            plural(ranks),
            plural(processors)
        )
    }

    fn processors(&self) -> usize {
        self.found.baselines.first().map_or(0, |(_, trial)| trial.busy.len())
    }

    fn assumed(&self) -> Vec<String> {
        self.replay.assumptions.clone()
    }

    fn left_out(&self) -> Vec<String> {
        self.replay.left_out()
    }

    /// Returns the steps of an attempt that get a row.
    fn steps<'a>(&self, attempt: &'a Attempt) -> Vec<&'a Step> {
        match attempt.steps.as_slice() {
            [first, .., last] if attempt.scheme == Scheme::Anneal && !self.all_steps => vec![first, last],
            all => all.iter().collect(),
        }
    }

    /// Returns the steps of all attempts in order; a star marks the best so far.
    fn history(&self) -> Table {
        let columns = [Column::text("scheme"), Column::right("attempt"), Column::right("iteration")];
        let columns =
            columns.into_iter().chain([Column::right("time")]).chain(UTILISATION.map(Column::right));
        let mut table = Table::new(columns.chain([Column::text("change"), Column::text("best")]));
        let mut best: Option<Time> = None;
        for attempt in &self.found.attempts {
            for step in self.steps(attempt) {
                let is_best = best.is_none_or(|best| step.time < best);
                best = best.into_iter().chain([step.time]).min();
                let mut row = vec![attempt.scheme.to_string(), attempt.number.to_string()];
                row.extend([step.iteration.to_string(), seconds(step.time)]);
                row.extend([step.least, step.mean, step.most].map(share));
                row.extend([step.change.to_string(), if is_best { "*".into() } else { String::new() }]);
                table.row(row);
            }
        }
        table
    }

    /// Returns the baselines and the best mapping of each scheme.
    fn summary(&self) -> Table {
        let columns = [Column::text("mapping"), Column::right("time"), Column::right("vs wrap")];
        let columns = columns.into_iter().chain(UTILISATION.map(Column::right));
        let mut table = Table::new(columns.chain([Column::right("tried"), Column::text("")]));
        let wrap = self.found.baselines.first().map_or(Time::ZERO, |(_, trial)| trial.time);
        let best = self.found.best().map(|(best, _)| best);
        let mut add = |name: String, trial: &Trial, tried: usize| {
            let bounds = trial
                .extremes()
                .map_or([0.0; 2], |(least, most)| [least, most].map(|one| trial.utilisation(one)));
            let part = if wrap == Time::ZERO { 1.0 } else { trial.time.as_secs() / wrap.as_secs() };
            let mark = if best.is_some_and(|best| std::ptr::eq(best, trial)) { "best" } else { "" };
            let mut row = vec![name, seconds(trial.time), share(part)];
            row.extend([bounds[0], trial.mean_utilisation(), bounds[1]].map(share));
            row.extend([grouped(tried as u64), mark.into()]);
            table.row(row);
        };
        for (name, trial) in &self.found.baselines {
            add(name.clone(), trial, 1);
        }
        for &scheme in &self.effort.schemes {
            let of_scheme = self.found.attempts.iter().filter(|attempt| attempt.scheme == scheme);
            let tried = of_scheme.clone().map(|attempt| attempt.tried).sum();
            let found = of_scheme.map(|attempt| &attempt.best);
            if let Some(best) = found.reduce(|best, next| if next.is_better_than(best) { next } else { best })
            {
                add(scheme.to_string(), best, tried);
            }
        }
        table
    }

    /// Returns all of it as JSON; times in seconds.
    pub fn json(&self) -> Value {
        let trial = |trial: &Trial| {
            json!({
                "time_s": trial.time.as_secs(),
                "utilisation": (0..trial.busy.len()).map(|one| trial.utilisation(one)).collect::<Vec<_>>(),
                "map": trial.places,
            })
        };
        let attempt = |attempt: &Attempt| {
            json!({
                "scheme": attempt.scheme.to_string(),
                "attempt": attempt.number,
                "tried": attempt.tried,
                "end": attempt.end.to_string(),
                "best": trial(&attempt.best),
                "steps": attempt.steps.iter().map(step).collect::<Vec<_>>(),
            })
        };
        let baseline = |(name, one): &(String, Trial)| {
            let mut value = trial(one);
            value["name"] = name.as_str().into();
            value
        };
        json!({
            "trace": self.trace.path().display().to_string(),
            "machine": self.case.machine.name,
            "ranks": self.case.places.len(),
            "processors": self.processors(),
            "seed": self.effort.seed,
            "tried": self.found.tried(),
            "baselines": self.found.baselines.iter().map(baseline).collect::<Vec<_>>(),
            "attempts": self.found.attempts.iter().map(attempt).collect::<Vec<_>>(),
            "best": self.found.best().map(|(best, _)| trial(best)),
            "assumed": self.assumed(),
            "left_out": self.left_out(),
        })
    }
}

const UTILISATION: [&str; 3] = ["min busy", "mean busy", "max busy"];

fn step(step: &Step) -> Value {
    json!({
        "iteration": step.iteration,
        "change": step.change.to_string(),
        "time_s": step.time.as_secs(),
        "least_utilisation": step.least,
        "mean_utilisation": step.mean,
        "most_utilisation": step.most,
        "is_better": step.is_better,
    })
}

/// Returns the ranks of each processor under the best mapping.
fn processors(best: &Trial) -> Table {
    let mut table = Table::new([Column::right("processor"), Column::right("busy"), Column::text("ranks")]);
    for processor in 0..best.busy.len() {
        let ranks = (0..).zip(&best.places).filter(|(_, place)| **place as usize == processor);
        let ranks = rank_list(&ranks.map(|(rank, _): (u32, _)| rank).collect());
        table.row([processor.to_string(), share(best.utilisation(processor)), ranks]);
    }
    table.caption("Best mapping")
}
