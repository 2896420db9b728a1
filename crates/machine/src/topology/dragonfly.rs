//! Dragonflies (Kim, Dally, Scott and Abts 2008).

use super::LinkId;
use super::divider::Divider;

/// Groups of routers with hosts. In a group each router has a link to each; one global link leads from each group to each other.
///
/// Group i keeps its link to group j at its router (j - i - 1 mod groups) mod routers, and what comes from j arrives there as
/// well. Routing is minimal: inside the group to the router that has the global link, over it, and inside the other group to the
/// router of the host. Two global links may sometimes be shorter; minimal routing never takes them.
///
/// Links are numbered: 2h from host h to its router and 2h + 1 back; then the links inside groups, by their source; then the
/// global ones, by their source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dragonfly {
    groups: u32,
    routers: Divider,
    hosts: Divider,
}

/// Where a host is.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    group: u32,
    router: u32,
}

impl Dragonfly {
    /// None is 0, and there are at most 2^30 hosts.
    pub(super) fn new(groups: u32, routers: u32, hosts: u32) -> Self {
        Self { groups, routers: Divider::new(routers), hosts: Divider::new(hosts) }
    }

    /// How many groups.
    pub fn groups(&self) -> u32 {
        self.groups
    }

    /// Routers of a group.
    pub fn routers(&self) -> u32 {
        self.routers.by()
    }

    /// Hosts of a router: these are the processors.
    pub fn hosts(&self) -> u32 {
        self.hosts.by()
    }

    #[inline]
    pub(super) fn processors(&self) -> u32 {
        self.groups * self.routers.by() * self.hosts.by()
    }

    #[inline]
    fn first_local(&self) -> u64 {
        2 * u64::from(self.processors())
    }

    #[inline]
    fn first_global(&self) -> u64 {
        let routers = u64::from(self.routers.by());
        self.first_local() + u64::from(self.groups) * routers * (routers - 1)
    }

    pub(super) fn links(&self) -> u64 {
        self.first_global() + u64::from(self.groups) * u64::from(self.groups - 1)
    }

    #[inline]
    fn place(&self, host: u32) -> Place {
        let (group, router) = self.routers.split(self.hosts.quotient(host));
        Place { group, router }
    }

    /// How many groups on, not counting the next, and the router that has the global link there.
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
        let (from, to) = (self.place(from), self.place(to));
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
        let (start, end) = (self.place(from), self.place(to));
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
        let routers = u64::from(self.routers.by());
        let first = self.first_local() + u64::from(group) * routers * (routers - 1);
        super::line::direct(from, to, self.routers.by(), |link| visit(LinkId(first + link.0)));
    }
}
