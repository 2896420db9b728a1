//! Where ranks ran.

use std::collections::BTreeMap;

use panto_transport::Place;
use serde::{Deserialize, Serialize};

use super::ranges::Ranges;

/// Where a rank ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placed {
    /// The rank.
    pub rank: usize,
    /// Its host's name.
    pub host: String,
    /// The number of the host among those of the job. Two hosts may have the same name.
    pub node: usize,
    /// The cores on which it might run, such as `0-3`; empty where the system did not tell.
    pub cores: String,
    /// The NUMA node of these cores, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numa: Option<usize>,
    /// The last-level cache of these cores, named by its first core, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<usize>,
    /// Its process.
    pub pid: u32,
}

impl Placed {
    /// The places of all ranks, in their order.
    pub fn all(places: &[Place]) -> Vec<Self> {
        let one = |(rank, place): (usize, &Place)| Self {
            rank,
            host: place.host.clone(),
            node: place.node,
            cores: place.cores.iter().copied().collect::<Ranges>().to_string(),
            numa: place.numa,
            cache: place.cache,
            pid: place.pid,
        };
        places.iter().enumerate().map(one).collect()
    }
}

/// A host and what ran there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// The ranks.
    pub ranks: Ranges,
    /// The cores of each rank, in the order of the ranks.
    pub bound_to: Vec<Ranges>,
}

impl Host {
    /// The hosts of these ranks, in the order of their numbers.
    pub fn all<'a>(placement: impl IntoIterator<Item = &'a Placed>) -> Vec<Self> {
        let mut hosts: BTreeMap<usize, Vec<&Placed>> = BTreeMap::new();
        for placed in placement {
            hosts.entry(placed.node).or_default().push(placed);
        }
        let host = |ranks: Vec<&Placed>| Self {
            name: ranks[0].host.clone(),
            ranks: ranks.iter().map(|placed| placed.rank).collect(),
            // What cannot be read is not known.
            bound_to: ranks.iter().map(|placed| placed.cores.parse().unwrap_or_default()).collect(),
        };
        hosts.into_values().map(host).collect()
    }

    /// The cores of all its ranks together; none where the system did not tell.
    pub fn cores(&self) -> Ranges {
        Ranges::union(&self.bound_to)
    }

    /// Had ranks to take turns on cores? Unknown where the system did not tell.
    pub fn is_crowded(&self) -> bool {
        let cores = self.cores();
        !cores.is_empty() && self.ranks.count() > cores.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(host: &str, node: usize, cores: &[usize]) -> Place {
        Place { host: host.into(), node, cores: cores.to_vec(), ..Place::default() }
    }

    #[test]
    fn hosts_have_their_ranks_and_cores() {
        let places = [
            place("a", 0, &[0, 1]),
            place("b", 1, &[0]),
            place("a", 0, &[1, 0]),
            place("b", 1, &[0]),
            place("b", 2, &[]),
        ];
        let placement = Placed::all(&places);
        assert_eq!((placement[2].rank, placement[2].cores.as_str()), (2, "0-1"));
        let hosts = Host::all(&placement);
        let said: Vec<_> = hosts
            .iter()
            .map(|host| (&*host.name, host.ranks.to_string(), host.cores().to_string()))
            .collect();
        let expected = [("a", "0,2", "0-1"), ("b", "1,3", "0"), ("b", "4", "")];
        assert_eq!(said, expected.map(|(name, ranks, cores)| (name, ranks.to_owned(), cores.to_owned())));
        assert_eq!(hosts.iter().map(Host::is_crowded).collect::<Vec<_>>(), [false, true, false]);
    }
}
