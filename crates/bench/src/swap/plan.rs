//! What to know before a run: sizes that are left out, and how long the points take at least.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use panto_results::swap::CacheMode;
use panto_results::{Point, param};
use panto_transport::Evictor;

use super::Options;
use super::experiment::{SHORT_BUDGET, VOLUMES, sizes_in, usual_sizes};
use crate::pattern;
use crate::settings::Settings;

/// Runs of a point at least: two to warm up, and three samples.
const LEAST_RUNS: u32 = 5;
/// Time of a run beside its buffers: the agreed start and the replies of all ranks.
const START: Duration = Duration::from_micros(400);
/// Part of the budget by which the points may exceed it without a note.
const TOLERANCE: f64 = 0.2;

/// Returns the notes of a plan with these points.
pub(super) fn notes(kernel: &str, settings: &Settings, points: &[Point]) -> Vec<String> {
    [fewer_sizes(kernel, settings), longer(kernel, settings, points)].into_iter().flatten().collect()
}

/// Names the numbers of messages that a short run leaves out.
fn fewer_sizes(kernel: &str, settings: &Settings) -> Option<String> {
    let budget = settings.effort.budget;
    if settings.sizes.is_some() || budget >= SHORT_BUDGET {
        return None;
    }
    let options = settings.options.get::<Options>();
    let volume = *options.volumes.as_deref().unwrap_or(&VOLUMES).first()?;
    let (all, kept) = (usual_sizes(volume).ok()?, sizes_in(volume, budget).ok()?);
    let messages = |size: &u64| (volume / size).to_string();
    let left_out: Vec<String> = all.iter().rev().filter(|size| !kept.contains(size)).map(messages).collect();
    Some(format!(
        "{kernel}: {} of {} numbers of messages are left out ({}), since there is less time than {}s; use -t {}s for all of \
         them, or name --sizes",
        left_out.len(),
        all.len(),
        left_out.join(", "),
        SHORT_BUDGET.as_secs(),
        SHORT_BUDGET.as_secs()
    ))
}

/// States how long the points take at least, if that is longer than the budget. On a simulated
/// machine only the host's speed would tell.
fn longer(kernel: &str, settings: &Settings, points: &[Point]) -> Option<String> {
    if settings.machine.is_some() {
        return None;
    }
    let (least, budget) = (least_time(points), settings.effort.budget);
    (least > budget.mul_f64(1.0 + TOLERANCE)).then(|| {
        format!(
            "{kernel}: {} points take about {} at least, longer than the {} of -t; --protocol, --volumes, --loops, --cache and \
             --sizes select fewer",
            points.len(),
            panto_units::time(least.as_secs_f64()),
            panto_units::time(budget.as_secs_f64())
        )
    })
}

/// Returns the time of the least number of runs of all points, from the time to prepare and check
/// buffers on this core.
fn least_time(points: &[Point]) -> Duration {
    let mut counts: BTreeMap<(u64, &str), u32> = BTreeMap::new();
    for point in points {
        let volume = point.number(param::VOLUME).unwrap_or(0);
        *counts.entry((volume, point.text(param::CACHE_MODE))).or_default() += 1;
    }
    let all = counts.into_iter().map(|((volume, mode), points)| {
        let mode = mode.parse().unwrap_or(CacheMode::Warm);
        (run_time(volume as usize, mode) + START) * LEAST_RUNS * points
    });
    all.sum()
}

/// Returns the time of one run: its buffers are made, moved and checked.
fn run_time(volume: usize, mode: CacheMode) -> Duration {
    let (mut sent, mut received) = (vec![1; volume], vec![1; volume]);
    let evictor = match mode {
        CacheMode::Cold => Some(Evictor::default()),
        CacheMode::Invalidated => Some(Evictor::second_level()),
        CacheMode::Warm | CacheMode::Repeated => None,
    };
    let start = Instant::now();
    pattern::fill(&mut sent, 0, 1);
    received.fill(0);
    if let Some(evictor) = &evictor {
        evictor.evict(&sent);
        evictor.evict(&received);
    }
    for _ in 0..mode.repeats() {
        received.copy_from_slice(std::hint::black_box(&sent));
    }
    let checked = pattern::check(&received, 0, 1);
    let elapsed = start.elapsed();
    debug_assert!(checked.is_ok());
    elapsed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Effort;
    use crate::swap::experiment::points;

    fn settings(budget: Duration) -> Settings {
        Settings { effort: Effort { budget, ..Effort::default() }, ..Settings::default() }
    }

    fn notes_of(settings: &Settings) -> Vec<String> {
        notes("swap/swap", settings, &points(settings, &["0-1".into()]).expect("points"))
    }

    #[test]
    fn what_is_left_out_is_listed() {
        let notes = notes_of(&settings(Duration::from_secs(20)));
        assert!(notes[0].contains("4 of 11 numbers of messages are left out (2, 8, 32, 128)"), "{notes:?}");
        let named = Settings { sizes: Some(vec![8_192]), ..settings(Duration::from_secs(20)) };
        assert!(notes_of(&named).iter().all(|note| !note.contains("left out")));
    }

    #[test]
    fn points_that_take_longer_than_the_budget_are_announced() {
        let notes = notes_of(&settings(Duration::from_millis(100)));
        assert!(notes[1].contains("2646 points take about") && notes[1].contains("100ms of -t"), "{notes:?}");
        assert_eq!(notes_of(&settings(Duration::from_secs(3_600))), Vec::<String>::new());
        let simulated = Settings { machine: Some("ipsc860".into()), ..settings(Duration::from_millis(100)) };
        assert_eq!(notes_of(&simulated).len(), 1);
    }
}
