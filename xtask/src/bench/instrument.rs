//! Instrument error: Panto's echo over an MPI beside a plain ping-pong in C over the same MPI.

use std::path::{Path, PathBuf};

use super::mpi::{self, Mpi};
use super::spread::{Limit, Spread, interval, ratios, verdict};
use super::{Outcome, SIZES, Times, panto, pingpong};
use crate::failure::Result;
use crate::scratch::Scratch;

const ROUNDS: usize = 31;
/// Goal for the relative difference.
const GOAL: f64 = 0.02;
/// The sizes that have the goal, as indices into [`SIZES`].
const JUDGED: [usize; 2] = [0, 3];

/// The times on one MPI, round by round.
struct Pair {
    mpi: &'static Mpi,
    pingpong: PathBuf,
    plain: Vec<Times>,
    panto: Vec<Times>,
}

pub fn run() -> Result<Outcome> {
    if let Some(reason) = mpi::too_few_cores() {
        return Ok(Outcome::Skipped(reason));
    }
    let scratch = Scratch::new("instrument")?;
    let program = panto::build()?;
    let mut pairs = Vec::new();
    for mpi in mpi::installed() {
        let pingpong = mpi.compile(&pingpong::SOURCE, scratch.path())?;
        pairs.push(Pair { mpi, pingpong, plain: Vec::new(), panto: Vec::new() });
    }
    for round in 1..=ROUNDS {
        for pair in &mut pairs {
            eprintln!("round {round} of {ROUNDS}: {}", pair.mpi.name);
            pair.measure(&program, round)?;
        }
    }
    report(&pairs);
    Ok(Outcome::Done)
}

impl Pair {
    /// Measures both, alternating which one goes first, in case the first finds the machine in
    /// another state.
    fn measure(&mut self, program: &Path, round: usize) -> Result<()> {
        if round.is_multiple_of(2) {
            self.panto.push(panto::measure_on(self.mpi, program)?);
            self.plain.push(pingpong::measure(self.mpi, &self.pingpong)?);
        } else {
            self.plain.push(pingpong::measure(self.mpi, &self.pingpong)?);
            self.panto.push(panto::measure_on(self.mpi, program)?);
        }
        Ok(())
    }

    /// Returns the times of all rounds for one size: of C and of Panto.
    fn times(&self, size: usize) -> (Vec<f64>, Vec<f64>) {
        let of = |rounds: &[Times]| rounds.iter().map(|round| round[size]).collect();
        (of(&self.plain), of(&self.panto))
    }
}

fn report(pairs: &[Pair]) {
    println!(
        "\nHalf a round trip between two pinned ranks. A round's figure is a median of batches; below are the\n\
         median of {ROUNDS} interleaved rounds and (least..most) of them. Ratios are taken round by round."
    );
    for pair in pairs {
        println!("{:<10}{:<8}{:<28}{:<28}Panto/C", pair.mpi.name, "size", "C", "Panto");
        for (size, (_, name)) in SIZES.iter().enumerate() {
            let (plain, own) = pair.times(size);
            let (plain_text, own_text) = (Spread::of(&plain).nanos(), Spread::of(&own).nanos());
            let ratio = Spread::of(&ratios(&own, &plain));
            println!("{:<10}{name:<8}{plain_text:<28}{own_text:<28}{ratio:.3}", "");
        }
        for size in JUDGED {
            let (plain, own) = pair.times(size);
            println!("{}", judge(SIZES[size].1, &own, &plain));
        }
    }
}

fn judge(size: &str, own: &[f64], plain: &[f64]) -> String {
    let ratios = ratios(own, plain);
    let (low, high) = interval(&ratios);
    format!(
        "goal: {size}, Panto/C within {:.0} %: median {:.3}, 95 % interval {low:.3}..{high:.3}, {}; ratio of the medians {:.3}",
        GOAL * 100.0,
        Spread::of(&ratios).median,
        verdict(&ratios, Limit::Within(GOAL)),
        Spread::of(own).median / Spread::of(plain).median
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_the_goal_count() {
        let plain = [100.0, 100.0, 100.0];
        assert_eq!(
            judge("8 B", &[99.0, 101.0, 101.5], &plain),
            "goal: 8 B, Panto/C within 2 %: median 1.010, 95 % interval 0.990..1.015, met in every round; \
             ratio of the medians 1.010"
        );
        assert!(judge("8 B", &[95.0, 96.0, 97.0], &plain).contains("MISSED in every round"));
        assert!(judge("8 B", &[95.0, 99.0, 105.0], &plain).contains("met by the median, not in every round"));
    }
}
