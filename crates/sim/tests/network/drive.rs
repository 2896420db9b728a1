//! Drives a network as an engine does, and checks its contract.

use panto_machine::{Network, Sharing};
use panto_sim::network::{Injected, Passage, Traffic, Transfer};
use panto_units::Time;

/// The orders in which an engine may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Habit {
    /// Advances before each injection.
    Orderly,
    /// Injects first.
    Late,
    /// Advances only after the last injection.
    Lazy,
}

/// The passages of messages.
pub fn drive(network: &Network, messages: &[(Time, Transfer)], habit: Habit) -> Vec<Passage> {
    let mut traffic = Traffic::new(network, Sharing::Links).expect("links are shared");
    let mut told = Told { passages: vec![None; messages.len()], left: vec![None; messages.len()] };
    for (ticket, (now, load)) in messages.iter().enumerate() {
        match habit {
            Habit::Orderly => told.advance(&mut traffic, |time| time <= *now),
            Habit::Late => told.advance(&mut traffic, |time| time < *now),
            Habit::Lazy => {}
        }
        match traffic.inject(*now, ticket as u32, *load) {
            Injected::Scheduled(passage) => {
                assert!(*now <= passage.left && passage.left <= passage.arrived);
                told.passages[ticket] = Some(passage);
            }
            Injected::Left(left) => told.left[ticket] = Some(left),
            Injected::Pending => {}
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
            assert!(before <= now, "time is monotonic");
            before = now;
            traffic.advance(now, &mut |ticket, passage| self.report(now, ticket as usize, passage));
        }
    }

    fn report(&mut self, now: Time, ticket: usize, passage: Passage) {
        assert!(now <= passage.arrived, "arrivals are reported in time");
        assert!(passage.left <= passage.arrived);
        match self.left[ticket] {
            Some(left) => assert_eq!(left, passage.left),
            None => assert!(now <= passage.left, "departures are reported in time"),
        }
        assert_eq!(self.passages[ticket], None, "told once");
        self.passages[ticket] = Some(passage);
    }
}
