//! Flows: progressive filling from scratch at every event.

use std::collections::{BTreeMap, BTreeSet};

use panto_machine::{Network, Switching};
use panto_sim::network::Transfer;

use super::{Policy, route, shared, width};

/// The unit of rates: full speed.
const FULL: u128 = 232_792_560 << 12;

pub struct Flow<'a> {
    network: &'a Network,
    clock: u64,
    flows: BTreeMap<usize, State>,
}

struct State {
    route: Vec<u64>,
    begin: u64,
    /// The remaining work, in units of rate times picoseconds.
    rest: u128,
    /// Its largest rate.
    most: u128,
    tail: u64,
}

impl<'a> Flow<'a> {
    pub fn new(network: &'a Network) -> Self {
        Self { network, clock: 0, flows: BTreeMap::new() }
    }

    fn moving(&self) -> impl Iterator<Item = (&usize, &State)> {
        self.flows.iter().filter(|(_, flow)| flow.begin <= self.clock && flow.rest > 0)
    }

    /// Raises all rates together; flows on a saturated link keep their rate.
    fn rates(&self) -> BTreeMap<usize, u128> {
        let mut growing: BTreeMap<usize, &State> = self.moving().map(|(id, flow)| (*id, flow)).collect();
        let mut rates = BTreeMap::new();
        while !growing.is_empty() {
            let links: BTreeSet<u64> = growing.values().flat_map(|flow| flow.route.iter().copied()).collect();
            let share = |link: u64| {
                let used: u128 = self
                    .moving()
                    .filter(|(_, flow)| flow.route.contains(&link))
                    .filter_map(|(id, _)| rates.get(id))
                    .sum();
                let more = growing.values().filter(|flow| flow.route.contains(&link)).count();
                (self.capacity(link) - used) / more as u128
            };
            let shares: BTreeMap<u64, u128> = links.into_iter().map(|link| (link, share(link))).collect();
            let most = growing.values().map(|flow| flow.most).min().unwrap();
            let level = shares.values().copied().min().unwrap().min(most);
            let stops =
                |flow: &State| flow.most == level || flow.route.iter().any(|link| shares[link] == level);
            let stopped: Vec<usize> =
                growing.iter().filter(|(_, flow)| stops(flow)).map(|(id, _)| *id).collect();
            for id in stopped {
                growing.remove(&id);
                rates.insert(id, level);
            }
        }
        rates
    }

    /// The capacity of a link. That of a pipelined processor is the largest rate of its flows.
    fn capacity(&self, link: u64) -> u128 {
        let users: Vec<&State> =
            self.moving().map(|(_, flow)| flow).filter(|flow| flow.route.contains(&link)).collect();
        let is_end = |flow: &&State| [flow.route.first(), flow.route.last()].contains(&Some(&link));
        let has_ports = self.network.pipelined && self.network.topology.has_switches();
        if has_ports && users.iter().any(is_end) {
            return users.iter().map(|flow| flow.most).max().unwrap();
        }
        width(self.network, link) as u128 * FULL
    }

    /// The time at which the next flow begins or ends.
    fn moment(&self) -> Option<u64> {
        let rates = self.rates();
        let time = |(id, flow): (&usize, &State)| {
            if flow.begin > self.clock {
                flow.begin
            } else {
                rates.get(id).map_or(self.clock, |rate| self.clock + flow.rest.div_ceil(*rate) as u64)
            }
        };
        self.flows.iter().map(time).min()
    }

    fn move_on(&mut self, now: u64) {
        for (id, rate) in self.rates() {
            let flow = self.flows.get_mut(&id).unwrap();
            flow.rest = flow.rest.saturating_sub(rate * u128::from(now - self.clock));
        }
        self.clock = now;
    }
}

impl Policy for Flow<'_> {
    fn enter(&mut self, now: u64, message: usize, load: Transfer) {
        self.move_on(now);
        let Switching::Flow { header } = self.network.switching else { unreachable!() };
        let header = self.network.setup.of(header).as_picos();
        let route = route(self.network, load);
        let Network { link, overheads, flow_rates, pipelined, .. } = self.network;
        let bytes = load.bytes;
        // Two links lead over the first level, four over the second.
        let by_level = flow_rates.get((route.len() / 2).saturating_sub(1)).or(flow_rates.last());
        let ends = [&overheads.send, &overheads.receive].map(|cost| cost.piece(bytes).per_byte);
        let limits = by_level.into_iter().chain(ends.iter().filter(|_| *pipelined));
        let limit = limits.map(|rate| rate.of(bytes).as_picos()).max().unwrap_or(0);
        let data = link.piece(bytes).per_byte.of(bytes).as_picos();
        let whole = link.of(bytes).as_picos() - data + data.max(limit);
        let full = shared(self.network, bytes).as_picos().min(whole);
        let alone = full.max(limit).min(whole);
        let most = if alone == full { FULL } else { (FULL * u128::from(full)).div_ceil(u128::from(alone)) };
        let startups = whole - alone + if full == 0 { alone } else { 0 };
        let tail = header * (route.len() as u64 - 1);
        let rest = u128::from(full) * FULL;
        let state = State { route, begin: now + header + startups, rest, most, tail };
        self.flows.insert(message, state);
    }

    fn next(&self) -> Option<u64> {
        self.moment()
    }

    fn step(&mut self) -> Vec<(usize, u64, u64)> {
        self.move_on(self.moment().unwrap());
        let clock = self.clock;
        let done = |flow: &State| flow.begin <= clock && flow.rest == 0;
        let known = self.flows.iter().filter(|(_, flow)| done(flow));
        let known: Vec<_> = known.map(|(id, flow)| (*id, clock, clock + flow.tail)).collect();
        self.flows.retain(|_, flow| !done(flow));
        known
    }
}
