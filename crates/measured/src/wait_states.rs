//! Where ranks waited in a run, measured or predicted: for whom, how long, in which call.
//!
//! The kinds are those of Scalasca's wait states (Geimer et al., *The Scalasca performance toolset
//! architecture*, 2010), as far as the function that waited tells them.

use std::fmt;

use panto_timeline::{ALL_TIME, Cause, State, StateKind, Timeline};
use panto_units::Time;
use rustc_hash::FxHashMap;

/// Why a rank waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WaitKind {
    /// A receive was posted before its message was sent.
    LateSender,
    /// A send was started before its receive was posted.
    LateReceiver,
    /// A call that completes requests waits for the other end of one.
    LatePartner,
    /// A rank waits in a barrier for the last one.
    Barrier,
    /// A rank waits for the last one in a collective in which each needs all others.
    LateMember,
    /// A rank waits for the root of a broadcast or scatter.
    LateRoot,
    /// The root of a reduction or gather waits for the last rank.
    EarlyRoot,
    /// The program polls until something has happened.
    Polling,
    /// Another call.
    Other,
}

impl WaitKind {
    /// Returns the kind of wait in a function.
    pub fn of(function: &str) -> Self {
        let name = function.strip_prefix("MPI_").unwrap_or(function);
        let name = name.strip_suffix("_c").unwrap_or(name);
        let name = name.strip_prefix('I').unwrap_or(name).to_ascii_lowercase();
        let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
        match () {
            () if starts(&["wait", "test"]) => Self::LatePartner,
            () if starts(&["recv", "sendrecv", "mrecv", "probe", "mprobe"]) => Self::LateSender,
            () if starts(&["send", "ssend", "rsend", "bsend"]) => Self::LateReceiver,
            () if starts(&["barrier"]) => Self::Barrier,
            () if starts(&["bcast", "scatter"]) => Self::LateRoot,
            () if starts(&["all", "reduce_scatter", "neighbor", "comm_", "cart_", "graph_", "dist_"]) => {
                Self::LateMember
            }
            () if starts(&["reduce", "gather", "scan", "exscan"]) => Self::EarlyRoot,
            () => Self::Other,
        }
    }
}

impl fmt::Display for WaitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::LateSender => "late sender",
            Self::LateReceiver => "late receiver",
            Self::LatePartner => "late partner",
            Self::Barrier => "wait at barrier",
            Self::LateMember => "late member",
            Self::LateRoot => "late root",
            Self::EarlyRoot => "early reduce",
            Self::Polling => "polling",
            Self::Other => "other",
        })
    }
}

/// All waits of a kind in a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitState {
    /// Why.
    pub kind: WaitKind,
    /// The function.
    pub call: String,
    /// The time of all ranks.
    pub total: Time,
    /// The number of waits.
    pub count: u64,
    /// The rank that was waited for longest, and how long; none if the causes are unknown.
    pub culprit: Option<(u32, Time)>,
    /// The longest of them.
    pub longest: Wait,
}

/// One wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// The rank that waited.
    pub rank: u32,
    /// When it began to wait.
    pub from: Time,
    /// When it went on.
    pub to: Time,
    /// The rank that it waited for, if it is known.
    pub cause: Option<u32>,
}

impl Wait {
    /// Returns how long it took.
    pub fn length(&self) -> Time {
        self.to.since(self.from)
    }
}

/// Where ranks waited, the longest total first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WaitStates {
    /// The waits by kind and function.
    pub states: Vec<WaitState>,
    /// The time of all ranks and helpers in all states.
    pub all_time: Time,
}

/// Waits in one function while they are counted.
#[derive(Debug, Default)]
struct Tally {
    total: u64,
    count: u64,
    longest: Option<Wait>,
    /// Time by the rank that caused it.
    causes: FxHashMap<u32, u64>,
}

impl WaitStates {
    /// Finds the wait states of a timeline.
    pub fn of(timeline: &Timeline) -> Result<Self, panto_timeline::Error> {
        let about = timeline.about();
        let lines = timeline.ranks() + about.helper_ranks.len() as u32;
        let mut tallies: FxHashMap<Option<u32>, Tally> = FxHashMap::default();
        let mut all_time = 0_u64;
        for found in timeline.states_of(0..lines, &ALL_TIME) {
            let (line, state) = found?;
            all_time = all_time.saturating_add(state.length().as_picos());
            if let StateKind::Wait(cause) = state.kind {
                let home = |line| about.home(line).unwrap_or(line);
                tallies.entry(state.call).or_default().add(
                    home(line),
                    &state,
                    cause.map(|cause| Cause { rank: home(cause.rank), ..cause }),
                );
            }
        }
        let name = |call: Option<u32>| call.and_then(|call| about.calls.get(call as usize)).cloned();
        let mut states: Vec<WaitState> = tallies
            .into_iter()
            .filter_map(|(call, tally)| tally.finish(name(call).unwrap_or_default()))
            .collect();
        states.sort_by(|one, other| other.total.cmp(&one.total).then_with(|| one.call.cmp(&other.call)));
        Ok(Self { states, all_time: Time::from_picos(all_time) })
    }

    /// Returns the share of the time of all ranks that waits took.
    pub fn share(&self, time: Time) -> f64 {
        time.as_secs() / self.all_time.as_secs().max(f64::MIN_POSITIVE)
    }
}

impl Tally {
    fn add(&mut self, rank: u32, state: &State, cause: Option<Cause>) {
        let length = state.length().as_picos();
        self.total = self.total.saturating_add(length);
        self.count += 1;
        if let Some(cause) = cause {
            let caused = self.causes.entry(cause.rank).or_default();
            *caused = caused.saturating_add(length);
        }
        if self.longest.is_none_or(|longest| longest.length() < state.length()) {
            let cause = cause.map(|cause| cause.rank);
            self.longest = Some(Wait { rank, from: state.from, to: state.to, cause });
        }
    }

    fn finish(self, call: String) -> Option<WaitState> {
        let culprit = self.causes.into_iter().max_by_key(|(rank, time)| (*time, std::cmp::Reverse(*rank)));
        let kind = if culprit.is_none() { WaitKind::Polling } else { WaitKind::of(&call) };
        Some(WaitState {
            kind,
            call,
            total: Time::from_picos(self.total),
            count: self.count,
            culprit: culprit.map(|(rank, time)| (rank, Time::from_picos(time))),
            longest: self.longest?,
        })
    }
}
