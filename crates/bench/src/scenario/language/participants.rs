//! Selectors of participants, as they are written.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// A selector of participants. Ranges include both ends, as everywhere in Panto.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Participants {
    /// All participants.
    All,
    /// The first.
    First,
    /// The last.
    Last,
    /// All participants that no other group selects.
    Others,
    /// 0, 2, 4 ...
    Even,
    /// 1, 3, 5 ...
    Odd,
    /// The participant that the sweep makes late.
    Late,
    /// This rank.
    Number(usize),
    /// From one rank to another, or to the last.
    Range(usize, Option<usize>),
}

/// Allowed selectors, for errors.
const ALLOWED: &str =
    "all, first, last, others, even, odd, $late, a number such as 3, a range such as 0..3 or 4..";

impl Participants {
    /// Returns the selected participants of `ranks` ranks, but not those of
    /// [`Participants::Others`], which depend on all groups; an error text if there is no such
    /// participant.
    pub(in super::super) fn among(self, ranks: usize, late: Late) -> std::result::Result<Vec<usize>, String> {
        let last = ranks - 1;
        let in_range = |number: usize| {
            if number < ranks {
                return Ok(number);
            }
            Err(format!(
                "participant {number} is out of range: {}; use --ranks {} or more, or another participant",
                match ranks {
                    1 => "the only participant is 0".to_owned(),
                    _ => format!("{ranks} participants are numbered 0 to {last}"),
                },
                number + 1
            ))
        };
        Ok(match self {
            Self::All => (0..ranks).collect(),
            Self::First => vec![0],
            Self::Last => vec![last],
            Self::Others => Vec::new(),
            Self::Even => (0..ranks).step_by(2).collect(),
            Self::Odd => (1..ranks).step_by(2).collect(),
            Self::Late => vec![match late {
                Late::First => 0,
                Late::Last => last,
                Late::Number(number) => in_range(number)?,
            }],
            Self::Number(number) => vec![in_range(number)?],
            Self::Range(from, to) => (in_range(from)?..=to.map_or(Ok(last), in_range)?).collect(),
        })
    }
}

impl FromStr for Participants {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let unknown = || format!("unknown participants `{text}`; use {ALLOWED}");
        let number = |text: &str| text.trim().parse::<usize>().map_err(|_| unknown());
        Ok(match text.trim() {
            "all" => Self::All,
            "first" => Self::First,
            "last" => Self::Last,
            "others" => Self::Others,
            "even" => Self::Even,
            "odd" => Self::Odd,
            "$late" => Self::Late,
            text => match text.split_once("..") {
                None => Self::Number(number(text)?),
                Some((from, "")) => Self::Range(number(from)?, None),
                Some((from, to)) => {
                    let (from, to) = (number(from)?, number(to)?);
                    if from > to {
                        return Err(format!("the range `{text}` ends before it begins; use `{to}..{from}`"));
                    }
                    Self::Range(from, Some(to))
                }
            },
        })
    }
}

impl fmt::Display for Participants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::First => f.write_str("the first"),
            Self::Last => f.write_str("the last"),
            Self::Others => f.write_str("all others"),
            Self::Even => f.write_str("those with even ranks"),
            Self::Odd => f.write_str("those with odd ranks"),
            Self::Late => f.write_str("$late"),
            Self::Number(number) => number.fmt(f),
            Self::Range(from, Some(to)) => write!(f, "{from} to {to}"),
            Self::Range(from, None) => write!(f, "{from} and up"),
        }
    }
}

/// Which participant is late in scenario 2 (S5): the first, the last, or a given rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Late {
    /// The first.
    First,
    /// The last.
    #[default]
    Last,
    /// This rank.
    Number(usize),
}

impl fmt::Display for Late {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::First => f.write_str("first"),
            Self::Last => f.write_str("last"),
            Self::Number(number) => number.fmt(f),
        }
    }
}

impl FromStr for Late {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "first" => Ok(Self::First),
            "last" => Ok(Self::Last),
            text => text.parse().map(Self::Number).map_err(|_| {
                Error::usage(format!(
                    "`{text}` is no late participant; use first, last, or a participant's number"
                ))
            }),
        }
    }
}
