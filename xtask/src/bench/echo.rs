//! Messages between two ranks: Panto beside each installed MPI.

use std::path::{Path, PathBuf};

use super::mpi::{self, Mpi};
use super::spread::{Limit, Spread, ratios, verdict};
use super::{Outcome, SIZES, Times, panto, pingpong};
use crate::failure::Result;
use crate::scratch::Scratch;

const ROUNDS: usize = 5;

/// A goal for Panto relative to Open MPI.
struct Goal {
    /// Index into [`SIZES`].
    size: usize,
    measure: Measure,
    limit: f64,
}

/// The compared quantity.
#[derive(Clone, Copy)]
enum Measure {
    /// Half a round trip: the ratio Panto to other, lower is better.
    Time,
    /// Bandwidth: the ratio Panto to other, higher is better.
    Bandwidth,
}

const GOALS: &[Goal] = &[
    Goal { size: 0, measure: Measure::Time, limit: 1.0 },
    Goal { size: 0, measure: Measure::Time, limit: 0.5 },
    Goal { size: 3, measure: Measure::Bandwidth, limit: 1.0 },
];

/// A measured program with its times, round by round.
struct Competitor {
    name: &'static str,
    program: PathBuf,
    /// `None` for Panto on threads.
    mpi: Option<&'static Mpi>,
    rounds: Vec<Times>,
}

pub fn run() -> Result<Outcome> {
    if let Some(reason) = mpi::too_few_cores() {
        return Ok(Outcome::Skipped(reason));
    }
    let scratch = Scratch::new("pingpong")?;
    let mut competitors = enter(scratch.path())?;
    for round in 1..=ROUNDS {
        for competitor in &mut competitors {
            eprintln!("round {round} of {ROUNDS}: {}", competitor.name);
            competitor.measure()?;
        }
    }
    report(&competitors);
    Ok(Outcome::Done)
}

/// Returns Panto and every installed MPI.
fn enter(scratch: &Path) -> Result<Vec<Competitor>> {
    let mut competitors = vec![Competitor::new("Panto", panto::build()?, None)];
    for mpi in mpi::installed() {
        let program = mpi.compile(&pingpong::SOURCE, scratch)?;
        competitors.push(Competitor::new(mpi.name, program, Some(mpi)));
    }
    Ok(competitors)
}

impl Competitor {
    fn new(name: &'static str, program: PathBuf, mpi: Option<&'static Mpi>) -> Self {
        Self { name, program, mpi, rounds: Vec::new() }
    }

    fn measure(&mut self) -> Result<()> {
        let times = match self.mpi {
            None => panto::measure(&self.program)?,
            Some(mpi) => pingpong::measure(mpi, &self.program)?,
        };
        self.rounds.push(times);
        Ok(())
    }

    /// Returns the times of all rounds for one size.
    fn times(&self, size: usize) -> Vec<f64> {
        self.rounds.iter().map(|round| round[size]).collect()
    }

    fn against(&self, other: &Self, size: usize, measure: Measure) -> Vec<f64> {
        let (own, others) = (self.times(size), other.times(size));
        match measure {
            Measure::Time => ratios(&own, &others),
            Measure::Bandwidth => ratios(&others, &own),
        }
    }
}

fn report(competitors: &[Competitor]) {
    println!(
        "\nHalf a round trip between two pinned ranks. A round's figure is a median of batches; below are the\n\
         median of {ROUNDS} interleaved rounds and (least..most) of them. Ratios are taken round by round."
    );
    let Some((panto, others)) = competitors.split_first() else { return };
    println!("{}", header(competitors, others));
    for size in 0..SIZES.len() {
        println!("{}", row(size, competitors, panto, others));
    }
    for other in others.iter().filter(|other| other.name == "Open MPI") {
        for goal in GOALS {
            println!("{}", judge(goal, panto, other));
        }
    }
}

fn header(competitors: &[Competitor], others: &[Competitor]) -> String {
    let names = competitors.iter().map(|competitor| format!("  {:<26}", competitor.name));
    let ratios = others.iter().map(|other| format!("  {:<20}", format!("Panto/{}", other.name)));
    let line: String = names.chain(ratios).collect();
    format!("{:<7}{}", "size", line.trim_end())
}

fn row(size: usize, competitors: &[Competitor], panto: &Competitor, others: &[Competitor]) -> String {
    let times = competitors.iter().map(|each| format!("  {:<26}", Spread::of(&each.times(size)).nanos()));
    let ratio = |other| Spread::of(&panto.against(other, size, Measure::Time)).to_string();
    let ratios = others.iter().map(|other| format!("  {:<20}", ratio(other)));
    let line: String = times.chain(ratios).collect();
    format!("{:<7}{}", SIZES[size].1, line.trim_end())
}

fn judge(goal: &Goal, panto: &Competitor, other: &Competitor) -> String {
    let figures = panto.against(other, goal.size, goal.measure);
    let (what, limit, words) = match goal.measure {
        Measure::Time => ("time", Limit::AtMost(goal.limit), "at most"),
        Measure::Bandwidth => ("bandwidth", Limit::AtLeast(goal.limit), "at least"),
    };
    format!(
        "goal: {} {what}, Panto/{} {words} {:.1}: {}, {}",
        SIZES[goal.size].1,
        other.name,
        goal.limit,
        Spread::of(&figures),
        verdict(&figures, limit)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn competitor(name: &'static str, times: [f64; 4]) -> Competitor {
        Competitor { rounds: vec![times.to_vec(); ROUNDS], ..Competitor::new(name, PathBuf::new(), None) }
    }

    #[test]
    fn goals_are_judged_in_the_right_direction() {
        let panto = competitor("Panto", [100.0, 200.0, 3000.0, 50_000.0]);
        let other = competitor("Open MPI", [150.0, 300.0, 6000.0, 100_000.0]);
        let verdicts: Vec<String> = GOALS.iter().map(|goal| judge(goal, &panto, &other)).collect();
        assert_eq!(
            verdicts,
            [
                "goal: 8 B time, Panto/Open MPI at most 1.0: 0.67 (0.67..0.67), met in every round",
                "goal: 8 B time, Panto/Open MPI at most 0.5: 0.67 (0.67..0.67), MISSED in every round",
                "goal: 1 MiB bandwidth, Panto/Open MPI at least 1.0: 2.00 (2.00..2.00), met in every round",
            ]
        );
    }
}
