//! A comparison in sentences.

use std::collections::BTreeMap;

use panto_compare::{Comparison, Counts, Key, Pair, Verdict};

use super::super::phrases;
use super::{kernels, percent, point, ratio};

/// Upper limit of listed points that only one run has; the others are counted.
const MAX_ALONE: usize = 10;

/// Returns a sentence per conclusion; the first is the summary.
pub fn comparison_summary(comparison: &Comparison) -> Vec<String> {
    let mut lines = vec![summary(comparison)];
    let Counts { all, slower, faster, inconclusive, .. } = comparison.counts;
    let best = extreme(comparison, Verdict::Faster).filter(|_| slower > 0 && faster > 0);
    lines.extend(best.map(|best| format!("{}, best: {best}", counted(faster, all, "faster"))));
    if slower + faster > 0 {
        lines.push(rest(comparison));
    }
    // A mean of ratios that mostly cannot be told from 1 claims what the points do not.
    let mean = comparison.mean_ratio.filter(|_| all > 1 && 2 * inconclusive <= all);
    lines.extend(mean.map(|mean| format!("all points: {}x (geometric mean of the ratios)", ratio(mean))));
    lines
}

/// Returns the summary: `3 of 42 points are slower, worst: comet/echo at 2 ranks, size 64KiB:
/// 1.310x (1.270..1.360)`.
fn summary(comparison: &Comparison) -> String {
    let Counts { all, slower, faster, .. } = comparison.counts;
    let named = |count, verdict: Verdict, superlative: &str| {
        let example = extreme(comparison, verdict).map(|pair| format!(", {superlative}: {pair}"));
        counted(count, all, &verdict.to_string()) + &example.unwrap_or_default()
    };
    match (slower, faster) {
        (1.., _) => named(slower, Verdict::Slower, "worst"),
        (0, 1..) => format!("no point is slower; {}", named(faster, Verdict::Faster, "best")),
        (0, 0) => format!("no point is slower or faster; {}", rest(comparison)),
    }
}

fn counted(count: usize, all: usize, what: &str) -> String {
    let are = if count == 1 { "is" } else { "are" };
    let points = if all == 1 { "point" } else { "points" };
    format!("{count} of {all} {points} {are} {what}")
}

fn rest(comparison: &Comparison) -> String {
    let Counts { all, same, inconclusive, .. } = comparison.counts;
    let within = percent(comparison.settings.threshold);
    let same = format!("{} within {within}", counted(same, all, "the same"));
    match inconclusive {
        0 => same,
        1 => format!("{same}, 1 is inconclusive"),
        _ => format!("{same}, {inconclusive} are inconclusive"),
    }
}

/// Returns the first point of a verdict; points are sorted by importance.
fn extreme(comparison: &Comparison, verdict: Verdict) -> Option<String> {
    comparison.points.iter().find(|pair| pair.verdict == verdict).map(named)
}

fn named(pair: &Pair) -> String {
    let place = point(&pair.key);
    let place = if place.is_empty() { place } else { format!(" at {place}") };
    let change = pair.ratio.map_or("unknown".into(), |value| format!("{}x", ratio(value)));
    let interval = pair.low.zip(pair.high).filter(|(low, high)| low < high);
    let interval = interval.map(|(low, high)| format!(" ({}..{})", ratio(low), ratio(high)));
    format!("{}{place}: {change}{}", kernels(pair), interval.unwrap_or_default())
}

/// Returns the points that only one run has, one per line; `all` lists every one of them.
pub fn comparison_unmatched(comparison: &Comparison, all: bool) -> Vec<String> {
    let Comparison { old, new, only_old, only_new, .. } = comparison;
    let most = if all { usize::MAX } else { MAX_ALONE };
    alone(old, only_old, most).into_iter().chain(alone(new, only_new, most)).collect()
}

fn alone(name: &str, keys: &[Key], most: usize) -> Vec<String> {
    if keys.is_empty() {
        return Vec::new();
    }
    let mut by_kernel: BTreeMap<&str, usize> = BTreeMap::new();
    for key in keys {
        *by_kernel.entry(&key.kernel).or_default() += 1;
    }
    let kernels: Vec<String> =
        by_kernel.iter().map(|(kernel, count)| format!("{kernel} ({count})")).collect();
    let plural = if keys.len() == 1 { "point is" } else { "points are" };
    let head = format!("{} {plural} only in {name}: {}", keys.len(), kernels.join(", "));
    let each = keys.iter().take(most).map(|key| format!("  {} at {}", key.kernel, point(key)));
    let more = keys.len().saturating_sub(most);
    let more = (more > 0).then(|| format!("  and {more} more (--all lists them)"));
    let lines = std::iter::once(head).chain(each).chain(more);
    lines.map(|line| phrases::one_line(&line)).collect()
}
