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
                (width(self.network, link) as u128 * FULL - used) / more as u128
            };
            let shares: BTreeMap<u64, u128> = links.into_iter().map(|link| (link, share(link))).collect();
            let level = shares.values().copied().min().unwrap().min(FULL);
            let stops = |flow: &State| level == FULL || flow.route.iter().any(|link| shares[link] == level);
            let stopped: Vec<usize> =
                growing.iter().filter(|(_, flow)| stops(flow)).map(|(id, _)| *id).collect();
            for id in stopped {
                growing.remove(&id);
                rates.insert(id, level);
            }
        }
        rates
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
        let whole = self.network.link.of(load.bytes);
        let alone = shared(self.network, load.bytes).min(whole).as_picos();
        let startups = whole.as_picos() - alone;
        let route = route(self.network, load);
        let tail = header * (route.len() as u64 - 1);
        let state = State { route, begin: now + header + startups, rest: u128::from(alone) * FULL, tail };
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
