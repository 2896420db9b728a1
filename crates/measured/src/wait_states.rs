//! Where ranks waited in a run, measured or predicted: for whom, how long, in which call.
//!
//! The kinds are those of Scalasca's wait states (Geimer et al., *The Scalasca performance toolset
//! architecture*, 2010), as far as the function that waited tells them.

use std::fmt;

use panto_timeline::{ALL_TIME, Cause, State, StateKind, Timeline, TimelineInfo};
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

/// All waits of a kind in a function, and at a call site where it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitState {
    /// Why.
    pub kind: WaitKind,
    /// The function.
    pub call: String,
    /// The place in the program from which it was called, if it is known.
    pub site: Option<String>,
    /// The time of all ranks.
    pub total: Time,
    /// The number of waits.
    pub count: u64,
    /// The rank that was waited for longest, and how long; none if the causes are unknown.
    pub culprit: Option<(u32, Time)>,
    /// The call site of the call that ended the longest of them, if it is known.
    pub cause_site: Option<String>,
    /// The longest of them, at most [`WaitState::LISTED`], the longest first.
    pub longest: Vec<Wait>,
}

impl WaitState {
    /// Upper limit of the waits that are listed one by one: a few rows of a table.
    pub const LISTED: usize = 12;
}

/// One wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// The line that waited: a rank, or a helper.
    pub line: u32,
    /// The rank that waited, or to which the helper belongs.
    pub rank: u32,
    /// When it began to wait.
    pub from: Time,
    /// When it went on.
    pub to: Time,
    /// The rank that it waited for, if it is known.
    pub culprit: Option<u32>,
    /// The line that it waited for and when that one ended the wait, if it is known.
    pub cause: Option<Cause>,
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
    longest: Vec<Wait>,
    /// Time by the rank that caused it.
    causes: FxHashMap<u32, u64>,
}

/// Counts waits, state by state, for programs that read a timeline once for several purposes.
#[derive(Debug, Default)]
pub struct WaitCounter {
    tallies: FxHashMap<Option<u32>, Tally>,
    all_time: u64,
}

impl WaitCounter {
    /// Counts a state of a line of the timeline with this description.
    #[inline]
    pub fn add(&mut self, about: &TimelineInfo, line: u32, state: &State) {
        self.all_time = self.all_time.saturating_add(state.length().as_picos());
        if let StateKind::Wait(cause) = state.kind {
            let home = |line| about.home(line).unwrap_or(line);
            let culprit = cause.map(|cause| home(cause.rank));
            let wait = Wait { line, rank: home(line), from: state.from, to: state.to, culprit, cause };
            self.tallies.entry(state.call).or_default().add(&wait);
        }
    }

    /// Returns the wait states of the timeline with this description.
    pub fn finish(self, about: &TimelineInfo) -> WaitStates {
        let name = |call: Option<u32>| call.and_then(|call| about.calls.get(call as usize)).cloned();
        let sites = about.sites();
        let site = |call: Option<u32>| sites.get(call? as usize).copied().flatten().map(str::to_owned);
        let tallies = self.tallies.into_iter();
        let mut states: Vec<WaitState> =
            tallies.map(|(call, tally)| tally.finish(name(call).unwrap_or_default(), site(call))).collect();
        states.sort_by(|one, other| {
            let by_name = || (&one.call, &one.site).cmp(&(&other.call, &other.site));
            other.total.cmp(&one.total).then_with(by_name)
        });
        WaitStates { states, all_time: Time::from_picos(self.all_time) }
    }
}

impl WaitStates {
    /// Finds the wait states of a timeline.
    pub fn of(timeline: &Timeline) -> Result<Self, panto_timeline::Error> {
        let about = timeline.about();
        let lines = timeline.ranks() + about.helper_ranks.len() as u32;
        let mut counter = WaitCounter::default();
        for found in timeline.states_of(0..lines, &ALL_TIME) {
            let (line, state) = found?;
            counter.add(about, line, &state);
        }
        let mut waits = counter.finish(about);
        let sites = about.sites();
        if sites.iter().any(Option::is_some) {
            for state in &mut waits.states {
                let cause = state.longest.first().and_then(|wait| wait.cause);
                state.cause_site =
                    cause.map(|cause| cause_site(timeline, cause, &sites)).transpose()?.flatten();
            }
        }
        Ok(waits)
    }

    /// Returns the share of the time of all ranks that waits took.
    pub fn share(&self, time: Time) -> f64 {
        time.as_secs() / self.all_time.as_secs().max(f64::MIN_POSITIVE)
    }
}

/// Returns the call site of the call that a cause happened in.
fn cause_site(
    timeline: &Timeline,
    cause: Cause,
    sites: &[Option<&str>],
) -> Result<Option<String>, panto_timeline::Error> {
    let mut found = None;
    for state in timeline.states(cause.rank, &(cause.at..=cause.at)) {
        let state = state?;
        if state.from <= cause.at {
            let site = state.call.and_then(|call| sites.get(call as usize).copied().flatten());
            found = site.map(str::to_owned).or(found);
        }
    }
    Ok(found)
}

impl Tally {
    fn add(&mut self, wait: &Wait) {
        let length = wait.length().as_picos();
        self.total = self.total.saturating_add(length);
        self.count += 1;
        if let Some(rank) = wait.culprit {
            let caused = self.causes.entry(rank).or_default();
            *caused = caused.saturating_add(length);
        }
        let is_full = self.longest.len() == WaitState::LISTED;
        if is_full && self.longest.last().is_some_and(|least| least.length() >= wait.length()) {
            return;
        }
        self.longest.truncate(WaitState::LISTED - 1);
        let place = self.longest.partition_point(|longer| longer.length() >= wait.length());
        self.longest.insert(place, *wait);
    }

    fn finish(self, call: String, site: Option<String>) -> WaitState {
        let culprit = self.causes.into_iter().max_by_key(|(rank, time)| (*time, std::cmp::Reverse(*rank)));
        let kind = if culprit.is_none() { WaitKind::Polling } else { WaitKind::of(&call) };
        WaitState {
            kind,
            call,
            site,
            total: Time::from_picos(self.total),
            count: self.count,
            culprit: culprit.map(|(rank, time)| (rank, Time::from_picos(time))),
            cause_site: None,
            longest: self.longest,
        }
    }
}
