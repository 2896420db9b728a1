//! Messages between two ranks: Panto beside each MPI that is there.

use std::path::{Path, PathBuf};

use super::mpi::{self, Mpi};
use super::spread::{Limit, Spread, ratios, verdict};
use super::{Outcome, SIZES, Times, panto, pingpong};
use crate::failure::Result;
use crate::scratch::Scratch;

const ROUNDS: usize = 5;

/// What Panto wants to be, against Open MPI.
struct Goal {
    /// Place in [`SIZES`].
    size: usize,
    measure: Measure,
    limit: f64,
}

/// What is compared.
#[derive(Clone, Copy)]
enum Measure {
    /// Half a round trip: Panto's over the other's, to be small.
    Time,
    /// Bytes a second: Panto's over the other's, to be large.
    Bandwidth,
}

const GOALS: &[Goal] = &[
    Goal { size: 0, measure: Measure::Time, limit: 1.0 },
    Goal { size: 0, measure: Measure::Time, limit: 0.5 },
    Goal { size: 3, measure: Measure::Bandwidth, limit: 1.0 },
];

/// Somebody who is measured, and what came out, round by round.
struct Contender {
    name: &'static str,
    program: PathBuf,
    /// None is Panto.
    mpi: Option<&'static Mpi>,
    rounds: Vec<Times>,
}

pub fn run() -> Result<Outcome> {
    if let Some(reason) = mpi::too_few_cores() {
        return Ok(Outcome::Skipped(reason));
    }
    let scratch = Scratch::new("pingpong")?;
    let mut contenders = enter(scratch.path())?;
    for round in 1..=ROUNDS {
        for contender in &mut contenders {
            eprintln!("round {round} of {ROUNDS}: {}", contender.name);
            contender.measure()?;
        }
    }
    report(&contenders);
    Ok(Outcome::Done)
}

/// Panto, and every MPI that is there.
fn enter(scratch: &Path) -> Result<Vec<Contender>> {
    let mut contenders = vec![Contender::new("Panto", panto::build()?, None)];
    for mpi in mpi::installed() {
        let program = mpi.compile(&pingpong::SOURCE, scratch)?;
        contenders.push(Contender::new(mpi.name, program, Some(mpi)));
    }
    Ok(contenders)
}

impl Contender {
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

    /// The figures of all rounds for one size.
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

fn report(contenders: &[Contender]) {
    println!(
        "\nHalf a round trip between two pinned ranks. A round's figure is a median of batches; below are the\n\
         median of {ROUNDS} interleaved rounds and (least..most) of them. Ratios are taken round by round."
    );
    let Some((panto, others)) = contenders.split_first() else { return };
    println!("{}", header(contenders, others));
    for size in 0..SIZES.len() {
        println!("{}", row(size, contenders, panto, others));
    }
    for other in others.iter().filter(|other| other.name == "Open MPI") {
        for goal in GOALS {
            println!("{}", judge(goal, panto, other));
        }
    }
}

fn header(contenders: &[Contender], others: &[Contender]) -> String {
    let names = contenders.iter().map(|contender| format!("  {:<26}", contender.name));
    let ratios = others.iter().map(|other| format!("  {:<20}", format!("Panto/{}", other.name)));
    let line: String = names.chain(ratios).collect();
    format!("{:<7}{}", "size", line.trim_end())
}

fn row(size: usize, contenders: &[Contender], panto: &Contender, others: &[Contender]) -> String {
    let times = contenders.iter().map(|each| format!("  {:<26}", Spread::of(&each.times(size)).nanos()));
    let ratio = |other| Spread::of(&panto.against(other, size, Measure::Time)).to_string();
    let ratios = others.iter().map(|other| format!("  {:<20}", ratio(other)));
    let line: String = times.chain(ratios).collect();
    format!("{:<7}{}", SIZES[size].1, line.trim_end())
}

fn judge(goal: &Goal, panto: &Contender, other: &Contender) -> String {
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

    fn contender(name: &'static str, times: [f64; 4]) -> Contender {
        Contender { rounds: vec![times.to_vec(); ROUNDS], ..Contender::new(name, PathBuf::new(), None) }
    }

    #[test]
    fn goals_are_judged_the_right_way_round() {
        let panto = contender("Panto", [100.0, 200.0, 3000.0, 50_000.0]);
        let other = contender("Open MPI", [150.0, 300.0, 6000.0, 100_000.0]);
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
