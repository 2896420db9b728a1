//! Which ranks swap with each other, in one or more concurrent pairs (T5).

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// Pairs that swap at the same time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pairs {
    /// Each rank of the lower half with one of the upper half.
    All,
    /// These pairs.
    Named(Vec<(usize, usize)>),
}

impl Pairs {
    /// Returns the pair of the first two ranks.
    pub fn first() -> Self {
        Self::Named(vec![(0, 1)])
    }

    /// Returns the pairs in a world of `ranks` ranks. The error states how to fix the option.
    pub fn among(&self, ranks: usize) -> Result<Vec<(usize, usize)>> {
        match self {
            Self::All if ranks.is_multiple_of(2) => {
                Ok((0..ranks / 2).map(|rank| (rank, rank + ranks / 2)).collect())
            }
            Self::All => Err(Error::usage(format!(
                "{ranks} ranks cannot all be in pairs: an even number is needed; use --ranks {} or {}, or name pairs such as --pairs 0-1",
                ranks - 1,
                ranks + 1
            ))),
            Self::Named(pairs) => {
                self.check(pairs, ranks)?;
                Ok(pairs.clone())
            }
        }
    }

    fn check(&self, pairs: &[(usize, usize)], ranks: usize) -> Result<()> {
        let all: Vec<usize> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        if let Some(missing) = all.iter().find(|&&rank| rank >= ranks) {
            return Err(Error::usage(format!(
                "the pairs {self} name rank {missing}, and there are ranks 0 to {}; use --ranks {} or other pairs",
                ranks - 1,
                missing + 1
            )));
        }
        if let Some((rank, _)) = pairs.iter().find(|(a, b)| a == b) {
            return Err(Error::usage(format!(
                "the pairs {self} let rank {rank} swap with itself; name two different ranks, such as 0-1"
            )));
        }
        let twice = all.iter().enumerate().find(|(place, rank)| all[..*place].contains(rank));
        twice.map_or(Ok(()), |(_, rank)| {
            Err(Error::usage(format!(
                "the pairs {self} use rank {rank} twice, and a rank swaps with one other at a time; give each set its own --pairs"
            )))
        })
    }
}

/// Parses `0-2,1-3`, or `all`.
impl FromStr for Pairs {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.trim() == "all" {
            return Ok(Self::All);
        }
        let pair = |word: &str| {
            let (a, b) = word.split_once('-')?;
            Some((a.trim().parse().ok()?, b.trim().parse().ok()?))
        };
        let wrong = || {
            Error::usage(format!(
                "`{text}` names no pairs; pairs are two ranks each, such as 0-1, or 0-2,1-3 for two at once, or `all`"
            ))
        };
        text.split(',').map(pair).collect::<Option<Vec<_>>>().map(Self::Named).ok_or_else(wrong)
    }
}

impl fmt::Display for Pairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Named(pairs) => {
                let words: Vec<String> = pairs.iter().map(|(a, b)| format!("{a}-{b}")).collect();
                f.write_str(&words.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_read_back() {
        for text in ["0-1", "0-2,1-3", "all", "7-0"] {
            assert_eq!(text.parse::<Pairs>().unwrap().to_string(), text);
        }
        for text in ["", "0", "0-1-2", "a-b", "0-1,", "0,1"] {
            assert!(text.parse::<Pairs>().unwrap_err().to_string().contains("0-2,1-3"), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_is_named() {
        let error = |text: &str, ranks| text.parse::<Pairs>().unwrap().among(ranks).unwrap_err().to_string();
        assert!(error("0-4", 4).contains("rank 4") && error("0-4", 4).contains("--ranks 5"));
        assert!(error("2-2", 4).contains("itself"));
        assert!(error("0-1,1-2", 4).contains("rank 1 twice"));
        assert!(error("all", 5).contains("--ranks 4 or 6"));
        assert_eq!(Pairs::All.among(4).unwrap(), [(0, 2), (1, 3)]);
    }
}
