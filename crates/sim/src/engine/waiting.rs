//! Waiting, computing and resuming.
//!
//! A rank with a processor of its own runs ahead: waiting for a request whose completion time is
//! known only moves its clock. A rank that shares its processor (P13) resumes in the order of time,
//! since when it computes affects the others.

use panto_units::Time;

use super::event_queue::Event;
use super::message::{NONE, UNKNOWN};
use super::{
    AnyOf, Completion, Engine, MatchSpec, MessageInfo, MessageTimes, RequestId, Selector, SendWait, State,
};

impl Engine {
    /// Waits for a request. Returns whether the rank can proceed at once; otherwise the driver must
    /// suspend it until [`Engine::next_rank`] returns it.
    #[must_use]
    pub fn wait(&mut self, rank: u32, request: RequestId) -> bool {
        let complete = self.requests[request].complete;
        if complete == UNKNOWN {
            self.ranks[rank as usize].state = State::Waiting(request, Time::ZERO);
            return false;
        }
        self.advance_clock(rank, complete)
    }

    /// Returns the completion of a request, if it is known.
    #[inline]
    pub fn completion(&self, request: RequestId) -> Option<Completion> {
        let request = &self.requests[request];
        (request.complete != UNKNOWN).then_some(Completion {
            at: request.complete,
            message: request.info(),
            unexpected: request.unexpected,
        })
    }

    /// Returns the message that a receive has matched, which may not have arrived completely.
    pub fn matched_message(&self, request: RequestId) -> Option<MessageInfo> {
        let request = &self.requests[request];
        (request.message != NONE).then(|| request.info())
    }

    /// Returns the times of the message of a complete receive.
    #[inline]
    pub fn message_times(&self, request: RequestId) -> MessageTimes {
        let request = &self.requests[request];
        MessageTimes { sent: request.cause, arrived: request.posted }
    }

    /// Returns what a complete send waited for.
    #[inline]
    pub fn send_wait(&self, request: RequestId) -> SendWait {
        let request = &self.requests[request];
        if request.cause == UNKNOWN {
            SendWait::Network(request.posted)
        } else {
            SendWait::Receiver(request.cause)
        }
    }

    /// Releases a complete request.
    #[inline]
    pub fn release(&mut self, request: RequestId) {
        self.requests.free(request);
    }

    /// Removes a posted receive from its list.
    pub(super) fn unpost(&mut self, id: RequestId) {
        let (rank, source) = (self.requests[id].rank, self.requests[id].spec().source);
        if let Some(source) = source {
            let channel = self.channels.between(source, rank);
            self.channels.get(channel).posted.remove(&mut self.requests, id);
        } else if let Some(ordered) = &mut self.ranks[rank as usize].ordered
            && let Some(index) = ordered.wildcards.iter().position(|&wildcard| wildcard == id)
        {
            ordered.wildcards.remove(index);
        }
    }

    /// Waits until all of these requests are complete; the rank's clock does not move, and the
    /// driver then waits for each. Only for a rank that has a processor of its own and does nothing
    /// observable in between. Returns false if all are complete already.
    #[must_use]
    pub fn wait_all(&mut self, rank: u32, requests: impl Iterator<Item = RequestId>) -> bool {
        let mut left = 0;
        for id in requests {
            let request = &mut self.requests[id];
            if request.complete == UNKNOWN && !request.in_wait_all {
                request.in_wait_all = true;
                left += 1;
            }
        }
        if left > 0 {
            self.ranks[rank as usize].state = State::WaitingAll(left, Time::ZERO);
        }
        left > 0
    }

    /// Counts a completion for a rank in [`Engine::wait_all`], which cannot proceed past it before
    /// `at`.
    fn in_wait_all(&mut self, rank: u32, (left, lookahead): (u32, Time), at: Time) {
        let state = &mut self.ranks[rank as usize];
        if left > 1 {
            state.state = State::WaitingAll(left - 1, lookahead);
        } else {
            state.state = State::Running;
            self.run_queue.push(rank, at.max(state.clock).saturating_add(lookahead));
        }
    }

    /// Sets the lookahead of a rank that has just blocked: after its wait it computes at least this
    /// long before it does anything observable, so it may be woken later, together with others. Its
    /// processor must be its own: on a shared one, others observe that it computes.
    #[inline]
    pub(crate) fn set_lookahead(&mut self, rank: u32, computation: Time) {
        let state = &mut self.ranks[rank as usize];
        if let State::Waiting(_, lookahead) | State::WaitingAll(_, lookahead) = &mut state.state {
            *lookahead = computation;
        }
    }

    /// Returns whether the rank shares its processor with others.
    #[inline]
    pub fn shares_processor(&self, rank: u32) -> bool {
        self.ranks[rank as usize].shared_processor.is_some()
    }

    /// Waits until one of these requests is complete by the rank's clock. The rank may be woken too
    /// early and must check again.
    pub fn wait_any(&mut self, rank: u32, requests: &[RequestId]) {
        let known = requests.iter().map(|&id| self.requests[id].complete).min();
        let state = &mut self.ranks[rank as usize];
        state.state = State::WaitingAny(Box::new(AnyOf(requests.into())));
        state.wake = UNKNOWN;
        if let Some(first) = known.filter(|&first| first != UNKNOWN) {
            self.wake_at(rank, first);
        }
    }

    /// Waits until a message that the selector accepts has arrived. The rank must be ordered.
    pub fn wait_for_message(&mut self, rank: u32, selector: Selector) {
        self.ranks[rank as usize].state = State::Probing(Box::new(selector.spec(self.reserved_tag)));
    }

