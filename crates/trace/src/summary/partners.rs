//! Which ranks exchange messages: in one line, and as a small matrix.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::{Pair, Summary};

/// Bytes between groups of ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// The number of consecutive ranks in a group; fewer in the last one.
    pub ranks_in_group: u32,
    /// For each group of senders, the bytes to each group of receivers; none if there was no
    /// message.
    pub bytes: Vec<Vec<Option<u64>>>,
}

/// The share of the messages that a few distances must make up to be named.
const MOST_OF_THEM: f64 = 0.95;
const FEW: usize = 4;

impl Summary {
    /// Returns the matrix of bytes, with at most `most` groups of ranks.
    pub fn grid(&self, most: u32) -> Grid {
        let ranks_in_group = self.size.div_ceil(most.max(1)).max(1);
        let groups = self.size.div_ceil(ranks_in_group) as usize;
        let mut bytes = vec![vec![None::<u64>; groups]; groups];
        for pair in &self.pairs {
            let [from, to] = [pair.from, pair.to].map(|rank| (rank / ranks_in_group) as usize);
            // A damaged trace may name ranks that do not exist.
            if let Some(cell) = bytes.get_mut(from).and_then(|row| row.get_mut(to)) {
                *cell = Some(cell.unwrap_or(0).saturating_add(pair.bytes));
            }
        }
        Grid { ranks_in_group, bytes }
    }

    /// Describes in one line which ranks exchange messages.
    pub fn partners(&self) -> String {
        let between: Vec<&Pair> = self.pairs.iter().filter(|pair| pair.from != pair.to).collect();
        if between.is_empty() {
            return "no messages between ranks".into();
        }
        if self.size > 2 {
            if between.len() as u64 == u64::from(self.size) * u64::from(self.size - 1) {
                return "every rank with every other".into();
            }
            if let Some(centre) = centre(&between) {
                return format!("rank {centre} with {} others", partners_of(&between, centre));
            }
        }
        if is_hypercube(&between, self.size) {
            return "ranks whose numbers differ in one bit".into();
        }
        near(&between, self.size).unwrap_or_else(|| spread(&between))
    }
}

/// Returns the one rank with which all others exchange messages.
fn centre(pairs: &[&Pair]) -> Option<u32> {
    let first = pairs.first()?;
    let is_in_all = |rank: &u32| pairs.iter().all(|pair| pair.from == *rank || pair.to == *rank);
    let candidate = [first.from, first.to].into_iter().find(is_in_all)?;
    (partners_of(pairs, candidate) > 1).then_some(candidate)
}

fn partners_of(pairs: &[&Pair], rank: u32) -> usize {
    let partners = pairs.iter().filter_map(|pair| match (pair.from == rank, pair.to == rank) {
        (true, _) => Some(pair.to),
        (_, true) => Some(pair.from),
        _ => None,
    });
    partners.collect::<BTreeSet<_>>().len()
}

fn is_hypercube(pairs: &[&Pair], size: u32) -> bool {
    let expected = u64::from(size) * u64::from(size.ilog2());
    size > 4
        && size.is_power_of_two()
        && pairs.len() as u64 == expected
        && pairs.iter().all(|pair| (pair.from ^ pair.to).is_power_of_two())
}

/// Describes the distances between ranks, modulo the number of ranks, if a few of them make up most
/// of the messages.
fn near(pairs: &[&Pair], size: u32) -> Option<String> {
    let mut distances: BTreeMap<i64, u64> = BTreeMap::new();
    for pair in pairs {
        *distances.entry(distance(pair, size)).or_default() += pair.messages;
    }
    let total: u64 = distances.values().sum();
    let mut both_ways: BTreeMap<u64, u64> = BTreeMap::new();
    for (far, messages) in &distances {
        *both_ways.entry(far.unsigned_abs()).or_default() += messages;
    }
    let mut by_messages: Vec<(u64, u64)> = both_ways.into_iter().collect();
    by_messages.sort_by_key(|(far, messages)| (std::cmp::Reverse(*messages), *far));
    let mut named = Vec::new();
    let mut sum = 0;
    for (far, messages) in by_messages {
        named.push(far);
        sum += messages;
        if sum as f64 >= MOST_OF_THEM * total as f64 {
            break;
        }
    }
    (named.len() <= FEW).then(|| name_distances(named, &distances, sum as f64 / total as f64))
}

