//! One rank of a trace, call after call.

use panto_timeline::StateKind;
use panto_trace::{Action, Comms, Events, OpenRegions, RankTrace, Stamps};
use panto_units::Time;
use smallvec::SmallVec;

use crate::clock::RankClock;
use crate::needs::Need;
use crate::requests::Requests;

/// A rank while its calls are read.
pub struct Rank {
    pub number: u32,
    /// The number of its host.
    pub host: usize,
    pub events: Events,
    pub position: Position,
    pub comms: Comms,
    pub requests: Requests,
    /// The numbers of functions and call sites, by the number of the signature.
    pub functions: Vec<Option<u32>>,
    pub regions: OpenRegions,
    /// The call that has begun and not ended.
    pub call: Option<Call>,
}

/// How far a rank has been read.
pub struct Position {
    clock: RankClock,
    /// The end of the last call, in the rank's own nanoseconds.
    local: u64,
    /// The end of the last call.
    pub end: Time,
}

/// A call that has begun.
pub struct Call {
    /// The function.
    pub function: u32,
    /// What the rank does while it does not wait.
    pub kind: StateKind,
    pub from: Time,
    pub to: Time,
    pub needs: SmallVec<[Need; 4]>,
}

impl Rank {
    pub fn new(trace: &RankTrace, clock: RankClock) -> Self {
        let local = trace.first_moment();
        Self {
            number: trace.rank(),
            host: clock.host(),
            events: trace.events(),
            position: Position { clock, local, end: clock.time(local) },
            comms: Comms::default(),
            requests: Requests::default(),
            regions: OpenRegions::default(),
            functions: Vec::new(),
            call: None,
        }
    }
}

impl Position {
    /// Moves on to the next call. Returns when it began and when it ended.
    pub fn advance(&mut self, stamps: Stamps) -> (Time, Time) {
        let from = self.local.saturating_add(stamps.gap);
        self.local = from.saturating_add(stamps.inside);
        (self.clock.time(from), self.clock.time(self.local))
    }
}

/// Returns what a rank does in a call while it does not wait.
pub fn kind(action: &Action<'_>) -> StateKind {
    match action {
        Action::OneSided { .. } | Action::File { .. } => StateKind::Access,
        Action::Spin { .. } => StateKind::Wait(None),
        _ => StateKind::Message,
    }
}
