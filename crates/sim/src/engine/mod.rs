//! The time-ordered engine: a conservative discrete-event simulation of ranks that pass messages.
//!
//! The engine does not know the program. A *driver* runs the ranks one at a time and reports their
//! sends, receives, waits and computation; [`Engine::next_rank`] returns the rank that can proceed.
//! Each rank has a virtual clock of its own, as a logical process has in conservative parallel
//! simulation (Chandy and Misra 1979; Fujimoto 1990), although all ranks run on one thread here.
//!
//! # Order only where it matters
//!
//! Without wildcards, matching needs no order of time: messages between two ranks with one tag are
//! first in first out, so the k-th send of a channel matches its k-th receive whatever the order of
//! evaluation. The ranks form a Kahn process network (Kahn 1974), whose results do not depend on
//! scheduling; the times of messages follow from the clocks. So a rank runs ahead of the others
//! until it blocks on something that is not there yet.
//!
//! Only what depends on which of two things is earlier is processed in the order of virtual time:
//! injecting messages into shared links, matching wildcards, probing and testing, sharing a
//! processor. Each is an event in the [event queue](event_queue).
//!
//! *Invariant*: an event is processed only when no rank can proceed to an earlier time. Every rank
//! is then blocked, has an event in the queue, or has a clock that is later; since nothing travels
//! backwards in time, nothing can happen before the first event, and its outcome is final. No
//! rollback is ever needed.
//!
//! *Lookahead*: a rank that is woken but known to compute first cannot affect others before that
//! computation ends. The [run queue](run_queue) uses this to delay ranks and run them in batches.
//!
//! # Two ways of matching
//!
//! A rank that receives from named sources only is matched when a message is sent, whether or not
//! it has arrived. A rank that has used a wildcard, a probe or a handler is *ordered*: from then on
//! its messages arrive as events and are matched on arrival. Both give the same result wherever
//! both are possible and no message overtakes an earlier one of its channel; on an ordered rank, a
//! message that does is held back until the earlier one has arrived.
//!
//! # Cost
//!
//! A send or receive is O(1) plus O(log n) for each event; a message, request and rank are one
//! cache line each, and what coming events need is [prefetched](prefetch).

mod arrival;
mod buffers;
mod cancel;
mod channel;
mod deadlock;
mod event_queue;
mod matching;
mod message;
mod networks;
mod placement;
mod prefetch;
mod run_queue;
mod sending;
mod shared_processor;
mod types;
mod waiting;

use std::collections::{BTreeMap, VecDeque};

use panto_machine::{Machine, Sharing};
use panto_units::Time;
use rustc_hash::FxHashMap;

use buffers::Buffers;
use channel::Channels;
use event_queue::{Event, EventQueue};
use message::{Extras, Message, Request, UNKNOWN};
use networks::Networks;
use run_queue::RunQueue;
use shared_processor::SharedProcessor;

use crate::network::{PacketCounts, Passage};
use crate::slab::Slab;

pub use buffers::SpaceWait;
pub use placement::{Placement, share_interfaces, share_processors};
pub use types::{
    BlockedOn, ChannelId, Completion, Delivery, Envelope, MatchSpec, MessageId, MessageInfo, MessageTimes,
    RequestId, Selector, SendProtocol, SendWait,
};

/// Ranks that pass messages on a modelled machine.
pub struct Engine {
    ranks: Vec<Rank>,
    channels: Channels,
    messages: Slab<Message>,
    extras: Extras,
    requests: Slab<Request>,
    events: EventQueue,
    run_queue: RunQueue,
    networks: Networks,
    buffers: Buffers,
    shared_processors: FxHashMap<u32, SharedProcessor>,
    deliveries: VecDeque<Delivery>,
    /// Scratch of [`Engine::advance`], kept for its allocation.
    passed: Vec<(u32, Passage)>,
    /// The time of the last event: nothing will happen earlier.
    now: Time,
    reserved_tag: u32,
    /// Whether the driver moves bytes and so needs deliveries.
    has_bytes: bool,
    /// Whether a time has exceeded the range of virtual time.
    is_time_exhausted: bool,
}

