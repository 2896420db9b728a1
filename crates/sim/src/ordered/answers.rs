//! What ranks of a growing program ask, and the answers.

use panto_calls::TestKind;
use panto_units::Time;

use super::growing::{GrowingRank, GrowingRun};
use super::rank_state::Pending;
use crate::engine::{MatchSpec, MessageInfo, RequestId};

/// The least time that a test without success takes, so that a polling loop ends: 100 ns, about
/// the time of an `MPI_Test` on today's processors.
const LEAST_POLL: Time = Time::from_nanos(100);

/// The share of a polling loop's time so far that its next test takes, as a divisor: the loop ends
/// at most 1.6 % too late, and a loop of a second needs hundreds of tests instead of millions.
const POLL_GROWTH: u64 = 64;

/// The most time between two tests of a polling loop; a program that computes longer does not wait
/// idly.
const MAX_BETWEEN_POLLS: Time = Time::from_nanos(10_000);

/// What a rank waits for after its operations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// That they are executed.
    Clock,
    /// Which of these requests are complete. Each is a list of slots, all of which must be.
    Test(TestKind, Vec<Vec<u32>>),
    /// Whether a message has arrived that matches.
    Probe(MatchSpec),
    /// Whether the request in these slots can be cancelled; it is then, and complete.
    Cancel(Vec<u32>),
}

/// The answer to a [`Question`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// The rank's clock.
    pub clock: Time,
    /// The requests that are complete, as positions in the list of the question, ascending.
    pub completed: Vec<u32>,
    /// The message that a probe found.
    pub probed: Option<MessageInfo>,
    /// What completed receives with wildcards have matched since the last answer: the slot, and the
    /// message; the last one of a slot is that of its last request.
    pub matches: Vec<(u32, MessageInfo)>,
    /// What pending receives with wildcards have matched.
    pub pending_matches: Vec<(u32, MessageInfo)>,
}

/// Tests without success in a row.
#[derive(Clone, Copy)]
pub(super) struct PollingLoop {
    since: Time,
    last: Time,
}

impl GrowingRank {
    /// Returns the time that a test without success takes which begins at `now`.
    fn poll_time(&mut self, now: Time, poll: Time) -> Time {
        let continues = |polling: &PollingLoop| now.since(polling.last) <= MAX_BETWEEN_POLLS;
        let since = self.polling.filter(continues).map_or(now, |polling| polling.since);
        let share = Time::from_picos(now.since(since).as_picos() / POLL_GROWTH);
        let time = LEAST_POLL.since(poll).max(share);
        self.polling = Some(PollingLoop { since, last: now.saturating_add(time) });
        time
    }
}

impl GrowingRun<'_> {
    /// Executes the next stage of a question; `None` if the rank blocks.
    pub(super) fn answer(&mut self, rank: u32, question: &Question) -> Option<Answer> {
        let stage = self.ranks[rank as usize].stage;
        match question {
            Question::Clock => Some(self.reply(rank, Vec::new(), None)),
            _ if stage == 0 => {
                // What is complete or has arrived by now is known when nothing earlier can happen.
                self.ranks[rank as usize].stage = 1;
                self.engine.park(rank);
                None
            }
            Question::Test(kind, requests) => {
                let completed = self.completed(rank, *kind, requests);
                if !completed.is_empty() || requests.is_empty() {
                    return Some(self.reply(rank, completed, None));
                }
                if !kind.waits() {
                    return self.found_nothing(rank);
                }
                let growing = &self.ranks[rank as usize];
                let slots = requests.iter().flatten();
                let pending: Vec<RequestId> = slots.filter_map(|slot| growing.request(*slot)).collect();
                self.engine.wait_any(rank, &self.incomplete(rank, pending));
                None
            }
            Question::Probe(spec) => match self.engine.try_probe_matching(rank, *spec) {
                Some(message) => Some(self.reply(rank, Vec::new(), Some(message))),
                None => self.found_nothing(rank),
            },
            Question::Cancel(slots) => {
                let is_cancelled = slots.iter().all(|slot| self.cancel(rank, *slot));
                Some(self.reply(rank, if is_cancelled { vec![0] } else { Vec::new() }, None))
            }
        }
    }

    /// Cancels the operation in a slot, if that is still possible.
    fn cancel(&mut self, rank: u32, slot: u32) -> bool {
        let Some(request) = self.ranks[rank as usize].request(slot) else { return false };
        let is_cancelled = self.engine.try_cancel(request);
        if is_cancelled {
            self.ranks[rank as usize].slots[slot as usize] = Pending::Empty;
        }
        is_cancelled
    }

    /// Returns those of some requests that are not complete by the rank's clock.
    fn incomplete(&self, rank: u32, mut requests: Vec<RequestId>) -> Vec<RequestId> {
        requests.retain(|request| !self.is_complete(rank, *request));
        requests
    }

    fn is_complete(&self, rank: u32, request: RequestId) -> bool {
        self.engine.completion(request).is_some_and(|completion| completion.at <= self.engine.clock(rank))
    }

    /// Answers a test or probe without success, which takes some time.
    fn found_nothing(&mut self, rank: u32) -> Option<Answer> {
        let growing = &mut self.ranks[rank as usize];
        if growing.stage == 1 {
            growing.stage = 2;
            let time = growing.poll_time(self.engine.clock(rank), self.config.machine.processor.poll);
            if !self.engine.work(rank, time) {
                return None;
            }
        }
        Some(self.reply(rank, Vec::new(), None))
    }

    /// Returns the requests that a test finds complete.
    fn completed(&self, rank: u32, kind: TestKind, requests: &[Vec<u32>]) -> Vec<u32> {
        let growing = &self.ranks[rank as usize];
        if growing.stage == 2 {
            return Vec::new();
        }
        let is_complete = |slots: &[u32]| {
            slots
                .iter()
                .all(|slot| growing.request(*slot).is_none_or(|request| self.is_complete(rank, request)))
        };
        let mut completed: Vec<u32> = (0..)
            .zip(requests)
            .filter(|(_, slots)| is_complete(slots))
            .map(|(position, _)| position)
            .collect();
        match kind {
            TestKind::TestAny | TestKind::WaitAny => completed.truncate(1),
            TestKind::TestAll if completed.len() < requests.len() => completed.clear(),
            TestKind::TestAll | TestKind::TestSome | TestKind::WaitSome => {}
        }
        completed
    }

    fn reply(&mut self, rank: u32, completed: Vec<u32>, probed: Option<MessageInfo>) -> Answer {
        if !completed.is_empty() || probed.is_some() {
            self.ranks[rank as usize].polling = None;
        }
        let mut matches = Vec::new();
        self.matches.0.retain(|(of, slot, message)| {
            if *of == rank {
                matches.push((*slot, *message));
            }
            *of != rank
        });
        let growing = &self.ranks[rank as usize];
        let mut pending_matches = Vec::new();
        if growing.has_wildcards {
            let of_wildcard = |(slot, pending): (u32, &Pending)| match pending {
                Pending::Wildcard { request, .. } => Some((slot, self.engine.matched_message(*request)?)),
                _ => None,
            };
            pending_matches.extend((0..).zip(&growing.slots).filter_map(of_wildcard));
        }
        Answer { clock: self.engine.clock(rank), completed, probed, matches, pending_matches }
    }
}
