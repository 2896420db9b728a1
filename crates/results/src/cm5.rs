//! Sets of simultaneous messages (M1).

use std::fmt;
use std::str::FromStr;

use panto_schedule::Algorithm;

use crate::error::{Error, Result};

/// Names of figures of records.
pub mod figure {
    /// The number of hops of a level of `cm5/path-length`.
    pub const HOPS: &str = "hops";
}

/// Returns the number of segments of the candidate of this name; 1 for REB itself.
pub fn broadcast_segments(name: &str) -> Option<usize> {
    match name.parse() {
        Ok(Algorithm::RecursiveHalving) => Some(1),
        Ok(Algorithm::SegmentedHalving { segments }) => Some(segments),
        _ => None,
    }
}

/// Messages from several sources to several destinations, all at once: the paper's `{(s1,d1), ...,
/// (sk,dk)}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageSet {
    pairs: Vec<(usize, usize)>,
}

/// Number of messages from which on a set of neighbouring clusters is written as a rule.
const LEAST_FOR_RULE: usize = 3;
/// Upper bound of the messages of a set: more are a typing error.
const MOST_PAIRS: usize = 65_536;

/// The paper's sets by name: the simple send, and two messages inside a cluster of four, to the
/// next cluster (four hops on the CM-5) and to the next group of sixteen (six hops).
const NAMED: [(&str, &str); 4] = [
    ("simple", "(0,1)"),
    ("double", "(0,1),(2,3)"),
    ("double-4", "(0,4),(1,5)"),
    ("double-6", "(0,16),(1,17)"),
];
/// Prefix of a maximum set, before its number of ranks.
const MAXIMUM: &str = "maximum-";
/// Partitions on which the paper sends as many messages as it can.
const PARTITIONS: [usize; 4] = [8, 32, 128, 512];

impl MessageSet {
    /// Returns a set of one message.
    pub fn one(source: usize, destination: usize) -> Self {
        Self { pairs: vec![(source, destination)] }
    }

    /// Returns the largest set in which each rank sends or receives at most one message: rank r of
    /// the lower half sends to rank r + `ranks` / 2.
    pub fn maximum(ranks: usize) -> Self {
        let half = ranks / 2;
        Self { pairs: (0..half).map(|rank| (rank, rank + half)).collect() }
    }

    /// Returns the sets of the paper that fit these ranks, and their maximum set.
    pub fn of_paper(ranks: usize) -> Vec<Self> {
        let named = NAMED.iter().filter_map(|(_, text)| text.parse().ok());
        let maxima = PARTITIONS.into_iter().chain([ranks]).map(Self::maximum);
        let mut sets: Vec<Self> = Vec::new();
        for set in named.chain(maxima) {
            if !set.pairs.is_empty() && set.least_ranks() <= ranks && !sets.contains(&set) {
                sets.push(set);
            }
        }
        sets
    }

    /// Returns source and destination of each message.
    pub fn pairs(&self) -> &[(usize, usize)] {
        &self.pairs
    }

    /// Returns the simple send that the set is compared with: its first message alone, which spans
    /// the same distance as the others in the paper's sets.
    #[must_use]
    pub fn simple(&self) -> Self {
        Self { pairs: self.pairs[..1].to_vec() }
    }

    /// Returns whether the set is one message.
    pub fn is_simple(&self) -> bool {
        self.pairs.len() == 1
    }

    /// Returns the fewest ranks that have all of these.
    pub fn least_ranks(&self) -> usize {
        self.pairs.iter().map(|&(source, destination)| source.max(destination) + 1).max().unwrap_or(0)
    }

    /// Returns an error if a rank does not exist.
    pub fn fits(&self, ranks: usize) -> Result<()> {
        let least = self.least_ranks();
        if least <= ranks {
            return Ok(());
        }
        Err(Error::usage(format!(
            "the message set `{self}` has rank {}, and there are ranks 0 to {}; use --ranks {least} or more, or ranks that \
             are there",
            least - 1,
            ranks.saturating_sub(1)
        )))
    }

    /// Returns a set without duplicates, in which no rank sends to itself.
    fn checked(pairs: Vec<(usize, usize)>, text: &str) -> Result<Self> {
        for (place, &(source, destination)) in pairs.iter().enumerate() {
            if source == destination {
                return Err(Error::usage(format!(
                    "in the message set `{text}` rank {source} sends to itself; source and destination must be two ranks"
                )));
            }
            if pairs[..place].contains(&(source, destination)) {
                return Err(Error::usage(format!(
                    "the message set `{text}` has ({source},{destination}) twice; name each pair once"
                )));
            }
        }
        Ok(Self { pairs })
    }
}