#[repr(align(64))]
struct Rank {
    clock: Time,
    /// When it may inject its next message (the gap g after its last).
    next_injection: Time,
    state: State,
    /// The number of messages sent.
    sent: u32,
    /// The number of receives posted.
    posted: u32,
    /// Its processor, if that is shared.
    shared_processor: Option<u32>,
    /// The time of its wake event, if that may still become earlier.
    wake: Time,
    ordered: Option<Box<Ordered>>,
}

// One cache line.
const _: () = assert!(size_of::<Rank>() == 64);

impl Rank {
    /// Returns a rank at the beginning, on this processor if others share it.
    fn new(shared_processor: Option<u32>) -> Self {
        Self {
            clock: Time::ZERO,
            next_injection: Time::ZERO,
            state: State::Running,
            sent: 0,
            posted: 0,
            shared_processor,
            wake: UNKNOWN,
            ordered: None,
        }
    }
}

/// The state of a rank that matches messages in the order of arrival.
#[derive(Default)]
struct Ordered {
    /// Unexpected messages: arrived and not matched, by [`Message::arrival_key`].
    arrived: BTreeMap<(Time, u32, u32), u32>,
    /// Posted receives with a wildcard source, in the order of posting.
    wildcards: VecDeque<u32>,
    /// Tags that have a handler.
    handled: Vec<u32>,
    /// Messages that are assigned to a handler and have not reached it.
    pending_handled: u32,
}

/// The requests of a rank that waits for any of them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct AnyOf(Vec<RequestId>);

/// The state of a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    /// The driver runs it, or it is in the run queue.
    Running,
    /// It has a wake event in the event queue.
    Parked,
    /// It waits for a request; the time is its lookahead after that.
    Waiting(RequestId, Time),
    /// It waits for the first of several requests.
    WaitingAny(Box<AnyOf>),
    /// It waits for this number of requests; the time is its lookahead after that.
    WaitingAll(u32, Time),
    /// It waits for a message without receiving it.
    Probing(Box<MatchSpec>),
    /// Its shared processor computes for it.
    Working,
    /// It has finished.
    Done,
}

impl Engine {
    /// Creates an engine for `ranks` ranks on a machine. Tag wildcards exclude `reserved_tag` and
    /// all tags above it. The caller has checked that the machine has room for the ranks.
    pub fn new(machine: &Machine, ranks: usize, sharing: Sharing, reserved_tag: u32) -> Self {
        Self::with_helpers(machine, &Placement { ranks, helpers_of: &[] }, sharing, reserved_tag)
    }

    /// Creates an engine with helpers, which are numbered after the ranks.
    pub fn with_helpers(
        machine: &Machine,
        placement: &Placement,
        sharing: Sharing,
        reserved_tag: u32,
    ) -> Self {
        let ranks = placement.count();
        Self {
            ranks: placement.shared_processors(machine).map(Rank::new).collect(),
            channels: Channels::new(ranks),
            messages: Slab::default(),
            extras: Extras::default(),
            requests: Slab::default(),
            events: EventQueue::default(),
            run_queue: RunQueue::new(ranks as u32),
            networks: Networks::new(machine, placement, sharing),
            buffers: Buffers::new(machine.buffer),
            shared_processors: FxHashMap::default(),
            deliveries: VecDeque::new(),
            passed: Vec::new(),
            now: Time::ZERO,
            reserved_tag,
            has_bytes: true,
            is_time_exhausted: false,
        }
    }

    /// Turns deliveries off, for a driver that moves no bytes.
    #[must_use]
    pub fn without_bytes(self) -> Self {
        Self { has_bytes: false, ..self }
    }

    /// Returns whether a time has exceeded the range of virtual time (213 days). Ranks then wait
    /// for events that never come.
    pub fn is_time_exhausted(&self) -> bool {
        self.is_time_exhausted
    }

    /// How many packets have arrived on random routes.
    pub fn packets(&self) -> PacketCounts {
        self.networks.packets()
    }

    /// The virtual clock of a rank.
    #[inline]
    pub fn clock(&self, rank: u32) -> Time {
        self.ranks[rank as usize].clock
    }

    /// Returns the rank that proceeds next, or `None` if no event is left: then all ranks have
    /// finished, or those that have not are in a deadlock.
    pub fn next_rank(&mut self) -> Option<u32> {
        loop {
            if let Some(rank) = self.run_queue.pop() {
                self.ranks[rank as usize].state = State::Running;
                return Some(rank);
            }
            self.step()?;
        }
    }

