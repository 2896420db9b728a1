//! Pairs points of different benchmark suites that time the same communication pattern.
//!
//! The OSU and Intel benchmarks print means, so a launch of Panto is represented by its mean here.

use std::collections::{BTreeMap, BTreeSet};

use panto_results::{Separation, kernel, param};

use crate::key::Key;
use crate::run::Launches;

/// A point with its launches.
type Entry = (Key, Launches);

/// The paired points, and the unpaired points of each side.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Counterparts {
    pub both: Vec<(Entry, Entry)>,
    pub only_old: Vec<Key>,
    pub only_new: Vec<Key>,
}

/// A communication pattern that several benchmark suites measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Pattern {
    PingPong,
    Barrier,
    Broadcast,
    Allreduce,
    Sendrecv,
    Exchange,
}

impl Pattern {
    fn of(kernel: &str) -> Option<Self> {
        match kernel {
            kernel::classic::LATENCY | kernel::comet::ECHO | kernel::osu::LATENCY | kernel::imb::PINGPONG => {
                Some(Self::PingPong)
            }
            kernel::classic::SENDRECV | kernel::imb::SENDRECV => Some(Self::Sendrecv),
            kernel::classic::EXCHANGE | kernel::imb::EXCHANGE => Some(Self::Exchange),
            kernel::comet::BARRIER | kernel::osu::BARRIER | kernel::imb::BARRIER => Some(Self::Barrier),
            kernel::comet::BROADCAST | kernel::osu::BROADCAST | kernel::imb::BROADCAST => {
                Some(Self::Broadcast)
            }
            kernel::comet::REDUCTION | kernel::osu::ALLREDUCE | kernel::imb::ALLREDUCE => {
                Some(Self::Allreduce)
            }
            _ => None,
        }
    }
}

/// What paired points have in common: the pattern, the number of ranks and the message size in
/// bytes.
type Common = (Pattern, Option<usize>, u64);

/// Pairs points of different benchmarks that time the same pattern. Ambiguous points stay unpaired.
pub(crate) fn pairs(old: Vec<Entry>, new: Vec<Entry>) -> Counterparts {
    let unknown_ranks: BTreeSet<Pattern> = old.iter().chain(&new).filter_map(without_ranks).collect();
    let (mut before, only_old) = by_common(old, &unknown_ranks);
    let (after, only_new) = by_common(new, &unknown_ranks);
    let mut found = Counterparts { both: Vec::new(), only_old, only_new };
    for (common, entry) in after {
        match before.remove(&common) {
            Some(other) if other.0.kernel != entry.0.kernel => {
                found.both.push((with_means(other), with_means(entry)));
            }
            Some(other) => {
                found.only_old.push(other.0);
                found.only_new.push(entry.0);
            }
            None => found.only_new.push(entry.0),
        }
    }
    found.only_old.extend(before.into_values().map(|entry| entry.0));
    found.only_old.sort();
    found.only_new.sort();
    found
}

fn without_ranks((key, _): &Entry) -> Option<Pattern> {
    Pattern::of(&key.kernel).filter(|_| key.ranks.is_none())
}

/// Returns the points that are identified by what they have in common, and the keys of all others.
fn by_common(entries: Vec<Entry>, unknown_ranks: &BTreeSet<Pattern>) -> (BTreeMap<Common, Entry>, Vec<Key>) {
    let nearest = Separation::nearest(entries.iter().filter_map(|(key, _)| key.separation()));
    let mut named: BTreeMap<Common, Vec<Entry>> = BTreeMap::new();
    let mut rest = Vec::new();
    for entry in entries {
        match common(&entry.0, nearest, unknown_ranks) {
            Some(name) => named.entry(name).or_default().push(entry),
            None => rest.push(entry.0),
        }
    }
    let mut single = BTreeMap::new();
    for (name, entries) in named {
        // Panto's classic suite follows the OSU and Intel benchmarks, so it is preferred.
        let is_alike = |entry: &Entry| kernel::suite_of(&entry.0.kernel) == kernel::classic::SUITE;
        let (mut alike, mut others): (Vec<Entry>, Vec<Entry>) = entries.into_iter().partition(is_alike);
        let chosen = if alike.is_empty() { &mut others } else { &mut alike };
        if chosen.len() == 1 {
            single.extend(chosen.pop().map(|only| (name, only)));
        }
        rest.extend(alike.into_iter().chain(others).map(|entry| entry.0));
    }
    (single, rest)
}

/// Returns what identifies a point across benchmarks. The number of ranks is ignored for a
/// ping-pong, which has two active ranks, and for patterns in which one side does not report it.
fn common(key: &Key, nearest: Option<Separation>, unknown_ranks: &BTreeSet<Pattern>) -> Option<Common> {
    let pattern = Pattern::of(&key.kernel)?;
    if key.separation() != nearest && key.separation().is_some() {
        return None;
    }
    let has_ranks = pattern != Pattern::PingPong && !unknown_ranks.contains(&pattern);
    let doubles = || key.number(param::LENGTH).map(|length| length.saturating_mul(8));
    let bytes = key.number(param::BYTES).or_else(doubles).unwrap_or(0);
    Some((pattern, key.ranks.filter(|_| has_ranks), bytes))
}

fn with_means((key, launches): Entry) -> Entry {
    let mean = |samples: &Vec<f64>| vec![samples.iter().sum::<f64>() / samples.len() as f64];
    (key, launches.iter().map(mean).collect())
}

#[cfg(test)]
mod tests {
    use panto_results::Value;

    use super::*;

    fn entry(kernel: &str, ranks: Option<usize>, params: &[(&str, u64)], samples: &[f64]) -> Entry {
        let params = params.iter().map(|&(name, value)| (name.to_owned(), Value::Number(value))).collect();
        (Key::foreign(kernel.into(), ranks, params), vec![samples.to_vec()])
    }

    #[test]
    fn an_echo_is_a_ping_pong_at_the_nearest_distance() {
        let echo =
            |hops, bytes| entry("comet/echo", Some(4), &[("hops", hops), ("bytes", bytes)], &[1.0, 3.0]);
        let old = vec![echo(0, 8), echo(1, 8), echo(2, 8), echo(1, 16)];
        let new = vec![entry("osu/latency", None, &[("bytes", 8)], &[2.5])];
        let found = pairs(old, new);
        let [(before, after)] = &found.both[..] else { panic!("{found:?}") };
        assert_eq!((before.1.clone(), after.1.clone()), (vec![vec![2.0]], vec![vec![2.5]]));
        assert_eq!(before.0.number("hops"), Some(1));
        assert_eq!((found.only_old.len(), found.only_new.len()), (3, 0));
    }

    #[test]
    fn unreported_ranks_must_be_unambiguous() {
        let sum = |ranks, length| entry("comet/reduction", Some(ranks), &[("length", length)], &[5.0]);
        let osu = || vec![entry("osu/allreduce-latency", None, &[("bytes", 8)], &[5.0])];
        assert_eq!(pairs(vec![sum(4, 1), sum(4, 2)], osu()).both.len(), 1);
        assert_eq!(pairs(vec![sum(4, 1), sum(8, 1)], osu()).both.len(), 0);
        let imb = vec![entry("imb/allreduce", Some(8), &[("bytes", 8)], &[5.0])];
        let found = pairs(vec![sum(4, 1), sum(8, 1)], imb);
        assert_eq!((found.both.len(), found.only_old.len()), (1, 1));
    }
}