fn distance(pair: &Pair, size: u32) -> i64 {
    let size = i64::from(size);
    let far = (i64::from(pair.to) - i64::from(pair.from)).rem_euclid(size);
    if 2 * far > size { far - size } else { far }
}

fn name_distances(mut named: Vec<u64>, distances: &BTreeMap<i64, u64>, share: f64) -> String {
    named.sort_unstable();
    let sign = |far: u64| {
        let ways = [far as i64, -(far as i64)].map(|far| distances.contains_key(&far));
        match ways {
            [true, true] => "+-",
            [true, false] => "+",
            _ => "-",
        }
    };
    let list: Vec<String> = named.iter().map(|far| format!("{}{far}", sign(*far))).collect();
    let mut text = format!("neighbours at {}", list.join(", "));
    if share < 1.0 {
        let _ = write!(text, " ({:.1}% of the messages)", 100.0 * share);
    }
    text
}

fn spread(pairs: &[&Pair]) -> String {
    let mut receivers: BTreeMap<u32, usize> = BTreeMap::new();
    for pair in pairs {
        *receivers.entry(pair.from).or_default() += 1;
    }
    let mut counts: Vec<usize> = receivers.into_values().collect();
    counts.sort_unstable();
    let [least, median, most] = [0, counts.len() / 2, counts.len() - 1].map(|place| counts[place]);
    format!(
        "no simple pattern: a rank that sends has {median} receivers in the median, {least} at least, {most} at most"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(size: u32, pairs: impl IntoIterator<Item = (u32, u32)>) -> Summary {
        let unique: BTreeSet<(u32, u32)> = pairs.into_iter().collect();
        let pairs = unique.into_iter().map(|(from, to)| Pair { from, to, messages: 10, bytes: 100 });
        Summary { size, pairs: pairs.collect(), ..Summary::default() }
    }

    fn both_ways(pairs: impl IntoIterator<Item = (u32, u32)>) -> Vec<(u32, u32)> {
        pairs.into_iter().flat_map(|(one, other)| [(one, other), (other, one)]).collect()
    }

    #[test]
    fn patterns_have_names() {
        let ring = (0..8).map(|rank| (rank, (rank + 1) % 8));
        assert_eq!(summary(8, ring.clone()).partners(), "neighbours at +1");
        assert_eq!(summary(8, both_ways(ring)).partners(), "neighbours at +-1");
        let grid = (0..60).map(|rank| (rank, rank + 4)).chain((0..64).map(|rank| (rank, rank ^ 1)));
        assert_eq!(summary(64, both_ways(grid)).partners(), "neighbours at +-1, +-4");
        let all = (0..5).flat_map(|from| (0..5).map(move |to| (from, to))).filter(|(from, to)| from != to);
        assert_eq!(summary(5, all).partners(), "every rank with every other");
        assert_eq!(summary(9, (1..9).map(|rank| (rank, 0))).partners(), "rank 0 with 8 others");
        let cube = (0..16).flat_map(|rank| (0..4).map(move |bit| (rank, rank ^ (1 << bit))));
        assert_eq!(summary(16, cube).partners(), "ranks whose numbers differ in one bit");
        let far = (0..40).flat_map(|from| (1..=from % 20).map(move |step| (from, (from + step * step) % 40)));
        assert!(summary(40, far).partners().starts_with("no simple pattern"));
        assert_eq!(summary(4, [(2, 2)]).partners(), "no messages between ranks");
        assert_eq!(summary(2, [(0, 1)]).partners(), "neighbours at +1");
    }

    #[test]
    fn many_ranks_are_grouped() {
        let grid = summary(10, [(0, 9), (1, 8), (4, 5)]).grid(4);
        assert_eq!(grid.ranks_in_group, 3);
        assert_eq!(grid.bytes.len(), 4);
        assert_eq!(grid.bytes[0], [None, None, Some(100), Some(100)]);
        assert_eq!(grid.bytes[1], [None, Some(100), None, None]);
    }
}
