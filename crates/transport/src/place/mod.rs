//! Where ranks run, and how far from each other.

mod code;
mod distance;
mod here;
mod list;
mod topology;

use std::collections::HashMap;

pub use distance::{Distance, distances_from_first};
pub use list::parse as parse_list;

/// Where a rank runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The host's name.
    pub host: String,
    /// The number of the host among those of the job, from 0.
    pub node: usize,
    /// The cores on which the rank may run, in ascending order.
    pub cores: Vec<usize>,
    /// The NUMA node of all these cores, if it is one.
    pub numa: Option<usize>,
    /// The last-level cache that all these cores share, named by its first core, if it is one.
    pub cache: Option<usize>,
    /// The process.
    pub pid: u32,
    /// What tells one host from another.
    pub identity: Identity,
}

/// What tells hosts, clocks and sets of processes apart where names do not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    /// The run of the host's system, from its start on; empty where it is not known.
    boot: String,
    /// The time namespace: clocks of the system differ between two of them.
    clock: Option<u64>,
    /// The process namespace: processes are numbered anew in each.
    processes: Option<u64>,
}

impl Place {
    /// Does the other rank's process id mean the same process to both? Not if the system does not say so.
    pub fn shares_processes(&self, other: &Self) -> bool {
        let spaces = [self.identity.processes, other.identity.processes];
        !self.identity.boot.is_empty()
            && (&self.host, &self.identity.boot) == (&other.host, &other.identity.boot)
            && spaces[0].is_some()
            && spaces[0] == spaces[1]
    }

    /// Equal where two ranks share cores, whatever their hosts are called: containers of one machine have names of their own.
    pub(crate) fn machine(&self) -> (&str, usize) {
        let boot = self.identity.boot.as_str();
        (boot, if boot.is_empty() { self.node } else { 0 })
    }

    /// Equal where two ranks share a host and its clock.
    fn host_key(&self) -> (&str, &str, Option<u64>) {
        (&self.host, &self.identity.boot, self.identity.clock)
    }
}

/// Numbers the hosts of a job from 0, in the order in which the ranks show them. Ranks of one host share a clock (S7, T6): a
/// time namespace counts as a host of its own.
pub fn assign_nodes(places: &mut [Place]) {
    let mut known = HashMap::new();
    let nodes: Vec<usize> = places
        .iter()
        .map(|place| {
            let next = known.len();
            *known.entry(place.host_key()).or_insert(next)
        })
        .collect();
    for (place, node) in places.iter_mut().zip(nodes) {
        place.node = node;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(host: &str, boot: &str, clock: u64, processes: Option<u64>) -> Place {
        let identity = Identity { boot: boot.into(), clock: Some(clock), processes };
        Place { host: host.into(), identity, ..Place::default() }
    }

    #[test]
    fn hosts_are_numbered_as_they_appear() {
        let hosts =
            [("b", "1", 7), ("a", "2", 7), ("b", "1", 7), ("b", "3", 7), ("a", "2", 8), ("a", "2", 7)];
        let mut places = hosts.map(|(host, boot, clock)| place(host, boot, clock, Some(9)));
        assign_nodes(&mut places);
        assert_eq!(places.map(|place| place.node), [0, 1, 0, 2, 3, 1]);
        assign_nodes(&mut []);
    }

    #[test]
    fn process_ids_mean_something_only_where_the_system_says_so() {
        let here = place("a", "1", 7, Some(9));
        assert!(here.shares_processes(&here));
        assert!(here.shares_processes(&place("a", "1", 8, Some(9))), "clocks do not matter");
        for other in [place("a", "1", 7, Some(8)), place("a", "2", 7, Some(9)), place("b", "1", 7, Some(9))] {
            assert!(!here.shares_processes(&other), "{other:?}");
        }
        for unknown in [place("a", "1", 7, None), place("a", "", 7, Some(9))] {
            assert!(!unknown.shares_processes(&unknown), "{unknown:?}");
        }
    }
}
