//! Joins the channels that ranks have found apart.
//!
//! Where all ranks are known, each numbers its channels for itself, in a table that is small enough
//! for the cache: a program whose partners change all the time has millions of channels, and each
//! use of one table for all of them would miss the cache. Afterwards the two ends of each channel
//! are joined receiver by receiver, as in a partitioned hash join (Shatdal, Kant & Naughton, VLDB
//! 1994): what ranks found is distributed by receivers, in sequential writes, and each receiver's
//! part is joined in another small table.
//!
//! Channels are then numbered by their receivers, those of a receiver in the order of its first
//! use: that is their order in the memory of the run-ahead engine.

use rustc_hash::FxHashMap;

use super::channels::{ChannelCounts, Channels};
use crate::program::{Channel, ChannelKind};

/// The channels that the ranks of a part found.
pub struct PartChannels {
    pub channels: Channels,
    /// The number in the whole program of each helper of the part.
    pub helpers: Vec<u32>,
}

/// The numbers of channels and wildcards after joining, by those before.
#[derive(Default)]
pub struct JoinedNumbers {
    pub channels: Vec<u32>,
    pub wildcards: Vec<u32>,
}

/// A channel as one rank found it.
#[derive(Clone, Copy)]
struct Found {
    from: u32,
    match_key: u32,
    /// Its number among those that all ranks found.
    number: u32,
    kind: ChannelKind,
    /// Whether the receiver found it, as opposed to the sender.
    by_receiver: bool,
}

/// Joins the channels of parts that follow each other. `homes` has the rank of each helper. Returns
/// the channels of the program, and the numbers there of what each part found.
pub fn join(parts: &[PartChannels], ranks: u32, homes: &[u32]) -> (Channels, Vec<JoinedNumbers>) {
    let mut joined = Channels::default();
    let mut numbers: Vec<JoinedNumbers> =
        parts.iter().map(|part| joined.add_wildcards(&part.channels)).collect();
    let by_receiver = ByReceiver::new(parts, &mut joined, ranks, homes);
    let counts = |number: u32| {
        let first = |part: &u32| *part <= number;
        let part = by_receiver.firsts.partition_point(first) - 1;
        *parts[part].channels.counts_of(number - by_receiver.firsts[part])
    };
    let mut work =
        Joiner { counts, numbers: vec![0; by_receiver.found.len()], known: FxHashMap::default(), joined };
    for (to, bounds) in (0..).zip(by_receiver.starts.windows(2)) {
        work.receiver(to, &by_receiver.found[bounds[0]..bounds[1]]);
    }
    let Joiner { numbers: all, joined, .. } = work;
    let bounds = by_receiver.firsts.windows(2).map(|bounds| bounds[0] as usize..bounds[1] as usize);
    for (numbers, bounds) in numbers.iter_mut().zip(bounds) {
        numbers.channels = all[bounds].to_vec();
    }
    (joined, numbers)
}

/// What ranks found, by receivers; that of one receiver in the order of ranks.
struct ByReceiver {
    found: Vec<Found>,
    /// The index of the first of each receiver, and the number of all.
    starts: Vec<usize>,
    /// The number of the first of each part, and the number of all.
    firsts: Vec<u32>,
}

