//! Where the ranks ran.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ranges::Ranges;

/// Where a rank ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankPlacement {
    /// The rank.
    pub rank: usize,
    /// Its host's name.
    pub host: String,
    /// Number of the host within the job. Two hosts may have the same name.
    pub node: usize,
    /// Cores that it was bound to, such as `0-3`; empty where unknown.
    pub cores: String,
    /// NUMA node of these cores, if they share one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numa: Option<usize>,
    /// Last-level cache of these cores, given by its first core, if they share one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<usize>,
    /// Process id.
    pub pid: u32,
}

/// A host and the ranks on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// The ranks.
    pub ranks: Ranges,
    /// The cores of each rank, in rank order.
    pub bound_to: Vec<Ranges>,
}

impl Host {
    /// Returns the hosts of these ranks, ordered by number.
    pub fn all<'a>(placement: impl IntoIterator<Item = &'a RankPlacement>) -> Vec<Self> {
        let mut hosts: BTreeMap<usize, Vec<&RankPlacement>> = BTreeMap::new();
        for placed in placement {
            hosts.entry(placed.node).or_default().push(placed);
        }
        let host = |ranks: Vec<&RankPlacement>| Self {
            name: ranks[0].host.clone(),
            ranks: ranks.iter().map(|placed| placed.rank).collect(),
            // Invalid text counts as unknown.
            bound_to: ranks.iter().map(|placed| placed.cores.parse().unwrap_or_default()).collect(),
        };
        hosts.into_values().map(host).collect()
    }

    /// Returns the cores of all its ranks; empty where unknown.
    pub fn cores(&self) -> Ranges {
        Ranges::union(&self.bound_to)
    }

    /// Returns whether there were more ranks than cores; `false` where the cores are unknown.
    pub fn is_crowded(&self) -> bool {
        let cores = self.cores();
        !cores.is_empty() && self.ranks.count() > cores.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(rank: usize, (host, node): (&str, usize), cores: &str) -> RankPlacement {
        RankPlacement { rank, host: host.into(), node, cores: cores.into(), numa: None, cache: None, pid: 0 }
    }

    #[test]
    fn ranks_and_cores_are_grouped_by_host() {
        let placement = [
            placed(0, ("a", 0), "0-1"),
            placed(1, ("b", 1), "0"),
            placed(2, ("a", 0), "0-1"),
            placed(3, ("b", 1), "0"),
            placed(4, ("b", 2), ""),
        ];
        let hosts = Host::all(&placement);
        let shown: Vec<_> = hosts
            .iter()
            .map(|host| (&*host.name, host.ranks.to_string(), host.cores().to_string()))
            .collect();
        let expected = [("a", "0,2", "0-1"), ("b", "1,3", "0"), ("b", "4", "")];
        assert_eq!(shown, expected.map(|(name, ranks, cores)| (name, ranks.to_owned(), cores.to_owned())));
        assert_eq!(hosts.iter().map(Host::is_crowded).collect::<Vec<_>>(), [false, true, false]);
    }
}
