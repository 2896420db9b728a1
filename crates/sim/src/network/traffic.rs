//! A network with contention: the interface to all policies.
//!
//! A network is a component of a discrete-event simulation. The engine injects messages in the
//! order of time, asks when the next internal event is due, and advances the network to that time,
//! which reports the messages whose times became final. The policy that shares links follows from
//! topology and switching; nodes of several processors put a NIC in front of it.

use panto_machine::{Network, Sharing, Switching, Topology};
use panto_units::Time;

use super::bus::Bus;
use super::flow::Flows;
use super::frames::FramedFlows;
use super::hop_by_hop::HopByHop;
use super::nics::Nics;
use super::packets::{PacketCounts, RandomPackets};
use super::ports::Ports;
use super::reservation::RouteReservation;
use super::{Injected, Passage, Ticket, Transfer};

/// A network with shared links, and the messages in it.
///
/// Calls must be in the order of time: `now` is never less than in an earlier call of
/// [`Traffic::inject`] or [`Traffic::advance`].
#[derive(Debug)]
pub struct Traffic {
    network: Network,
    policy: Policy,
    nics: Option<Nics>,
    /// Messages whose passage became final during an injection: time, message, passage.
    decided: Vec<(u64, Ticket, Passage)>,
}

/// How messages share links.
#[derive(Debug)]
pub(super) enum Policy {
    /// Messages share the ports of processors.
    Ports(Ports),
    /// Messages share nothing here, but the NICs in front.
    Unshared,
    Reservation(RouteReservation),
    HopByHop(HopByHop),
    Bus(Bus),
    Flow(Box<Flows>),
    Frames(FramedFlows),
    Packets {
        policy: RandomPackets,
        size: u64,
    },
}

impl Traffic {
    /// Creates an idle network whose messages share what `sharing` says; `None` if that is nothing.
    pub fn new(network: &Network, sharing: Sharing) -> Option<Self> {
        let nics = network.nodes.as_ref().map(|nodes| Nics::new(network, nodes));
        let policy = match sharing {
            Sharing::None => return None,
            Sharing::Endpoints if nics.is_some() => Policy::Unshared,
            Sharing::Endpoints => Policy::Ports(Ports::new(network)),
            Sharing::Links => Policy::of_links(network),
        };
        Some(Self { network: network.clone(), policy, nics, decided: Vec::new() })
    }

    /// Injects a message, after all internal events up to `now`.
    #[inline]
    pub fn inject(&mut self, now: Time, ticket: Ticket, transfer: Transfer) -> Injected {
        if transfer.from == transfer.to {
            return Injected::Scheduled(super::uncontended(&self.network, now, transfer));
        }
        let now_picos = now.as_picos();
        let Self { network, policy, nics, decided } = self;
        let mut done = |time, ticket, passage| decided.push((time, ticket, passage));
        if let (Some(nics), Some(nodes)) = (nics, &network.nodes) {
            if transfer.from / nodes.size == transfer.to / nodes.size {
                return Injected::Scheduled(super::uncontended(network, now, transfer));
            }
            nics.advance(network, policy, now_picos, &mut done);
            return nics.inject(nodes, now_picos, ticket, transfer);
        }
        policy.advance(now_picos, &mut done);
        policy.inject(network, now_picos, ticket, transfer)
    }

    /// How many packets have arrived on random routes; none on other networks.
    pub fn packets(&self) -> PacketCounts {
        match &self.policy {
            Policy::Packets { policy, .. } => policy.counts,
            _ => PacketCounts::default(),
        }
    }

    /// Prefetches the links that a message from this node is likely to use first.
    #[inline]
    pub(crate) fn prefetch(&self, from: u32) {
        match &self.policy {
            Policy::Reservation(reservation) => reservation.links_free.prefetch(from),
            Policy::HopByHop(links) => links.links_free.prefetch(from),
            Policy::Flow(flows) => flows.prefetch(from),
            Policy::Bus(_)
            | Policy::Frames(_)
            | Policy::Packets { .. }
            | Policy::Ports(_)
            | Policy::Unshared => {}
        }
    }

