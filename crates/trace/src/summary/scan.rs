//! One pass over the events of a rank.

use rustc_hash::FxHashMap;

use super::meaning::{Meaning, Sent};
use super::regions::RegionScan;
use super::{Blocks, RankSummary};
use crate::action::Action;
use crate::error::{Error, Result};
use crate::field::{Field, Slot};
use crate::metadata::key;
use crate::read::{Event, RankTrace};
use crate::region::RegionMark;
use crate::site::CallSite;

/// The statistics of a rank after reading all its events.
pub struct Scan {
    pub rank: RankSummary,
    pub blocks: Blocks,
    pub signatures: Vec<Counts>,
    pub regions: RegionScan,
    pub damage: Option<Error>,
    /// Persistent requests, which send each time they are started.
    persistent: FxHashMap<Slot, (usize, Sent)>,
}

/// The statistics of calls with one signature.
#[derive(Debug, Default)]
pub struct Counts {
    pub name: String,
    /// The place in the program from which the function is called, if it was recorded.
    pub site: Option<CallSite>,
    pub meaning: Meaning,
    pub calls: u64,
    pub bytes: u64,
    /// Computation before the calls.
    pub computation: u64,
    pub inside: u64,
    /// Messages or collective operations, whichever function started them.
    pub operations: u64,
    pub operation_bytes: u64,
}

impl Scan {
    /// Reads all events of a rank; of a damaged one those that are sound.
    pub fn of(rank: &RankTrace) -> Result<Self> {
        let mut scan = Self {
            rank: RankSummary::new(rank),
            blocks: Blocks::default(),
            signatures: Vec::new(),
            regions: RegionScan::default(),
            damage: None,
            persistent: FxHashMap::default(),
        };
        match scan.read(rank) {
            Ok(()) => Ok(scan),
            Err(error @ Error::Damaged(_)) => {
                scan.rank.is_complete = false;
                scan.damage = Some(error);
                Ok(scan)
            }
            Err(error) => Err(error),
        }
    }

    fn read(&mut self, rank: &RankTrace) -> Result<()> {
        let mut events = rank.events();
        while let Some(event) = events.next()? {
            self.add(event)?;
        }
        Ok(())
    }

    fn add(&mut self, event: Event<'_>) -> Result<()> {
        let action = event.action()?;
        let number = event.number();
        if number >= self.signatures.len() {
            self.signatures.resize_with(number + 1, Counts::default);
        }
        if self.signatures[number].calls == 0 {
            event.name().clone_into(&mut self.signatures[number].name);
            self.signatures[number].site = event.site().cloned();
            self.signatures[number].meaning = Meaning::of(event.signature(), event.tables());
        }
        match action {
            // Loading the program is not part of its computation.
            Action::Initialise { .. } => add(&mut self.rank.start, event.before()),
            // Events before which no computation can be would count as short blocks.
            Action::Thread { .. } | Action::Spin { .. } => add(&mut self.rank.computation, event.before()),
            _ => {
                add(&mut self.rank.computation, event.before());
                add(&mut self.signatures[number].computation, event.before());
                self.blocks.add(event.before());
            }
        }
        let inside = event.stamps().map_or(0, |stamps| stamps.inside);
        let (mark, calls) = match action {
            Action::Control { .. } => (RegionMark::of(event.name()), 1),
            Action::Thread { .. } => (None, 0),
            Action::Spin { polls, .. } => (None, polls),
            _ => (None, 1),
        };
        self.regions.event(mark, event.before(), inside, calls);
        if mark.is_some() {
            self.rank.events += 1;
            return Ok(());
        }
        add(&mut self.signatures[number].inside, inside);
        self.count(number, &action);
        Ok(())
    }

    fn count(&mut self, number: usize, action: &Action<'_>) {
        let mut calls = 1;
        match *action {
            Action::Thread { thread } => {
                self.rank.threads = self.rank.threads.max(thread.saturating_add(1));
                self.rank.events += 1;
                return;
            }
            Action::Spin { polls, spun } => {
                self.rank.poll_loops += 1;
                add(&mut self.rank.polls, polls);
                add(&mut self.rank.spun, spun);
                calls = polls;
            }
            Action::Start { requests } => {
                for slot in requests {
                    if let Some((origin, sent)) = self.persistent_at(*slot) {
                        self.send(number, origin, sent);
                    }
                }
            }
            Action::Free { request: Some(slot) } => {
                self.persistent.remove(&slot);
            }
            _ => self.count_sent(number, action),
        }
        add(&mut self.signatures[number].calls, calls);
        add(&mut self.rank.calls, calls);
        self.rank.events += 1;
    }

    fn persistent_at(&self, slot: i64) -> Option<(usize, Sent)> {
        self.persistent.get(&Slot::get(slot)?).copied()
    }

    fn count_sent(&mut self, number: usize, action: &Action<'_>) {
        let Some((sent, is_for_later)) = self.signatures[number].meaning.sent(action) else { return };
        if !is_for_later {
            return self.send(number, number, sent);
        }
        if let Action::Send { request: Some(slot), .. } | Action::Collective { request: Some(slot), .. } =
            *action
        {
            self.persistent.insert(slot, (number, sent));
        }
    }

    /// Adds what a call with one signature sends, which another one, or the same, described.
    fn send(&mut self, number: usize, origin: usize, sent: Sent) {
        add(&mut self.signatures[number].bytes, sent.bytes());
        match sent {
            Sent::Message { bytes } => {
                self.rank.messages += 1;
                add(&mut self.rank.bytes_sent, bytes);
            }
            Sent::Collective { bytes } => {
                self.rank.collectives += 1;
                add(&mut self.rank.collective_bytes, bytes);
            }
            Sent::Other { .. } => return,
        }
        self.signatures[origin].operations += 1;
        add(&mut self.signatures[origin].operation_bytes, sent.bytes());
    }
}

/// Numbers of a file may be anything, so the sum saturates.
#[inline]
pub fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}

impl RankSummary {
    fn new(rank: &RankTrace) -> Self {
        let facts = rank.metadata();
        Self {
            rank: rank.rank(),
            is_complete: rank.is_complete(),
            threads: 1,
            wall: facts.number(key::WALL),
            cost: facts.number(key::COST),
            other_threads: facts.number(key::OTHER_THREADS),
            stopped: facts.get(key::STOPPED).map(str::to_owned),
            ..Self::default()
        }
    }
}
