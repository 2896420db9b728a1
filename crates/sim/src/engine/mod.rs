//! Ranks, messages and time.
//!
//! The engine knows no program. A driver runs ranks, one at a time, and tells the engine what they do; each rank has a
//! clock of its own. [`Engine::turn`] says which rank can go on.
//!
//! *Order only where it matters.* A rank runs ahead of the others until it needs something that is not there yet:
//! without wild cards the k-th message on a channel meets the k-th receive whatever the order of evaluation, and the
//! times follow. Only what depends on who came first is done in the order of time: putting messages on shared links, wild
//! cards, asking whether something is there, sharing a processor. Such things wait in a queue until no rank can run
//! ahead to an earlier moment. Then every rank is blocked, waits in the queue or is later, so nothing can happen earlier than the
//! first entry, and that is decided for good. Ranks that can go on do so many at a time (see [`turns`]).
//!
//! *Two ways of matching.* A rank that only receives by name is matched when a message is sent, arrived or not. A rank that
//! has used a wild card, a probe or a handler is *ordered*: from then on its messages arrive as events, and are matched
//! on arrival. Both give the same result wherever both are possible and no message overtakes an earlier one of its channel;
//! one that does is held up on an ordered rank until the earlier one is there.

mod arrival;
mod cancel;
mod channel;
mod events;
mod homes;
mod matching;
mod message;
mod sending;
mod sharing;
mod stuck;
mod touch;
mod turns;
mod waiting;
mod wire;
mod words;

use std::collections::{BTreeMap, VecDeque};

use panto_machine::Machine;
use panto_units::Time;
use rustc_hash::FxHashMap;

use channel::Channels;
use events::{Event, Events};
use message::{Message, Odds, Request, UNKNOWN};
use sharing::Sharing;
use turns::Turns;
use wire::Wires;

use crate::network::Passage;
use crate::slots::Slots;

pub use homes::{Homes, share_processors};
pub use wire::Model;
pub use words::{
    ChannelId, Delivery, Envelope, Held, Journey, Label, Manner, MessageId, Outcome, RequestId, Selector,
    Stuck, Waiting, Within,
};

/// Ranks that pass messages on a modelled machine.
pub struct Engine {
    ranks: Vec<Rank>,
    channels: Channels,
    messages: Slots<Message>,
    odds: Odds,
    requests: Slots<Request>,
    events: Events,
    turns: Turns,
    wires: Wires,
    sharing: FxHashMap<u32, Sharing>,
    deliveries: VecDeque<Delivery>,
    /// Kept for its memory.
    passed: Vec<(u32, Passage)>,
    /// The time of the last event: nothing will happen earlier.
    now: Time,
    reserved_tag: u32,
    /// Does the driver move bytes?
    has_bytes: bool,
    /// Has something taken so long that it has no end?
    is_over: bool,
}

#[repr(align(64))]
struct Rank {
    clock: Time,
    /// When it may put the next message on a network.
    free: Time,
    state: State,
    sent: u32,
    posted: u32,
    /// The processor, if it is shared.
    shares: Option<u32>,
    /// When it is woken, where that may still become earlier.
    wake: Time,
    ordered: Option<Box<Ordered>>,
}

// One line of the cache.
const _: () = assert!(size_of::<Rank>() == 64);

/// What a rank needs that takes messages in the order of their arrival.
#[derive(Default)]
struct Ordered {
    /// Messages that have arrived and met no receive.
    arrived: BTreeMap<(Time, u32, u32), u32>,
    /// Receives with a wild card for the source, in the order of posting.
    wild: VecDeque<u32>,
    /// Tags that have a handler.
    handled: Vec<u32>,
    /// Messages that a handler will get.
    owed: u32,
}

/// Requests of which the first that is complete wakes a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Watched(Vec<RequestId>);

/// What a rank is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    /// The driver runs it, or will soon.
    Running,
    /// It waits for its turn in the order of time.
    Parked,
    /// It waits for a request, and then does nothing for so long that others can see.
    Waiting(RequestId, Time),
    /// It waits for the first of several.
    Watching(Box<Watched>),
    /// It waits for so many requests, and then likewise.
    Gathering(u32, Time),
    /// It waits for a message that it will not take.
    Probing(Box<Within>),
    /// Its processor works for it.
    Working,
    /// It has finished.
    Done,
}