    /// The message of the internal event that comes `by` events later, if that is known yet.
    #[inline]
    pub(crate) fn upcoming(&self, by: usize) -> Option<Ticket> {
        match &self.policy {
            Policy::Flow(flows) if self.nics.is_none() => flows.upcoming(by),
            _ => None,
        }
    }

    /// The time of the next internal event, if any.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "it does not consume the event")]
    pub fn next(&mut self) -> Option<Time> {
        if let Some((time, ..)) = self.decided.first() {
            return Some(Time::from_picos(*time));
        }
        let inside = self.policy.next();
        let next = self.nics.as_ref().map_or(inside, |nics| nics.next(inside));
        next.map(Time::from_picos)
    }

    /// Processes all internal events up to and including `now`, and reports each message whose
    /// passage became final. No message arrives before the time at which that was known.
    #[inline]
    pub fn advance(&mut self, now: Time, done: &mut impl FnMut(Ticket, Passage)) {
        let Self { network, policy, nics, decided } = self;
        for (_, ticket, passage) in decided.drain(..) {
            done(ticket, passage);
        }
        let mut done = |_, ticket, passage| done(ticket, passage);
        match nics {
            Some(nics) => nics.advance(network, policy, now.as_picos(), &mut done),
            None => policy.advance(now.as_picos(), &mut done),
        }
    }
}

impl Policy {
    fn of_links(network: &Network) -> Self {
        match (&network.topology, network.switching) {
            (Topology::Bus(_), _) => Self::Bus(Bus::default()),
            (_, Switching::Packet | Switching::CutThrough { .. }) => Self::HopByHop(HopByHop::new(network)),
            (_, Switching::Circuit { .. } | Switching::Wormhole { .. }) => {
                Self::Reservation(RouteReservation::new(network))
            }
            (_, Switching::Flow { .. }) if network.frame.is_some() => Self::Frames(FramedFlows::new(network)),
            (_, Switching::Flow { .. }) if let Some(size) = network.random_packets => {
                Self::Packets { policy: RandomPackets::new(), size }
            }
            (_, Switching::Flow { .. }) => Self::Flow(Box::new(Flows::new(network))),
        }
    }

    /// Injects a message; all internal events up to `now` have been processed.
    #[inline]
    pub(super) fn inject(
        &mut self,
        network: &Network,
        now: u64,
        ticket: Ticket,
        transfer: Transfer,
    ) -> Injected {
        match self {
            Self::Ports(ports) => ports.inject(network, now, ticket, transfer),
            Self::Unshared => {
                let transit = network.over(transfer.from, transfer.to, transfer.bytes);
                Injected::Scheduled(Passage::after(Time::from_picos(now), transit))
            }
            Self::Reservation(reservation) => reservation.inject(network, now, transfer),
            Self::HopByHop(links) => links.inject(network, now, ticket, transfer),
            Self::Bus(bus) => bus.inject(network, now, ticket, transfer),
            Self::Flow(flows) => flows.inject(network, now, ticket, transfer),
            Self::Frames(frames) => frames.inject(network, now, ticket, transfer),
            Self::Packets { policy, size } => policy.inject(network, *size, (now, ticket), transfer),
        }
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<u64> {
        match self {
            Self::Ports(ports) => ports.next(),
            Self::Reservation(_) | Self::Unshared => None,
            Self::HopByHop(links) => links.next(),
            Self::Bus(bus) => bus.next(),
            Self::Flow(flows) => flows.next(),
            Self::Frames(frames) => frames.next(),
            Self::Packets { policy, .. } => policy.next(),
        }
    }

    /// Processes all internal events up to `now`; reports time, message and passage.
    #[inline]
    pub(super) fn advance(&mut self, now: u64, done: &mut impl FnMut(u64, Ticket, Passage)) {
        match self {
            Self::Ports(ports) => ports.advance(now, done),
            Self::Reservation(_) | Self::Unshared => {}
            Self::HopByHop(links) => links.advance(now, done),
            Self::Bus(bus) => bus.advance(now, done),
            Self::Flow(flows) => flows.advance(now, done),
            Self::Frames(frames) => frames.advance(now, done),
            Self::Packets { policy, .. } => policy.advance(now, done),
        }
    }
}
