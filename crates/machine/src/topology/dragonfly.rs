//! The dragonfly (Kim, Dally, Scott and Abts 2008).

use super::LinkId;
use super::divider::Divider;

/// Groups of routers with hosts. The routers of a group are completely connected, and one global
/// link leads from each group to each other.
///
/// The link of group i to group j is at its router (j - i - 1 mod groups) mod routers, where
/// messages from j arrive as well. Routing is minimal: inside the group to the router of the global
/// link, over it, and inside the other group to the router of the host. A route with two global
/// links is sometimes shorter; minimal routing never takes it.
///
/// Link numbers: 2h from host h to its router and 2h + 1 back; then the links inside groups, by
/// source; then the global links, by source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dragonfly {
    groups: u32,
    routers: Divider,
    hosts: Divider,
}

/// The router of a host.
#[derive(Clone, Copy, PartialEq, Eq)]
struct RouterPosition {
    group: u32,
    router: u32,
}

impl Dragonfly {
    /// Creates a dragonfly; no number is 0, and there are at most 2^30 hosts.
    pub(super) fn new(groups: u32, routers: u32, hosts: u32) -> Self {
        Self { groups, routers: Divider::new(routers), hosts: Divider::new(hosts) }
    }

    /// The number of groups.
    pub fn groups(&self) -> u32 {
        self.groups
    }

    /// The number of routers of a group.
    pub fn routers(&self) -> u32 {
        self.routers.divisor()
    }

    /// The number of hosts of a router. The hosts are the processors.
    pub fn hosts(&self) -> u32 {
        self.hosts.divisor()
    }

    #[inline]
    pub(super) fn processors(&self) -> u32 {
        self.groups * self.routers.divisor() * self.hosts.divisor()
    }

    #[inline]
    fn first_local(&self) -> u64 {
        2 * u64::from(self.processors())
    }

    #[inline]
    fn first_global(&self) -> u64 {
        let routers = u64::from(self.routers.divisor());
        self.first_local() + u64::from(self.groups) * routers * (routers - 1)
    }

    pub(super) fn links(&self) -> u64 {
        self.first_global() + u64::from(self.groups) * u64::from(self.groups - 1)
    }

    #[inline]
    fn router_of(&self, host: u32) -> RouterPosition {
        let (group, router) = self.routers.split(self.hosts.quotient(host));
        RouterPosition { group, router }
    }

    /// The distance between two groups, less 1, and the router that has the global link there.
    #[inline]
    fn gate(&self, from: u32, to: u32) -> (u32, u32) {
        let ahead = if to > from { to - from } else { to + (self.groups - from) };
        (ahead - 1, self.routers.split(ahead - 1).1)
    }

    #[inline]
    pub(super) fn distance(&self, from: u32, to: u32) -> u32 {
        if from == to {
            return 0;
        }
        let (from, to) = (self.router_of(from), self.router_of(to));
        if from.group == to.group {
            return 2 + u32::from(from.router != to.router);
        }
        let (out, into) = (self.gate(from.group, to.group).1, self.gate(to.group, from.group).1);
        3 + u32::from(from.router != out) + u32::from(into != to.router)
    }

    #[inline]
    pub(super) fn route(&self, from: u32, to: u32, mut visit: impl FnMut(LinkId)) {
        if from == to {
            return;
        }
        let (start, end) = (self.router_of(from), self.router_of(to));
        visit(LinkId(2 * u64::from(from)));
        if start.group == end.group {
            self.local(start.group, start.router, end.router, &mut visit);
        } else {
            let (ahead, out) = self.gate(start.group, end.group);
            let (_, into) = self.gate(end.group, start.group);
            self.local(start.group, start.router, out, &mut visit);
            let number = u64::from(start.group) * u64::from(self.groups - 1) + u64::from(ahead);
            visit(LinkId(self.first_global() + number));
            self.local(end.group, into, end.router, &mut visit);
        }
        visit(LinkId(2 * u64::from(to) + 1));
    }

    #[inline]
    fn local(&self, group: u32, from: u32, to: u32, visit: &mut impl FnMut(LinkId)) {
        let routers = u64::from(self.routers.divisor());
        let first = self.first_local() + u64::from(group) * routers * (routers - 1);
        super::line::direct(from, to, self.routers.divisor(), |link| visit(LinkId(first + link.0)));
    }
}
