//! Two runs of a program side by side, measured or predicted: where their times differ.

use std::collections::BTreeMap;
use std::fmt;

use panto_timeline::{ALL_TIME, StateKind, Timeline};
use panto_units::Time;

/// Why two timelines cannot be compared.
#[derive(Debug)]
pub enum CompareError {
    /// A timeline cannot be read.
    Timeline(panto_timeline::Error),
    /// They have different numbers of ranks.
    Ranks(u32, u32),
}

impl fmt::Display for CompareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeline(error) => error.fmt(f),
            Self::Ranks(old, new) => {
                write!(f, "runs of {old} and of {new} ranks cannot be compared; use runs of one program")
            }
        }
    }
}

impl std::error::Error for CompareError {}

impl From<panto_timeline::Error> for CompareError {
    fn from(error: panto_timeline::Error) -> Self {
        Self::Timeline(error)
    }
}

/// The time in a function, or of computation, in one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// All of it.
    pub time: Time,
    /// How much of it was waiting.
    pub wait: Time,
}

/// The times of a function in both runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The function, or the region; none is computation outside of regions.
    pub call: Option<String>,
    /// The place in the program from which it is called, if both runs have it.
    pub site: Option<String>,
    /// All ranks in the old run.
    pub old: Spent,
    /// All ranks in the new run.
    pub new: Spent,
    /// The rank on which they differ most, with its times.
    pub most: (u32, Spent, Spent),
    /// The times of each rank that was there, in the old and in the new run.
    pub ranks: Vec<(u32, [Spent; 2])>,
}

impl Difference {
    /// Returns how much longer the new run takes here, in seconds.
    pub fn seconds(&self) -> f64 {
        self.new.time.as_secs() - self.old.time.as_secs()
    }
}

/// Two runs side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Differences {
    /// The number of ranks.
    pub ranks: u32,
    /// From the beginning to the end of each run.
    pub makespans: [Time; 2],
    /// Functions by call site, and computation, those that differ most first.
    pub functions: Vec<Difference>,
}

/// A function and its call site; none is computation.
type Called = (Option<String>, Option<String>);

/// Time by function, call site and rank in both runs.
type Table = BTreeMap<Called, BTreeMap<u32, [Spent; 2]>>;

impl Differences {
    /// Compares two timelines of a program. What helpers do counts for their ranks.
    pub fn of(old: &Timeline, new: &Timeline) -> Result<Self, CompareError> {
        if old.ranks() != new.ranks() {
            return Err(CompareError::Ranks(old.ranks(), new.ranks()));
        }
        let mut table = Table::new();
        let has_sites = [old, new].iter().all(|run| run.about().sites().iter().any(Option::is_some));
        for (run, timeline) in [old, new].into_iter().enumerate() {
            add(timeline, run, has_sites, &mut table)?;
        }
        let makespan = |timeline: &Timeline| timeline.span().map_or(Time::ZERO, |span| *span.end());
        let mut functions: Vec<Difference> =
            table.into_iter().filter_map(|(called, ranks)| difference(called, &ranks)).collect();
        functions.sort_by(|one, other| other.seconds().abs().total_cmp(&one.seconds().abs()));
        Ok(Self { ranks: old.ranks(), makespans: [makespan(old), makespan(new)], functions })
    }
}

fn add(timeline: &Timeline, run: usize, has_sites: bool, table: &mut Table) -> Result<(), CompareError> {
    let about = timeline.about();
    let lines = timeline.ranks() + about.helper_ranks.len() as u32;
    // Times by number of the function first: names are looked up once.
    let mut by_number: BTreeMap<(Option<u32>, u32), Spent> = BTreeMap::new();
    for found in timeline.states_of(0..lines, &ALL_TIME) {
        let (line, state) = found?;
        let rank = about.home(line).unwrap_or(line);
        let spent = by_number.entry((state.call, rank)).or_default();
        spent.time = spent.time + state.length();
        if let StateKind::Wait(_) = state.kind {
            spent.wait = spent.wait + state.length();
        }
    }
    let sites = if has_sites { about.sites() } else { Vec::new() };
    for ((call, rank), spent) in by_number {
        let name = call.and_then(|call| about.calls.get(call as usize)).cloned();
        let site = call.and_then(|call| sites.get(call as usize).copied().flatten()).map(str::to_owned);
        let sum = &mut table.entry((name, site)).or_default().entry(rank).or_default()[run];
        *sum = Spent { time: sum.time + spent.time, wait: sum.wait + spent.wait };
    }
    Ok(())
}

fn difference((call, site): Called, ranks: &BTreeMap<u32, [Spent; 2]>) -> Option<Difference> {
    let sum = |run: usize| {
        ranks.values().fold(Spent::default(), |sum, spent| Spent {
            time: sum.time + spent[run].time,
            wait: sum.wait + spent[run].wait,
        })
    };
    let distance = |[old, new]: &[Spent; 2]| old.time.as_picos().abs_diff(new.time.as_picos());
    let (rank, [old, new]) = ranks.iter().max_by_key(|(_, spent)| distance(spent))?;
    let most = (*rank, *old, *new);
    let ranks = ranks.iter().map(|(rank, spent)| (*rank, *spent)).collect();
    Some(Difference { call, site, old: sum(0), new: sum(1), most, ranks })
}
