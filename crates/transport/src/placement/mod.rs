//! Where ranks run (hosts, cores, caches), and the distances between them.

mod cpu_list;
mod detect;
mod distance;
mod encoding;
mod layout;
mod topology;

use std::collections::HashMap;

pub use cpu_list::parse as parse_cpu_list;
pub use distance::distances_from_first;
pub use layout::RankLayout;

/// Where a rank runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Placement {
    /// The host name.
    pub host: String,
    /// The number of the host within the job, from 0.
    pub node: usize,
    /// The cores on which the rank may run, in ascending order.
    pub cores: Vec<usize>,
    /// The NUMA node, if all these cores belong to one.
    pub numa: Option<usize>,
    /// The first core of the last-level cache, if all these cores share one.
    pub cache: Option<usize>,
    /// The process id.
    pub pid: u32,
    /// What identifies the host, beyond its name.
    pub identity: HostIdentity,
}

/// What distinguishes hosts, clocks and process namespaces where names do not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HostIdentity {
    /// The boot id of the host; empty where it is unknown.
    boot: String,
    /// The time namespace: monotonic clocks differ between namespaces.
    clock: Option<u64>,
    /// The process namespace: process ids are only unique within one.
    processes: Option<u64>,
}

impl Placement {
    /// Whether a process id means the same process to both ranks. `false` where this is unknown.
    pub fn shares_processes(&self, other: &Self) -> bool {
        let spaces = [self.identity.processes, other.identity.processes];
        !self.identity.boot.is_empty()
            && (&self.host, &self.identity.boot) == (&other.host, &other.identity.boot)
            && spaces[0].is_some()
            && spaces[0] == spaces[1]
    }

    /// Returns a key that is equal for ranks that share cores, whatever their host names:
    /// containers of one machine have names of their own.
    pub(crate) fn machine(&self) -> (&str, usize) {
        let boot = self.identity.boot.as_str();
        (boot, if boot.is_empty() { self.node } else { 0 })
    }

    /// Returns a key that is equal for ranks that share a host and its clock.
    fn host_key(&self) -> (&str, &str, Option<u64>) {
        (&self.host, &self.identity.boot, self.identity.clock)
    }
}

/// Numbers the hosts of a job from 0, in the order in which they first appear among ranks. Ranks of
/// one host share a clock (S7, T6): each time namespace counts as a host.
pub fn assign_nodes(places: &mut [Placement]) {
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

/// Returns the process ids of the ranks on the first rank's machine, as the first rank knows them;
/// its own where places are unknown, since all ranks are threads then. `None` if a rank on that
/// machine has another process namespace.
pub fn rank_processes(places: &[Placement]) -> Option<Vec<u32>> {
    let Some(first) = places.first() else { return Some(vec![std::process::id()]) };
    let here = places.iter().filter(|place| place.machine() == first.machine());
    let known = |place: &Placement| {
        (place.identity.processes.is_some() && place.identity.processes == first.identity.processes)
            .then_some(place.pid)
    };
    here.map(known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_one_machine_are_known_by_their_processes() {
        let at = |boot: &str, processes, pid| Placement { pid, ..place("a", boot, 7, processes) };
        assert_eq!(rank_processes(&[]), Some(vec![std::process::id()]));
        let places = [at("1", Some(9), 10), at("1", Some(9), 11), at("2", Some(9), 12)];
        assert_eq!(rank_processes(&places), Some(vec![10, 11]));
        assert_eq!(rank_processes(&[at("1", Some(9), 10), at("1", Some(8), 10)]), None);
    }

    fn place(host: &str, boot: &str, clock: u64, processes: Option<u64>) -> Placement {
        let identity = HostIdentity { boot: boot.into(), clock: Some(clock), processes };
        Placement { host: host.into(), identity, ..Placement::default() }
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
    fn process_ids_are_shared_only_within_a_namespace() {
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
