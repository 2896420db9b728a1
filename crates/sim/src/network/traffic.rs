//! A network with shared links: which policy rules, and what is told to whom.

use panto_machine::{Network, Switching, Topology};
use panto_units::Time;

use super::bus::Bus;
use super::flow::Flows;
use super::frames::Frames;
use super::interfaces::Interfaces;
use super::queue::Queue;
use super::reserve::Reserve;
use super::{Carried, Load, Passage, Ticket};

/// A network with shared links, and what is under way on it.
///
/// Calls come in the order of time: `now` is never less than in an earlier call of [`Traffic::inject`] or [`Traffic::advance`].
#[derive(Debug)]
pub struct Traffic {
    network: Network,
    policy: Policy,
    interfaces: Option<Interfaces>,
    /// What became certain while a message was put on the network: the moment, the message and its passage.
    certain: Vec<(u64, Ticket, Passage)>,
}

/// How messages share links.
#[derive(Debug)]
pub(super) enum Policy {
    Reserve(Reserve),
    Queue(Queue),
    Bus(Bus),
    Flow(Box<Flows>),
    Frames(Frames),
}

impl Traffic {
    /// Nothing is under way.
    pub fn new(network: &Network) -> Self {
        let interfaces = network.nodes.as_ref().map(|nodes| Interfaces::new(network, nodes));
        Self { network: network.clone(), policy: Policy::new(network), interfaces, certain: Vec::new() }
    }

    /// Puts a message on the network. What happens inside at `now` has happened before.
    #[inline]
    pub fn inject(&mut self, now: Time, ticket: Ticket, load: Load) -> Carried {
        if load.from == load.to {
            return Carried::At(super::passage(&self.network, now, load));
        }
        let now_picos = now.as_picos();
        let Self { network, policy, interfaces, certain } = self;
        let mut done = |time, ticket, passage| certain.push((time, ticket, passage));
        if let (Some(interfaces), Some(nodes)) = (interfaces, &network.nodes) {
            if load.from / nodes.size == load.to / nodes.size {
                return Carried::At(super::passage(network, now, load));
            }
            interfaces.advance(network, policy, now_picos, &mut done);
            return interfaces.inject(nodes, now_picos, ticket, load);
        }
        policy.advance(now_picos, &mut done);
        policy.inject(network, now_picos, ticket, load)
    }

    /// A message from this node will be put on the network soon.
    #[inline]
    pub(crate) fn touch(&self, from: u32) {
        match &self.policy {
            Policy::Reserve(reserve) => reserve.channels.touch(from),
            Policy::Queue(queue) => queue.channels.touch(from),
            Policy::Flow(flows) => flows.touch(from),
            Policy::Bus(_) | Policy::Frames(_) => {}
        }
    }

    /// The message to which something happens inside so many events later, as far as that is known.
    #[inline]
    pub(crate) fn later(&self, by: usize) -> Option<Ticket> {
        match &self.policy {
            Policy::Flow(flows) if self.interfaces.is_none() => flows.later(by),
            _ => None,
        }
    }

    /// The next moment at which something happens inside, if anything is under way.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "asking does not make it happen")]
    pub fn next(&mut self) -> Option<Time> {
        if let Some((time, ..)) = self.certain.first() {
            return Some(Time::from_picos(*time));
        }
        let inside = self.policy.next();
        let next = self.interfaces.as_ref().map_or(inside, |interfaces| interfaces.next(inside));
        next.map(Time::from_picos)
    }

    /// Lets everything up to and including `now` happen, and reports each message whose passage became certain. None arrives before
    /// the moment at which that was known.
    #[inline]
    pub fn advance(&mut self, now: Time, done: &mut impl FnMut(Ticket, Passage)) {
        let Self { network, policy, interfaces, certain } = self;
        for (_, ticket, passage) in certain.drain(..) {
            done(ticket, passage);
        }
        let mut done = |_, ticket, passage| done(ticket, passage);
        match interfaces {
            Some(interfaces) => interfaces.advance(network, policy, now.as_picos(), &mut done),
            None => policy.advance(now.as_picos(), &mut done),
        }
    }
}

impl Policy {
    fn new(network: &Network) -> Self {
        match (&network.topology, network.switching) {
            (Topology::Bus(_), _) => Self::Bus(Bus::default()),
            (_, Switching::Packet | Switching::CutThrough { .. }) => Self::Queue(Queue::new(network)),
            (_, Switching::Circuit { .. } | Switching::Wormhole { .. }) => {
                Self::Reserve(Reserve::new(network))
            }
            (_, Switching::Flow { .. }) if network.frame.is_some() => Self::Frames(Frames::new(network)),
            (_, Switching::Flow { .. }) => Self::Flow(Box::new(Flows::new(network))),
        }
    }

    /// All that happens inside by `now` has happened.
    #[inline]
    pub(super) fn inject(&mut self, network: &Network, now: u64, ticket: Ticket, load: Load) -> Carried {
        match self {
            Self::Reserve(reserve) => reserve.inject(network, now, load),
            Self::Queue(queue) => queue.inject(network, now, ticket, load),
            Self::Bus(bus) => bus.inject(network, now, ticket, load),
            Self::Flow(flows) => flows.inject(network, now, ticket, load),
            Self::Frames(frames) => frames.inject(network, now, ticket, load),
        }
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<u64> {
        match self {
            Self::Reserve(_) => None,
            Self::Queue(queue) => queue.next(),
            Self::Bus(bus) => bus.next(),
            Self::Flow(flows) => flows.next(),
            Self::Frames(frames) => frames.next(),
        }
    }

    /// Reports the moment, the message and its passage.
    #[inline]
    pub(super) fn advance(&mut self, now: u64, done: &mut impl FnMut(u64, Ticket, Passage)) {
        match self {
            Self::Reserve(_) => {}
            Self::Queue(queue) => queue.advance(now, done),
            Self::Bus(bus) => bus.advance(now, done),
            Self::Flow(flows) => flows.advance(now, done),
            Self::Frames(frames) => frames.advance(now, done),
        }
    }
}