impl Engine {
    /// So many ranks on a machine. Wild cards for the tag leave out `reserved_tag` and all beyond. The caller has checked
    /// that the machine takes so many.
    pub fn new(machine: &Machine, ranks: usize, model: Model, reserved_tag: u32) -> Self {
        Self::beside(machine, &Homes { ranks, helps: &[] }, model, reserved_tag)
    }

    /// The same with helpers, which are numbered after the ranks.
    pub fn beside(machine: &Machine, homes: &Homes, model: Model, reserved_tag: u32) -> Self {
        let ranks = homes.count();
        let rank = |shares: Option<u32>| Rank {
            clock: Time::ZERO,
            free: Time::ZERO,
            state: State::Running,
            sent: 0,
            posted: 0,
            shares,
            wake: UNKNOWN,
            ordered: None,
        };
        Self {
            ranks: homes.shares(machine).map(rank).collect(),
            channels: Channels::new(ranks),
            messages: Slots::default(),
            odds: Odds::default(),
            requests: Slots::default(),
            events: Events::default(),
            turns: Turns::new(ranks as u32),
            wires: Wires::new(machine, homes, model),
            sharing: FxHashMap::default(),
            deliveries: VecDeque::new(),
            passed: Vec::new(),
            now: Time::ZERO,
            reserved_tag,
            has_bytes: true,
            is_over: false,
        }
    }

    /// The driver moves no bytes, and need not ask for deliveries.
    #[must_use]
    pub fn without_bytes(self) -> Self {
        Self { has_bytes: false, ..self }
    }

    /// Is virtual time over, after 213 days? Then ranks wait for what will never be.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// A rank's clock.
    #[inline]
    pub fn clock(&self, rank: u32) -> Time {
        self.ranks[rank as usize].clock
    }

    /// The rank that can go on, or `None` if nothing can happen any more: then all have finished, or those that have not
    /// will never.
    pub fn turn(&mut self) -> Option<u32> {
        loop {
            if let Some(rank) = self.turns.pop() {
                self.ranks[rank as usize].state = State::Running;
                return Some(rank);
            }
            self.happen()?;
        }
    }

    /// What to do with the bytes of messages, since this was last asked. The driver must ask after whatever it tells the
    /// engine, and after each turn.
    #[inline]
    pub fn deliveries(&mut self) -> Option<Delivery> {
        self.deliveries.pop_front()
    }

    /// Is there something to deliver?
    #[inline]
    pub fn has_deliveries(&self) -> bool {
        !self.deliveries.is_empty()
    }

    /// The receive that a message was matched with, if that is all there is to deliver. Then nothing is left.
    #[inline]
    pub fn delivered_at_once(&mut self, message: MessageId) -> Option<RequestId> {
        match self.deliveries.front() {
            Some(&Delivery::Receive(first, request)) if first == message && self.deliveries.len() == 1 => {
                self.deliveries.clear();
                Some(request)
            }
            _ => None,
        }
    }

    /// The rank has finished.
    pub fn finish(&mut self, rank: u32) {
        self.ranks[rank as usize].state = State::Done;
    }

    /// Lets the first thing happen that is waiting for its time: in a network, elsewhere, or that ranks go on. `None` if there is nothing.
    fn happen(&mut self) -> Option<()> {
        let (inside, outside) = (self.wires.next(), self.events.next());
        let first = inside.map_or(UNKNOWN, |(time, _)| time).min(outside.unwrap_or(UNKNOWN));
        if self.turns.is_due(first) {
            self.turns.begin();
            return Some(());
        }
        if first == UNKNOWN {
            self.is_over |= inside.is_some() || outside.is_some();
            return None;
        }
        match inside {
            Some((time, wire)) if time == first => self.advance(time, wire),
            _ => {
                let (time, event) = self.events.pop()?;
                self.now = time;
                self.touch_next();
                self.event(event);
            }
        }
        Some(())
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::Inject(message) => self.put_on_wire(message),
            Event::Arrive(message) => self.arrive(message),
            Event::Work(processor) => self.worked(processor),
            Event::Wake(rank) => self.woken(rank),
        }
    }
}
