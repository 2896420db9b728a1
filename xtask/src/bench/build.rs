//! The time of a clean release build, in seconds of the clock and of the processors: other work on
//! the machine lengthens the first alone.

use std::time::{Duration, Instant};

use super::Outcome;
use crate::failure::{Failure, Result};
use crate::scratch::Scratch;
use crate::shell;

/// On two cores.
const GOAL: Duration = Duration::from_secs(150);
/// Summed over the cores.
const CPU_GOAL: Duration = Duration::from_secs(300);
/// The unit of times in `/proc/self/stat`: a hundredth of a second on every Linux.
const TICK: Duration = Duration::from_millis(10);

pub fn run() -> Result<Outcome> {
    // Downloads are not part of the measurement.
    shell::stream(&mut shell::cargo("fetch"))?;
    let scratch = Scratch::new("build")?;
    let (start, cpu) = (Instant::now(), cpu_of_children()?);
    shell::stream(shell::cargo("build --release").env("CARGO_TARGET_DIR", scratch.path()))?;
    println!("{}", report(start.elapsed(), cpu_of_children()?.saturating_sub(cpu)));
    Ok(Outcome::Done)
}

/// Returns the CPU time of all processes that were started from here and have ended.
fn cpu_of_children() -> Result<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = children_ticks(&stat).ok_or_else(|| Failure::failed("cannot read /proc/self/stat"))?;
    Ok(TICK * ticks)
}

/// Returns the sum of `cutime` and `cstime` of proc(5), the 16th and 17th field.
fn children_ticks(stat: &str) -> Option<u32> {
    // The second field is a name in parentheses, which may contain anything.
    let (_, fields) = stat.rsplit_once(')')?;
    let times = fields.split_whitespace().skip(13).take(2).map(str::parse);
    let times: Vec<u32> = times.collect::<std::result::Result<_, _>>().ok()?;
    (times.len() == 2).then(|| times.iter().sum())
}

fn report(time: Duration, cpu: Duration) -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "clean release build, once, {cores} cores, downloads not counted: {}; CPU time {}",
        held(time, GOAL),
        held(cpu, CPU_GOAL)
    )
}

fn held(time: Duration, goal: Duration) -> String {
    let verdict = if time <= goal { "met" } else { "MISSED" };
    format!("{:.1} s (goal: at most {} s, {verdict})", time.as_secs_f64(), goal.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_times_are_held_to_their_goals() {
        assert!(
            report(GOAL, CPU_GOAL)
                .ends_with("at most 150 s, met); CPU time 300.0 s (goal: at most 300 s, met)")
        );
        assert!(report(GOAL, CPU_GOAL + TICK).ends_with("MISSED)"));
    }

    #[test]
    fn the_times_of_children_follow_a_name_with_parentheses() {
        let stat = "7 (a) b) R 1 2 3 4 5 6 7 8 9 10 100 20 300 40 20 0";
        assert_eq!(children_ticks(stat), Some(340));
        assert_eq!(children_ticks("7 (a) R 1"), None);
    }

    #[test]
    fn a_child_that_ended_is_counted() {
        assert!(cpu_of_children().is_ok());
    }
}