impl ByReceiver {
    fn new(parts: &[PartChannels], joined: &mut Channels, ranks: u32, homes: &[u32]) -> Self {
        let mut starts = vec![0; ranks as usize + homes.len() + 1];
        for part in parts {
            for channel in part.channels.all() {
                starts[part.code(channel.to, ranks) as usize + 1] += 1;
            }
        }
        for code in 1..starts.len() {
            starts[code] += starts[code - 1];
        }
        let nothing =
            Found { from: 0, match_key: 0, number: 0, kind: ChannelKind::Helper, by_receiver: false };
        let mut found = vec![nothing; starts[starts.len() - 1]];
        let mut next = starts.clone();
        let mut firsts = vec![0];
        let home = |code: u32| code.checked_sub(ranks).map_or(code, |helper| homes[helper as usize]);
        let mut number = 0;
        for part in parts {
            let match_keys = joined.add_match_keys(&part.channels);
            for (rank, channels) in part.channels.by_rank() {
                for channel in channels {
                    let (from, to) = (part.code(channel.from, ranks), part.code(channel.to, ranks));
                    let match_key = match_keys[channel.match_key as usize];
                    let place = &mut next[to as usize];
                    found[*place] =
                        Found { from, match_key, number, kind: channel.kind, by_receiver: home(to) == rank };
                    *place += 1;
                    number += 1;
                }
            }
            firsts.push(number);
        }
        Self { found, starts, firsts }
    }
}

impl PartChannels {
    /// Returns the number in the whole program of a rank or helper of the part.
    fn code(&self, code: u32, ranks: u32) -> u32 {
        code.checked_sub(ranks).map_or(code, |helper| self.helpers[helper as usize])
    }
}

/// Joins the channels of one receiver after the other.
struct Joiner<C> {
    /// The messages of a channel as a rank found it.
    counts: C,
    numbers: Vec<u32>,
    /// The channels of the receiver.
    known: FxHashMap<(u32, u32, ChannelKind), u32>,
    joined: Channels,
}

impl<C: Fn(u32) -> ChannelCounts> Joiner<C> {
    fn receiver(&mut self, to: u32, found: &[Found]) {
        self.known.clear();
        found.iter().filter(|found| found.by_receiver).for_each(|found| self.add(to, *found));
        found.iter().filter(|found| !found.by_receiver).for_each(|found| self.add(to, *found));
    }

    fn add(&mut self, to: u32, found: Found) {
        let Found { from, match_key, kind, .. } = found;
        let joined = &mut self.joined;
        let number = *self
            .known
            .entry((from, match_key, kind))
            .or_insert_with(|| joined.push(Channel { from, to, match_key, kind }));
        joined.counts(number).merge(&(self.counts)(found.number));
        self.numbers[found.number as usize] = number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::channels::{CallSite, ChannelKey};

    fn number(channels: &mut Channels, from: u32, to: u32, tag: u32) -> u32 {
        let kind = ChannelKind::PointToPoint;
        channels.number(ChannelKey { from, to, comm: 0, tag: Some(tag), kind })
    }

    #[test]
    fn ends_are_joined_and_numbered_by_receivers() {
        let mut parts = [0, 1].map(|rank| {
            let mut channels = Channels::default();
            channels.begin_rank(rank);
            PartChannels { channels, helpers: Vec::new() }
        });
        let [first, second] = &mut parts;
        let sent = number(&mut first.channels, 0, 1, 5);
        first.channels.counts(sent).sends.add(CallSite::default());
        let lost = number(&mut first.channels, 0, 1, 7);
        first.channels.counts(lost).sends.add(CallSite::default());
        number(&mut first.channels, 1, 0, 6);
        number(&mut second.channels, 1, 0, 6);
        let received = number(&mut second.channels, 0, 1, 5);
        second.channels.counts(received).receives.add(CallSite::default());

        let (joined, numbers) = join(&parts, 2, &[]);
        let ends: Vec<_> = joined.all().iter().map(|channel| (channel.from, channel.to)).collect();
        assert_eq!(ends, [(1, 0), (0, 1), (0, 1)]);
        let tags: Vec<_> = joined.since(0).map(|(.., tag)| tag).collect();
        assert_eq!(tags, [Some(6), Some(5), Some(7)], "those that the receiver uses come first");
        let channels: Vec<_> = numbers.into_iter().map(|numbers| numbers.channels).collect();
        assert_eq!(channels, [vec![1, 2, 0], vec![0, 1]]);
        assert_eq!(joined.unbalanced().map(|(number, ..)| number).collect::<Vec<_>>(), [2]);
    }
}