    /// Waits until the message that the next matching receive would get is known to have arrived
    /// (`MPI_Probe`). Returns whether the rank can proceed at once. A wildcard source needs an
    /// ordered rank, and the clock of an ordered rank must be at the time of the last event.
    #[must_use]
    pub fn wait_probe(&mut self, rank: u32, spec: MatchSpec) -> bool {
        let known = match spec.source {
            Some(source) if self.ranks[rank as usize].ordered.is_none() => {
                let channel = self.channels.between(source, rank);
                let first = self.channels.view(channel).first(&self.messages, spec);
                first.map_or(UNKNOWN, |id| self.messages[id].arrival)
            }
            _ => self.first_arrived(rank, spec).map_or(UNKNOWN, |id| self.messages[id].arrival),
        };
        if known == UNKNOWN {
            self.ranks[rank as usize].state = State::Probing(Box::new(spec));
            return false;
        }
        self.advance_clock(rank, known)
    }

    /// Advances the clock of a rank to this time. Returns whether the rank can proceed at once: one
    /// that shares its processor resumes in the order of time.
    #[inline]
    fn advance_clock(&mut self, rank: u32, time: Time) -> bool {
        let state = &mut self.ranks[rank as usize];
        state.clock = state.clock.max(time);
        if state.shared_processor.is_some() && state.clock > self.now {
            self.park(rank);
            return false;
        }
        true
    }

    /// Suspends a rank until its clock is the earliest of all: what it observes then is final.
    pub fn park(&mut self, rank: u32) {
        let state = &mut self.ranks[rank as usize];
        state.state = State::Parked;
        state.wake = state.clock;
        self.events.push(state.clock, Event::Wake(rank), rank, 0);
    }

    /// Suspends a rank until this time, in the order of time.
    pub fn wait_until(&mut self, rank: u32, time: Time) {
        let state = &mut self.ranks[rank as usize];
        state.clock = state.clock.max(time);
        self.park(rank);
    }

    /// Occupies the rank's processor for this time. Returns whether the rank can proceed at once.
    #[inline]
    #[must_use]
    pub fn work(&mut self, rank: u32, time: Time) -> bool {
        let state = &mut self.ranks[rank as usize];
        if state.shared_processor.is_none() {
            state.clock = state.clock.saturating_add(time);
            self.is_time_exhausted |= state.clock == UNKNOWN;
            return true;
        }
        time == Time::ZERO || self.work_shared(rank, time)
    }

    /// Occupies a processor that other ranks share.
    #[cold]
    fn work_shared(&mut self, rank: u32, time: Time) -> bool {
        let state = &mut self.ranks[rank as usize];
        let Some(processor) = state.shared_processor else { return true };
        state.state = State::Working;
        let shared = self.shared_processors.entry(processor).or_default();
        shared.begin(state.clock, rank, time);
        let next = shared.reschedule();
        self.schedule_work(processor, next);
        false
    }

    fn schedule_work(&mut self, processor: u32, next: Option<Time>) {
        if let Some(next) = next {
            self.events.push(next, Event::Work(processor), processor, 0);
        }
    }

    /// Resumes the ranks whose work is done on a shared processor.
    pub(super) fn complete_work(&mut self, processor: u32) {
        let Some(shared) = self.shared_processors.get_mut(&processor) else { return };
        let (ranks, run_queue, now) = (&mut self.ranks, &mut self.run_queue, self.now);
        if !shared.is_due(now) {
            return;
        }
        shared.done(now, |rank| {
            ranks[rank as usize].clock = now;
            ranks[rank as usize].state = State::Running;
            run_queue.push(rank, now);
        });
        let next = shared.reschedule();
        self.schedule_work(processor, next);
    }

    /// Completes a request at this time, and wakes its rank if it waits for it.
    pub(super) fn complete(&mut self, id: RequestId, at: Time) {
        if id == NONE {
            return;
        }
        self.is_time_exhausted |= at == UNKNOWN;
        let request = &mut self.requests[id];
        request.complete = at;
        let (rank, in_wait_all) = (request.rank, request.in_wait_all);
        if request.detached {
            self.requests.free(id);
            return;
        }
        let state = &mut self.ranks[rank as usize];
        match &state.state {
            &State::Waiting(waiting, lookahead) if waiting == id => {
                state.clock = state.clock.max(at);
                self.wake(rank, lookahead);
            }
            State::WaitingAny(any_of) if any_of.0.contains(&id) => self.wake_at(rank, at),
            &State::WaitingAll(left, lookahead) if in_wait_all => {
                self.in_wait_all(rank, (left, lookahead), at);
            }
            _ => {}
        }
    }

    /// Wakes a rank at its clock; it does nothing observable during its lookahead after that.
    pub(super) fn wake(&mut self, rank: u32, lookahead: Time) {
        let state = &mut self.ranks[rank as usize];
        if state.shared_processor.is_some() && state.clock > self.now {
            return self.park(rank);
        }
        state.state = State::Running;
        self.run_queue.push(rank, state.clock.saturating_add(lookahead));
    }

    /// Schedules the wake event of a rank in [`Engine::wait_any`] unless an earlier one is
    /// scheduled.
    fn wake_at(&mut self, rank: u32, at: Time) {
        let state = &mut self.ranks[rank as usize];
        let at = at.max(state.clock);
        if at < state.wake {
            state.wake = at;
            self.events.push(at, Event::Wake(rank), rank, 0);
        }
    }

    /// Resumes a rank whose wake event is current; stale events are ignored.
    pub(super) fn resume(&mut self, rank: u32) {
        let state = &mut self.ranks[rank as usize];
        let waits = matches!(state.state, State::Parked | State::WaitingAny(_));
        if waits && state.wake == self.now {
            state.clock = state.clock.max(self.now);
            state.wake = UNKNOWN;
            state.state = State::Running;
            self.run_queue.push(rank, state.clock);
        }
    }
}
