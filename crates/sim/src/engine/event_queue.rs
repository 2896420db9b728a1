//! The event queue: everything whose result depends on the order of time.

use std::cmp::Ordering;

use panto_units::Time;

use crate::radix_heap::{RadixHeap, Timed};

/// An event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// A message, request to send or clear to send is injected into its network.
    Inject(u32),
    /// A message arrives at a rank that matches in the order of arrival.
    Arrive(u32),
    /// A shared processor completes the work of a rank, unless its schedule has changed since.
    Work(u32),
    /// A rank resumes.
    Wake(u32),
    /// Space of a pool of buffers is returned, or a message without room must be sent.
    Buffer(u32),
}

/// A queue of events in the order of time. Ties are broken by the kind of event, then by the rank
/// or processor that causes it, then by that rank's own count, and never by the order of insertion:
/// so the result does not depend on the order in which the engine evaluates ranks.
#[derive(Default)]
pub(super) struct EventQueue {
    heap: RadixHeap<QueuedEvent>,
}

/// An event in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct QueuedEvent {
    time: u64,
    precedence: u64,
    id: u32,
}

impl QueuedEvent {
    /// Time and precedence as one number: the order of two events is unpredictable, and a branch
    /// for each half would often be mispredicted.
    fn key(&self) -> u128 {
        u128::from(self.time) << 64 | u128::from(self.precedence)
    }
}

impl Timed for QueuedEvent {
    fn time(&self) -> u64 {
        self.time
    }
}

impl Ord for QueuedEvent {
    /// The earliest event is the greatest, as `BinaryHeap` needs it.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl PartialOrd for QueuedEvent {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The bit at which the kind of event begins in a precedence.
const KIND_SHIFT: u32 = 61;
/// The bit at which the rank or processor begins in a precedence.
const ACTOR_SHIFT: u32 = 32;

impl EventQueue {
    /// Adds an event. `actor` is a rank or processor below 2^29, `number` its own count of events.
    pub(super) fn push(&mut self, time: Time, event: Event, actor: u32, number: u32) {
        let (kind, id) = match event {
            Event::Arrive(id) => (0, id),
            Event::Work(id) => (1, id),
            Event::Wake(id) => (2, id),
            // Late: a rank that resumes at this time may inject messages too.
            Event::Inject(id) => (3, id),
            // Last: all that arrives by now counts.
            Event::Buffer(id) => (4, id),
        };
        let precedence = kind << KIND_SHIFT | u64::from(actor) << ACTOR_SHIFT | u64::from(number);
        self.heap.push(QueuedEvent { time: time.as_picos(), precedence, id });
    }

    /// The time of the next event.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Time> {
        self.heap.first().map(|first| Time::from_picos(first.time))
    }

    /// The message of the event that comes `by` events later, if that is known yet and the event is
    /// about a message.
    #[inline]
    pub(super) fn upcoming(&self, by: usize) -> Option<u32> {
        let event = self.heap.nth(by).filter(|event| matches!(event.precedence >> KIND_SHIFT, 0 | 3));
        event.map(|event| event.id)
    }

    pub(super) fn pop(&mut self) -> Option<(Time, Event)> {
        let QueuedEvent { time, precedence, id } = self.heap.pop()?;
        let event = match precedence >> KIND_SHIFT {
            0 => Event::Arrive(id),
            1 => Event::Work(id),
            2 => Event::Wake(id),
            3 => Event::Inject(id),
            _ => Event::Buffer(id),
        };
        Some((Time::from_picos(time), event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_do_not_depend_on_the_order_of_pushing() {
        let at = Time::from_picos(5);
        let all = [
            (at, Event::Wake(0), 0, 0),
            (at, Event::Arrive(7), 3, 1),
            (at, Event::Inject(1), 2, 0),
            (at, Event::Inject(0), 1, 9),
            (at, Event::Inject(4), 1, 10),
            (Time::ZERO, Event::Wake(9), 9, 0),
        ];
        let order = |forwards: bool| {
            let mut events = EventQueue::default();
            let push = |(time, event, actor, number)| events.push(time, event, actor, number);
            if forwards {
                all.into_iter().for_each(push);
            } else {
                all.into_iter().rev().for_each(push);
            }
            std::iter::from_fn(|| events.pop()).map(|(_, event)| event).collect::<Vec<_>>()
        };
        let expected = [
            Event::Wake(9),
            Event::Arrive(7),
            Event::Wake(0),
            Event::Inject(0),
            Event::Inject(4),
            Event::Inject(1),
        ];
        assert_eq!(order(true), expected);
        assert_eq!(order(false), expected);
    }
}
