//! Naive references: each policy in its simplest form.

mod bus;
mod flow;
mod frames;
mod queue;
mod reserve;

use panto_machine::{Network, Switching, Topology};
use panto_sim::network::{Passage, Transfer, uncontended};
use panto_units::Time;

/// A policy, event by event. Times are in picoseconds.
pub trait Policy {
    /// A message arrives at its first link.
    fn enter(&mut self, now: u64, message: usize, load: Transfer);
    /// The time of the next event.
    fn next(&self) -> Option<u64>;
    /// Processes one event. Returns the messages whose departure and arrival are now known.
    fn step(&mut self) -> Vec<(usize, u64, u64)>;
}

/// The next event of a message outside of the links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Move {
    /// It enters the links, having left its sender.
    Enter { left: u64 },
    /// It arrives at its receiver's NIC.
    Come { left: u64 },
}

/// The passages of all messages.
pub fn naive(network: &Network, messages: &[(Time, Transfer)]) -> Vec<Passage> {
    let mut policy = policy(network);
    let mut passages = vec![None; messages.len()];
    let mut injections = messages.iter().enumerate();
    let mut injection = injections.next();
    let mut moves: Vec<(u64, usize, Move)> = Vec::new();
    let mut leaving = vec![0; network.processors()];
    let mut coming = vec![0; network.processors()];
    let node = |processor: u32| network.nodes.as_ref().map_or(processor, |nodes| processor / nodes.size);
    let hold = |bytes| network.nodes.as_ref().map_or(0, |nodes| nodes.interface.of(bytes).as_picos());
    let mut left = vec![0; messages.len()];
    loop {
        // The links come first, then the NICs, then new messages.
        moves.sort_by_key(|(time, message, _)| (*time, *message));
        let inside = policy.next().unwrap_or(u64::MAX);
        let outside = moves.first().map_or(u64::MAX, |(time, ..)| *time);
        let new = injection.map_or(u64::MAX, |(_, (time, _))| time.as_picos());
        let now = inside.min(outside).min(new);
        if now == u64::MAX {
            return passages.into_iter().map(Option::unwrap).collect();
        }
        if inside == now {
            for (message, gone, arrived) in policy.step() {
                if network.nodes.is_none() {
                    passages[message] =
                        Some(Passage { left: Time::from_picos(gone), arrived: Time::from_picos(arrived) });
                } else {
                    moves.push((arrived, message, Move::Come { left: left[message] }));
                }
            }
        } else if outside == now {
            let (_, message, what) = moves.remove(0);
            let load = messages[message].1;
            match what {
                Move::Enter { left: gone } => {
                    left[message] = gone;
                    policy.enter(now, message, Transfer { from: node(load.from), to: node(load.to), ..load });
                }
                Move::Come { left } => {
                    let arrived = pass(&mut coming[node(load.to) as usize], now, hold(load.bytes));
                    passages[message] =
                        Some(Passage { left: Time::from_picos(left), arrived: Time::from_picos(arrived) });
                }
            }
        } else if let Some((message, (start, load))) = injection {
            if node(load.from) == node(load.to) {
                passages[message] = Some(uncontended(network, *start, *load));
            } else if network.nodes.is_some() {
                let left = pass(&mut leaving[node(load.from) as usize], now, hold(load.bytes));
                moves.push((left, message, Move::Enter { left }));
            } else {
                policy.enter(now, message, *load);
            }
            injection = injections.next();
        }
    }
}

/// A server that serves one message after the other.
fn pass(free: &mut u64, now: u64, hold: u64) -> u64 {
    *free = now.max(*free) + hold;
    *free
}

fn policy(network: &Network) -> Box<dyn Policy + '_> {
    match (&network.topology, network.switching) {
        (Topology::Bus(_), _) => Box::new(bus::Bus::new(network)),
        (_, Switching::Packet | Switching::CutThrough { .. }) => Box::new(queue::Queue::new(network)),
        (_, Switching::Circuit { .. } | Switching::Wormhole { .. }) => {
            Box::new(reserve::Reserve::new(network))
        }
        (_, Switching::Flow { .. }) if network.frame.is_some() => Box::new(frames::Frames::new(network)),
        (_, Switching::Flow { .. }) => Box::new(flow::Flow::new(network)),
    }
}

/// The time for which a flow occupies a link.
fn shared(network: &Network, bytes: u64) -> Time {
    let own = || network.link.piece(bytes).per_byte.of(bytes);
    network.occupancy.as_ref().map_or_else(own, |occupancy| occupancy.of(bytes))
}

/// The links of a message's route.
fn route(network: &Network, load: Transfer) -> Vec<u64> {
    let mut links = Vec::new();
    network.topology.route(load.from, load.to, |link| links.push(link.0));
    links
}

fn width(network: &Network, link: u64) -> usize {
    network.topology.width(panto_machine::LinkId(link)) as usize
}
