//! Ranks that had to share cores while they were traced.

use std::collections::{BTreeMap, BTreeSet};

use panto_trace::{Facts, RankTrace, Trace, key};
use panto_transport::parse_list;

/// The ranks of a host, and the cores that they may use, together.
#[derive(Default)]
struct Host {
    ranks: usize,
    cores: BTreeSet<usize>,
}

/// What to say if ranks outnumber the cores of a host, and did not take turns.
pub fn crowded(trace: &Trace) -> Option<String> {
    of(trace.ranks().iter().map(RankTrace::facts))
}

fn of<'a>(ranks: impl Iterator<Item = &'a Facts>) -> Option<String> {
    let mut hosts: BTreeMap<&str, Host> = BTreeMap::new();
    for facts in ranks.filter(|facts| facts.get(key::TOKEN) == Some("no")) {
        let cores = facts.get(key::CORES).and_then(parse_list)?;
        let host = hosts.entry(facts.get(key::HOST)?).or_default();
        host.ranks += 1;
        host.cores.extend(cores);
    }
    let (name, host) = hosts.into_iter().find(|(_, host)| host.ranks > host.cores.len())?;
    let cores = host.cores.len();
    Some(format!(
        "{} ranks shared {cores} core{} of {name}: who computes after another one finds caches cold, and takes longer than with a core of \
         its own. `panto trace --token` lets ranks take turns, and is closer",
        host.ranks,
        if cores == 1 { "" } else { "s" },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(ranks: &[(&str, &str, &str)]) -> Option<String> {
        let facts: Vec<Facts> = ranks
            .iter()
            .map(|(host, cores, token)| {
                let mut facts = Facts::default();
                facts.set(key::HOST, host);
                facts.set(key::CORES, cores);
                facts.set(key::TOKEN, token);
                facts
            })
            .collect();
        of(facts.iter())
    }

    #[test]
    fn ranks_that_share_cores_are_told() {
        let text = said(&[("a", "0-1", "no"), ("a", "0-1", "no"), ("a", "0,1", "no")]).unwrap();
        assert!(text.starts_with("3 ranks shared 2 cores of a:"), "{text}");
        assert!(
            said(&[("a", "0", "no"), ("a", "0", "no")]).unwrap().starts_with("2 ranks shared 1 core of a:")
        );
    }

    #[test]
    fn who_has_a_core_is_not() {
        assert_eq!(said(&[("a", "0", "no"), ("a", "1", "no")]), None);
        assert_eq!(said(&[("a", "0", "no"), ("b", "0", "no")]), None);
        assert_eq!(said(&[("a", "0", "yes"), ("a", "0", "yes")]), None);
    }

    #[test]
    fn a_strange_list_says_nothing() {
        assert_eq!(said(&[("a", "0-4294967295", "no"), ("a", "x", "no")]), None);
    }
}
