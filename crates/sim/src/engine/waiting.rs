//! Waiting, working, and going on.

use panto_units::Time;

use super::events::Event;
use super::message::{NONE, UNKNOWN};
use super::{Engine, Held, Journey, Outcome, RequestId, Selector, State, Watched, Within};

impl Engine {
    /// The rank waits for a request. True if it can go on at once; otherwise the driver must suspend it until its turn.
    #[must_use]
    pub fn wait(&mut self, rank: u32, request: RequestId) -> bool {
        let complete = self.requests[request].complete;
        if complete == UNKNOWN {
            self.ranks[rank as usize].state = State::Waiting(request, Time::ZERO);
            return false;
        }
        self.pass_to(rank, complete)
    }

    /// What became of a request, if that is known.
    #[inline]
    pub fn outcome(&self, request: RequestId) -> Option<Outcome> {
        let request = &self.requests[request];
        (request.complete != UNKNOWN).then_some(Outcome {
            at: request.complete,
            label: request.label(),
            unexpected: request.unexpected,
        })
    }

    /// How the message of a complete receive came.
    #[inline]
    pub fn journey(&self, request: RequestId) -> Journey {
        let request = &self.requests[request];
        Journey { sent: request.cause, arrived: request.posted }
    }

    /// What a complete send had to wait for.
    #[inline]
    pub fn held(&self, request: RequestId) -> Held {
        let request = &self.requests[request];
        if request.cause == UNKNOWN { Held::Network(request.posted) } else { Held::Receiver(request.cause) }
    }

    /// The driver will not ask for a complete request any more.
    #[inline]
    pub fn release(&mut self, request: RequestId) {
        self.requests.give_back(request);
    }

    /// Takes a posted receive out of its list.
    pub(super) fn take_back(&mut self, id: RequestId) {
        let (rank, source) = (self.requests[id].rank, self.requests[id].within().source);
        if let Some(source) = source {
            let channel = self.channels.between(source, rank);
            self.channels.get(channel).posted.remove(&mut self.requests, id);
        } else if let Some(ordered) = &mut self.ranks[rank as usize].ordered
            && let Some(place) = ordered.wild.iter().position(|&wild| wild == id)
        {
            ordered.wild.remove(place);
        }
    }

    /// The rank waits until all of these are complete, and then looks at each; its clock stays where it is. Only for a rank that has a
    /// processor of its own and does nothing in between that others could see. False if nothing is to be waited for.
    #[must_use]
    pub fn gather(&mut self, rank: u32, requests: impl Iterator<Item = RequestId>) -> bool {
        let mut left = 0;
        for id in requests {
            let request = &mut self.requests[id];
            if request.complete == UNKNOWN && !request.gathered {
                request.gathered = true;
                left += 1;
            }
        }
        if left > 0 {
            self.ranks[rank as usize].state = State::Gathering(left, Time::ZERO);
        }
        left > 0
    }

    /// One of those that the rank waits for is complete. It will not get past it before that moment.
    fn gathered(&mut self, rank: u32, (left, lead): (u32, Time), at: Time) {
        let state = &mut self.ranks[rank as usize];
        if left > 1 {
            state.state = State::Gathering(left - 1, lead);
        } else {
            state.state = State::Running;
            self.turns.push(rank, at.max(state.clock).saturating_add(lead));
        }
    }

    /// When the rank need not wait any more for what it waits for now, it computes for this long at least before it does anything that
    /// others can see: so it may be woken later, together with others. Its processor must be its own: on a shared one others see that it
    /// computes.
    #[inline]
    pub(crate) fn foresee(&mut self, rank: u32, computes: Time) {
        let state = &mut self.ranks[rank as usize];
        if let State::Waiting(_, lead) | State::Gathering(_, lead) = &mut state.state {
            *lead = computes;
        }
    }

    /// Does the rank share its processor with others?
    #[inline]
    pub fn shares(&self, rank: u32) -> bool {
        self.ranks[rank as usize].shares.is_some()
    }

    /// The rank waits until one of these is complete by its clock. It may be woken too early, and must look again.
    pub fn watch(&mut self, rank: u32, requests: &[RequestId]) {
        let known = requests.iter().map(|&id| self.requests[id].complete).min();
        let state = &mut self.ranks[rank as usize];
        state.state = State::Watching(Box::new(Watched(requests.into())));
        state.wake = UNKNOWN;
        if let Some(first) = known.filter(|&first| first != UNKNOWN) {
            self.wake_at(rank, first);
        }
    }

    /// The rank waits until a message has arrived that the selector accepts. It must be ordered.
    pub fn wait_for_message(&mut self, rank: u32, selector: Selector) {
        self.ranks[rank as usize].state = State::Probing(Box::new(selector.within(self.reserved_tag)));
    }

