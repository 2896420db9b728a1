//! What happens when, where order matters.

use std::cmp::Ordering;

use panto_units::Time;

use crate::piles::{Piles, Timed};

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// A message is put on its network.
    Inject(u32),
    /// A message reaches a rank that takes messages in the order of their arrival.
    Arrive(u32),
    /// A shared processor has done somebody's work, unless its plan has changed since.
    Work(u32),
    /// A rank goes on.
    Wake(u32),
}

/// A queue of events in the order of time. Ties are broken by what happens, then by who does it, then by the order in
/// which they did it: never by the order in which the engine came to know of them.
#[derive(Default)]
pub(super) struct Events {
    piles: Piles<Queued>,
}

/// An event in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Queued {
    time: u64,
    precedence: u64,
    id: u32,
}

impl Queued {
    /// As one number: which of two comes first cannot be foreseen, and a branch for each half would often go wrong.
    fn key(&self) -> u128 {
        u128::from(self.time) << 64 | u128::from(self.precedence)
    }
}

impl Timed for Queued {
    fn time(&self) -> u64 {
        self.time
    }
}

impl Ord for Queued {
    /// The first is the greatest: so it is in a heap.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

const CLASS: u32 = 62;
const WHO: u32 = 32;

impl Events {
    /// `who` is a rank or a processor below 2^30, `number` counts what it did.
    pub(super) fn push(&mut self, time: Time, event: Event, who: u32, number: u32) {
        let (class, id) = match event {
            Event::Arrive(id) => (0, id),
            Event::Work(id) => (1, id),
            Event::Wake(id) => (2, id),
            // Last: whoever goes on at this moment may have something to put on a network too.
            Event::Inject(id) => (3, id),
        };
        let precedence = class << CLASS | u64::from(who) << WHO | u64::from(number);
        self.piles.push(Queued { time: time.as_picos(), precedence, id });
    }

    /// When the next one happens.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Time> {
        self.piles.first().map(|first| Time::from_picos(first.time))
    }

    /// The message of the event that comes so many later, as far as that is known; none if it is not about a message.
    #[inline]
    pub(super) fn later(&self, by: usize) -> Option<u32> {
        self.piles.later(by).filter(|later| matches!(later.precedence >> CLASS, 0 | 3)).map(|later| later.id)
    }

    pub(super) fn pop(&mut self) -> Option<(Time, Event)> {
        let Queued { time, precedence, id } = self.piles.pop()?;
        let event = match precedence >> CLASS {
            0 => Event::Arrive(id),
            1 => Event::Work(id),
            2 => Event::Wake(id),
            _ => Event::Inject(id),
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
            let mut events = Events::default();
            let push = |(time, event, who, number)| events.push(time, event, who, number);
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