    /// Returns the rank that proceeds next, like [`Engine::next_rank`], without processing events
    /// at `limit` or later: a rank whose next operation is not known yet may act then. `None` if
    /// nothing else can happen before.
    pub fn next_rank_before(&mut self, limit: Time) -> Option<u32> {
        loop {
            if let Some(rank) = self.run_queue.pop() {
                self.ranks[rank as usize].state = State::Running;
                return Some(rank);
            }
            if self.run_queue.has_ready() {
                self.run_queue.start_batch();
            } else if self.next_event().is_none_or(|(time, _)| time >= limit) {
                return None;
            } else {
                self.step()?;
            }
        }
    }

    /// Lets a rank proceed whose operations had ended for now.
    pub fn proceed(&mut self, rank: u32) {
        let state = &mut self.ranks[rank as usize];
        state.state = State::Running;
        self.run_queue.push(rank, state.clock);
    }

    /// As [`Engine::proceed`], for a rank that others have overtaken: its clock becomes the time of
    /// the last event, so that it does not act before it.
    pub fn proceed_from_now(&mut self, rank: u32) {
        let state = &mut self.ranks[rank as usize];
        state.clock = state.clock.max(self.now);
        self.proceed(rank);
    }

    /// Adds a helper beside a rank, whose number follows those of all ranks and helpers. It begins
    /// when [`Engine::proceed`] is called for it.
    pub fn add_helper(&mut self, home: u32) {
        self.ranks.push(Rank::new(None));
        self.channels.add_rank();
        self.networks.add_helper(home);
    }

    /// Takes the next delivery. A driver that moves bytes must take all of them after each call
    /// that changes the engine's state.
    #[inline]
    pub fn next_delivery(&mut self) -> Option<Delivery> {
        self.deliveries.pop_front()
    }

    /// Returns whether there are deliveries.
    #[inline]
    pub fn has_deliveries(&self) -> bool {
        !self.deliveries.is_empty()
    }

    /// Returns the receive that a message was matched with, and takes that delivery, if it is the
    /// only one.
    #[inline]
    pub fn take_sole_delivery(&mut self, message: MessageId) -> Option<RequestId> {
        match self.deliveries.front() {
            Some(&Delivery::Receive(first, request)) if first == message && self.deliveries.len() == 1 => {
                self.deliveries.clear();
                Some(request)
            }
            _ => None,
        }
    }

    /// Marks a rank as finished.
    pub fn finish(&mut self, rank: u32) {
        self.ranks[rank as usize].state = State::Done;
    }

    /// Processes the earliest event: inside a network, in the event queue, or a batch of ranks that
    /// become due. `None` if there is none.
    fn step(&mut self) -> Option<()> {
        let next = self.next_event();
        let first = next.map_or(UNKNOWN, |(time, _)| time);
        if self.run_queue.is_due(first) {
            self.run_queue.start_batch();
            return Some(());
        }
        if first == UNKNOWN {
            self.is_time_exhausted |= next.is_some();
            return None;
        }
        if let Some((time, Some(network))) = next {
            self.advance(time, network);
        } else {
            let (time, event) = self.events.pop()?;
            self.now = time;
            self.prefetch_events();
            self.process(event);
        }
        Some(())
    }

    /// Returns the time of the earliest event, and its network if it is inside one.
    #[inline]
    fn next_event(&mut self) -> Option<(Time, Option<u8>)> {
        let (inside, outside) = (self.networks.next(), self.events.next());
        match (inside, outside) {
            (Some((time, network)), outside) if outside.is_none_or(|outside| time <= outside) => {
                Some((time, Some(network)))
            }
            (_, outside) => outside.map(|time| (time, None)),
        }
    }

    fn process(&mut self, event: Event) {
        match event {
            Event::Inject(message) => self.inject(message),
            Event::Arrive(message) => self.arrive(message),
            Event::Work(processor) => self.complete_work(processor),
            Event::Wake(rank) => self.resume(rank),
            Event::Buffer(pool) => self.serve_pool(pool),
        }
    }
}