    /// The rank waits until the message is known to be there that its next such receive would get. True if it can go on at once. A
    /// wild card for the source needs an ordered rank, and the clock of an ordered rank must be at the time of the last event.
    #[must_use]
    pub fn await_message(&mut self, rank: u32, within: Within) -> bool {
        let known = match within.source {
            Some(source) if self.ranks[rank as usize].ordered.is_none() => {
                let channel = self.channels.between(source, rank);
                let first = self.channels.view(channel).first(&self.messages, within);
                first.map_or(UNKNOWN, |id| self.messages[id].came)
            }
            _ => self.first_arrived(rank, within).map_or(UNKNOWN, |id| self.messages[id].came),
        };
        if known == UNKNOWN {
            self.ranks[rank as usize].state = State::Probing(Box::new(within));
            return false;
        }
        self.pass_to(rank, known)
    }

    /// The rank's clock goes on to this moment. True if the rank can go on at once: one that shares its processor does so in the order
    /// of time.
    #[inline]
    fn pass_to(&mut self, rank: u32, moment: Time) -> bool {
        let state = &mut self.ranks[rank as usize];
        state.clock = state.clock.max(moment);
        if state.shares.is_some() && state.clock > self.now {
            self.park(rank);
            return false;
        }
        true
    }

    /// The rank goes on when its clock is the earliest of all: what it finds then is final.
    pub fn park(&mut self, rank: u32) {
        let state = &mut self.ranks[rank as usize];
        state.state = State::Parked;
        state.wake = state.clock;
        self.events.push(state.clock, Event::Wake(rank), rank, 0);
    }

    /// The rank goes on at this moment, in the order of time.
    pub fn wait_until(&mut self, rank: u32, moment: Time) {
        let state = &mut self.ranks[rank as usize];
        state.clock = state.clock.max(moment);
        self.park(rank);
    }

    /// The rank's processor works for it. True if it can go on at once.
    #[inline]
    #[must_use]
    pub fn work(&mut self, rank: u32, time: Time) -> bool {
        let state = &mut self.ranks[rank as usize];
        if state.shares.is_none() {
            state.clock = state.clock.saturating_add(time);
            self.is_over |= state.clock == UNKNOWN;
            return true;
        }
        time == Time::ZERO || self.share(rank, time)
    }

    /// The rank's processor works for it and for others.
    #[cold]
    fn share(&mut self, rank: u32, time: Time) -> bool {
        let state = &mut self.ranks[rank as usize];
        let Some(processor) = state.shares else { return true };
        state.state = State::Working;
        let sharing = self.sharing.entry(processor).or_default();
        sharing.begin(state.clock, rank, time);
        let next = sharing.plan();
        self.plan_work(processor, next);
        false
    }

    fn plan_work(&mut self, processor: u32, next: Option<Time>) {
        if let Some(next) = next {
            self.events.push(next, Event::Work(processor), processor, 0);
        }
    }

    pub(super) fn worked(&mut self, processor: u32) {
        let Some(sharing) = self.sharing.get_mut(&processor) else { return };
        let (ranks, turns, now) = (&mut self.ranks, &mut self.turns, self.now);
        if !sharing.is_due(now) {
            return;
        }
        sharing.done(now, |rank| {
            ranks[rank as usize].clock = now;
            ranks[rank as usize].state = State::Running;
            turns.push(rank, now);
        });
        let next = sharing.plan();
        self.plan_work(processor, next);
    }

    /// A request is complete; whoever waits for it goes on.
    pub(super) fn complete(&mut self, id: RequestId, at: Time) {
        if id == NONE {
            return;
        }
        self.is_over |= at == UNKNOWN;
        let request = &mut self.requests[id];
        request.complete = at;
        let (rank, gathered) = (request.rank, request.gathered);
        if request.abandoned {
            self.requests.give_back(id);
            return;
        }
        let state = &mut self.ranks[rank as usize];
        match &state.state {
            &State::Waiting(waiting, lead) if waiting == id => {
                state.clock = state.clock.max(at);
                self.wake(rank, lead);
            }
            State::Watching(watched) if watched.0.contains(&id) => self.wake_at(rank, at),
            &State::Gathering(left, lead) if gathered => self.gathered(rank, (left, lead), at),
            _ => {}
        }
    }

    /// The rank can go on, at its clock, and does nothing for so long that others can see.
    pub(super) fn wake(&mut self, rank: u32, lead: Time) {
        let state = &mut self.ranks[rank as usize];
        if state.shares.is_some() && state.clock > self.now {
            return self.park(rank);
        }
        state.state = State::Running;
        self.turns.push(rank, state.clock.saturating_add(lead));
    }

    /// A watching rank looks again at this time, or earlier.
    fn wake_at(&mut self, rank: u32, at: Time) {
        let state = &mut self.ranks[rank as usize];
        let at = at.max(state.clock);
        if at < state.wake {
            state.wake = at;
            self.events.push(at, Event::Wake(rank), rank, 0);
        }
    }

    pub(super) fn woken(&mut self, rank: u32) {
        let state = &mut self.ranks[rank as usize];
        let waits = matches!(state.state, State::Parked | State::Watching(_));
        if waits && state.wake == self.now {
            state.clock = state.clock.max(self.now);
            state.wake = UNKNOWN;
            state.state = State::Running;
            self.turns.push(rank, state.clock);
        }
    }
}