/// Parses pairs such as `(0,1),(2,3)`, the rule `(i,i+4)` of the messages from ranks 0 to 3 to
/// ranks 4 to 7, and the paper's names.
impl FromStr for MessageSet {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let packed: String = text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '{' | '}')).collect();
        if let Some((_, pairs)) = NAMED.iter().find(|(name, _)| *name == packed) {
            return pairs.parse();
        }
        let number = |text: &str| text.parse::<usize>().ok();
        if let Some(ranks) = packed.strip_prefix(MAXIMUM).and_then(number) {
            return half(ranks / 2).filter(|_| ranks.is_multiple_of(2)).ok_or_else(|| malformed(text));
        }
        let rule = packed.strip_prefix("(i,i+").and_then(|rest| rest.strip_suffix(')'));
        if let Some(distance) = rule.and_then(number) {
            return half(distance).ok_or_else(|| malformed(text));
        }
        let inner = packed.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let pair = |text: &str| text.split_once(',').and_then(|(s, d)| Some((number(s)?, number(d)?)));
        let pairs: Option<Vec<(usize, usize)>> =
            inner.and_then(|inner| inner.split("),(").map(pair).collect());
        let sound = |pairs: &Vec<(usize, usize)>| {
            pairs.len() <= MOST_PAIRS && pairs.iter().all(|&(s, d)| s.max(d) < usize::MAX)
        };
        Self::checked(pairs.filter(sound).ok_or_else(|| malformed(text))?, text)
    }
}

fn half(distance: usize) -> Option<MessageSet> {
    (1..=MOST_PAIRS).contains(&distance).then(|| MessageSet::maximum(2 * distance))
}

fn malformed(text: &str) -> Error {
    let names = NAMED.map(|(name, _)| name).join(", ");
    let maxima = PARTITIONS.map(|ranks| format!("{MAXIMUM}{ranks}")).join(", ");
    Error::usage(format!(
        "`{text}` is no message set; write pairs of source and destination such as \"(0,1),(2,3)\", the rule \"(i,i+4)\" for as \
         many messages as 8 ranks can have, or a name: {names}, {maxima} (a change of a machine is KEY=VALUE)"
    ))
}

/// Formats the set in its shortest form that parses back.
impl fmt::Display for MessageSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let half = self.pairs.len();
        if half >= LEAST_FOR_RULE && *self == Self::maximum(2 * half) {
            return write!(f, "(i,i+{half})");
        }
        for (place, (source, destination)) in self.pairs.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(f, "{comma}({source},{destination})")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<MessageSet> {
        text.parse()
    }

    #[test]
    fn what_is_written_is_read_again() {
        for text in ["(0,1)", "(0,1),(2,3)", "(3,0),(0,3)", "(i,i+4)", "(0,2),(1,3)", "(i,i+256)"] {
            assert_eq!(read(text).expect(text).to_string(), text);
        }
        assert_eq!(read(" { (0, 1), (2,3) } ").expect("spaces").to_string(), "(0,1),(2,3)");
        assert_eq!(read("double-6").expect("a name").to_string(), "(0,16),(1,17)");
        assert_eq!(read("maximum-8").expect("a name"), read("(0,4),(1,5),(2,6),(3,7)").expect("pairs"));
    }

    #[test]
    fn the_paper_s_sets_are_those_that_there_are_ranks_for() {
        let names = |ranks| MessageSet::of_paper(ranks).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(names(2), ["(0,1)"]);
        assert_eq!(names(4), ["(0,1)", "(0,1),(2,3)", "(0,2),(1,3)"]);
        assert_eq!(names(8), ["(0,1)", "(0,1),(2,3)", "(0,4),(1,5)", "(i,i+4)"]);
        assert_eq!(names(512).last().map(String::as_str), Some("(i,i+256)"));
        assert_eq!(names(512).len(), 8);
    }

    #[test]
    fn slips_are_named() {
        let wrong = |text: &str| read(text).expect_err(text).to_string();
        for text in [
            "",
            "()",
            "(0,1",
            "(0;1)",
            "(0,1)(2,3)",
            "(0,-1)",
            "(0,1),",
            "0,1",
            "maximum-7",
            "(i,i+0)",
            "link.latency",
        ] {
            assert!(wrong(text).contains("is no message set"), "{text}");
        }
        assert!(wrong("(0,1),(2,2)").contains("rank 2 sends to itself"));
        assert!(wrong("(0,1),(1,0),(0,1)").contains("(0,1) twice"));
        assert!(wrong("(0,18446744073709551615)").contains("is no message set"));
        let absent = read("(0,9)").expect("a set").fits(8).expect_err("no rank 9").to_string();
        assert!(
            absent.contains("rank 9") && absent.contains("0 to 7") && absent.contains("--ranks 10"),
            "{absent}"
        );
    }
}
