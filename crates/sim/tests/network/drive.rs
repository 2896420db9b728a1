//! Drives a network as an engine does, and holds it to its promises.

use panto_machine::Network;
use panto_sim::network::{Carried, Load, Passage, Traffic};
use panto_units::Time;

/// How an engine may mix its calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Habit {
    /// Lets everything happen before it puts a message on the network.
    Orderly,
    /// Puts messages on the network first.
    Late,
    /// Never lets anything happen before the last message is on the network.
    Lazy,
}

/// The passages of messages in the order of time.
pub fn drive(network: &Network, messages: &[(Time, Load)], habit: Habit) -> Vec<Passage> {
    let mut traffic = Traffic::new(network);
    let mut told = Told { passages: vec![None; messages.len()], left: vec![None; messages.len()] };
    for (ticket, (now, load)) in messages.iter().enumerate() {
        match habit {
            Habit::Orderly => told.advance(&mut traffic, |time| time <= *now),
            Habit::Late => told.advance(&mut traffic, |time| time < *now),
            Habit::Lazy => {}
        }
        match traffic.inject(*now, ticket as u32, *load) {
            Carried::At(passage) => {
                assert!(*now <= passage.left && passage.left <= passage.arrived);
                told.passages[ticket] = Some(passage);
            }
            Carried::Left(left) => told.left[ticket] = Some(left),
            Carried::Later => {}
        }
    }
    told.advance(&mut traffic, |_| true);
    told.passages.into_iter().map(|passage| passage.expect("every message arrives")).collect()
}

struct Told {
    passages: Vec<Option<Passage>>,
    left: Vec<Option<Time>>,
}

impl Told {
    fn advance(&mut self, traffic: &mut Traffic, may: impl Fn(Time) -> bool) {
        let mut before = Time::ZERO;
        while let Some(now) = traffic.next()
            && may(now)
        {
            assert!(before <= now, "time goes on");
            before = now;
            traffic.advance(now, &mut |ticket, passage| self.report(now, ticket as usize, passage));
        }
    }

    fn report(&mut self, now: Time, ticket: usize, passage: Passage) {
        assert!(now <= passage.arrived, "nothing is told after it happened");
        assert!(passage.left <= passage.arrived);
        match self.left[ticket] {
            Some(left) => assert_eq!(left, passage.left),
            None => assert!(now <= passage.left, "the sender is told in time"),
        }
        assert_eq!(self.passages[ticket], None, "told once");
        self.passages[ticket] = Some(passage);
    }
}
