//! Rules for communicators: which ranks are members.

use std::fmt;

use panto_trace::{Ranks, Trace};

use crate::error::{Error, Result};
use crate::grid::{DIMENSIONS, Grid};
use crate::observe::Member;

/// A communicator of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comm {
    pub made_by: String,
    pub parent: Option<u32>,
    pub ordinal: u32,
    pub tag: i64,
    pub members: Members,
}

/// The members of a communicator that a rank is in, in the order of their ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Members {
    /// All ranks.
    All,
    /// The rank alone.
    Own,
    /// Ranks that differ only in these coordinates.
    Along([bool; DIMENSIONS]),
    /// Ranks in blocks of this number.
    Block(u32),
    /// Ranks with the same remainder of a division by this number.
    Remainder(u32),
}

impl Members {
    /// Returns the members of the communicator of a rank.
    pub fn of(self, grid: &Grid, rank: u32) -> Ranks {
        let ranks = grid.ranks();
        match self {
            Self::All => (0..ranks).collect(),
            Self::Own => std::iter::once(rank).collect(),
            Self::Along(free) => along(grid, rank, free),
            Self::Block(size) => {
                let first = rank / size * size;
                (first..ranks.min(first + size)).collect()
            }
            Self::Remainder(size) => (rank % size..ranks).step_by(size as usize).collect(),
        }
    }

    fn all(grid: &Grid) -> Vec<Self> {
        let mut rules = vec![Self::All, Self::Own];
        let dimensions = grid.dims().len();
        if dimensions > 1 {
            let masks = 1..(1_u32 << dimensions) - 1;
            rules.extend(masks.map(|mask| Self::Along([0, 1, 2].map(|bit| mask >> bit & 1 == 1))));
        }
        for size in [2, 4, 8, 16, 3, 6, 12] {
            rules.extend([Self::Block(size), Self::Remainder(size)]);
        }
        rules
    }
}

fn along(grid: &Grid, rank: u32, free: [bool; DIMENSIONS]) -> Ranks {
    let own = grid.place(rank);
    let mut members = vec![0];
    for (dimension, length) in grid.dims().iter().enumerate() {
        let coordinates =
            if free[dimension] { 0..*length } else { own[dimension] as u32..own[dimension] as u32 + 1 };
        let places = |first: u32| coordinates.clone().map(move |coordinate| first * length + coordinate);
        members = members.into_iter().flat_map(places).collect();
    }
    members.into_iter().collect()
}

/// Returns the communicators of the program.
pub fn find(members: &[Member], grids: &[Grid], traces: &[&Trace]) -> Result<Vec<Comm>> {
    let first = &members[0].calls.tables;
    let count = first.comms().len();
    if let Some(other) = members.iter().find(|member| member.calls.tables.comms().len() != count) {
        return Err(different_numbers(&members[0], other, traces));
    }
    let mut missing = Vec::new();
    let mut comms = Vec::new();
    for (number, comm) in first.comms().iter().enumerate() {
        let made_by = first.name(comm.made_by).unwrap_or_default().to_owned();
        let fits = |rule: &Members| {
            members.iter().all(|member| {
                member.calls.tables.comms()[number].members == rule.of(&grids[member.trace], member.rank)
            })
        };
        let Some(rule) = Members::all(&grids[0]).into_iter().find(fits) else {
            missing.push(format!("the members of the communicator that {made_by} makes"));
            continue;
        };
        let parent = comm.parent.map(|parent| parent.0);
        comms.push(Comm { made_by, parent, ordinal: comm.ordinal, tag: comm.tag, members: rule });
    }
    if missing.is_empty() { Ok(comms) } else { Err(Error::NoRule(missing)) }
}

/// Returns the place of a rank in a list.
pub fn position(ranks: &Ranks, rank: u32) -> Option<u32> {
    let mut first = 0;
    for run in ranks.runs() {
        let far = i64::from(rank) - i64::from(run.first);
        let step = i64::from(run.step).max(1);
        let at = far / step;
        if far >= 0 && far % step == 0 && at < i64::from(run.count) {
            return Some(first + at as u32);
        }
        first += run.count;
    }
    None
}

/// The error of two ranks that have different numbers of communicators.
fn different_numbers(one: &Member, other: &Member, traces: &[&Trace]) -> Error {
    let has = |member: &Member| {
        let path = traces[member.trace].path().display();
        format!("{path}: rank {} has {} communicators", member.rank, member.calls.tables.comms().len())
    };
    let why = if one.trace == other.trace {
        "all ranks must make the same communicators"
    } else {
        "the traces may be of different programs, or of one program with different input"
    };
    Error::Unsuitable(format!("{}, {}; {why}", has(one), has(other)))
}

impl fmt::Display for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => write!(f, "all ranks"),
            Self::Own => write!(f, "the rank alone"),
            Self::Along(free) => {
                let names = ["x", "y", "z"].iter().zip(free).filter(|(_, free)| **free);
                let names: Vec<&str> = names.map(|(name, _)| *name).collect();
                write!(f, "ranks along {}", names.join(" and "))
            }
            Self::Block(size) => write!(f, "blocks of {size} ranks"),
            Self::Remainder(size) => write!(f, "ranks with the same remainder by {size}"),
        }
    }
}
