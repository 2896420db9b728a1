//! The time of a clean release build.

use std::time::{Duration, Instant};

use super::Outcome;
use crate::failure::Result;
use crate::scratch::Scratch;
use crate::shell;

const GOAL: Duration = Duration::from_secs(180);

pub fn run() -> Result<Outcome> {
    // Downloads are not part of the measurement.
    shell::stream(&mut shell::cargo("fetch"))?;
    let scratch = Scratch::new("build")?;
    let start = Instant::now();
    shell::stream(shell::cargo("build --release").env("CARGO_TARGET_DIR", scratch.path()))?;
    println!("{}", report(start.elapsed()));
    Ok(Outcome::Done)
}

fn report(time: Duration) -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let verdict = if time <= GOAL { "met" } else { "MISSED" };
    format!(
        "clean release build, once, {cores} cores, downloads not counted: {:.1} s; goal: at most {} s, {verdict}",
        time.as_secs_f64(),
        GOAL.as_secs()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_goal_is_three_minutes() {
        assert!(report(GOAL).ends_with("at most 180 s, met"));
        assert!(report(GOAL + Duration::from_secs(1)).ends_with("MISSED"));
    }
}
