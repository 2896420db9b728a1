//! Ranks whose calls become known one by one.

use rustc_hash::FxHashMap;

use panto_trace::{Action, Comms, Name, Tables};
use panto_units::Time;

use super::call_traits::CallTraits;
use super::channels::CallSite;
use super::code_builder::CodeBuilder;
use super::context::Context;
use super::error::Result;
use super::rank_reader::RankReader;
use super::repetition::Repetition;
use super::requests::Requests;

/// A rank whose further calls are not known yet: a [`RankReader`] without what all ranks share.
pub struct SuspendedRank {
    rank: u32,
    pub code: CodeBuilder,
    pub helpers: FxHashMap<(u32, u32), (u32, CodeBuilder)>,
    pub requests: Requests,
    pub comms: Comms,
    now: CallSite,
    repetition: Repetition,
    call_traits: Vec<Option<CallTraits>>,
    computation: Time,
}

impl SuspendedRank {
    /// A rank without calls, whose code is built in this way.
    pub fn new(rank: u32, code: CodeBuilder) -> Self {
        Self {
            rank,
            code,
            helpers: FxHashMap::default(),
            requests: Requests::default(),
            comms: Comms::default(),
            now: CallSite::default(),
            repetition: Repetition::default(),
            call_traits: Vec::new(),
            computation: Time::ZERO,
        }
    }

    /// Continues with what all ranks share.
    pub fn resume<'w, 'a>(self, context: &'w mut Context<'a>) -> RankReader<'w, 'a> {
        let Self { rank, code, helpers, requests, comms, now, repetition, call_traits, computation } = self;
        RankReader {
            context,
            rank,
            code,
            helpers,
            requests,
            comms,
            now,
            repetition,
            call_traits,
            computation,
            carried: 0,
            thread: 0,
            thread_ends: FxHashMap::default(),
            first_switch: 0,
            are_calls_serialized: false,
        }
    }
}

impl SuspendedRank {
    /// Forgets the operations of a request that was cancelled in the run.
    pub fn withdraw(&mut self, request: u32) {
        for slot in self.requests.withdraw(request) {
            self.code.free_slot(slot);
        }
    }
}

impl RankReader<'_, '_> {
    /// Leaves what all ranks share until the next call is known. No other thread may have called.
    pub fn suspend(self) -> SuspendedRank {
        SuspendedRank {
            rank: self.rank,
            code: self.code,
            helpers: self.helpers,
            requests: self.requests,
            comms: self.comms,
            now: self.now,
            repetition: self.repetition,
            call_traits: self.call_traits,
            computation: self.computation,
        }
    }

    /// Reads a call that is known before those that follow it.
    pub fn call(&mut self, name: Name, action: &Action<'_>, before: Time, tables: &Tables) -> Result<()> {
        let traits = self.traits(name.index(), || (tables.name(name).unwrap_or_default(), None));
        self.now = CallSite { position: self.now.position + 1, call: traits.call };
        self.code.call(traits.call, before);
        self.repetition.begin_call(false);
        self.action(action, traits, tables)?;
        self.repetition.end_call(0);
        Ok(())
    }
}
