//! Ranks that shared cores while they were traced.

use std::collections::{BTreeMap, BTreeSet};

use panto_trace::{Metadata, RankTrace, Trace, key};
use panto_transport::parse_cpu_list;

/// The number of ranks on a host, and the cores that any of them may use.
#[derive(Default)]
struct Host {
    ranks: usize,
    cores: BTreeSet<usize>,
}

/// Returns a warning if ranks outnumber the cores of a host and were traced without `--token`.
pub fn shared_cores(trace: &Trace) -> Option<String> {
    warning(trace.ranks().iter().map(RankTrace::metadata))
}

fn warning<'a>(ranks: impl Iterator<Item = &'a Metadata>) -> Option<String> {
    let mut hosts: BTreeMap<&str, Host> = BTreeMap::new();
    let mut is_virtual = false;
    for facts in ranks.filter(|facts| facts.get(key::TOKEN) == Some("no")) {
        let cores = facts.get(key::CORES).and_then(parse_cpu_list)?;
        let host = hosts.entry(facts.get(key::HOST)?).or_default();
        host.ranks += 1;
        host.cores.extend(cores);
        is_virtual |= facts.get(key::VIRTUAL).is_some();
    }
    let (name, host) = hosts.into_iter().find(|(_, host)| host.ranks > host.cores.len())?;
    let cores = host.cores.len();
    let remedy = if is_virtual {
        "A trace by `panto trace --token` has more accurate computation for `panto run --computation FILE`"
    } else {
        "`panto trace --token` runs one rank at a time on each core and measures more accurately"
    };
    Some(format!(
        "{} ranks shared {cores} core{} of {name}: context switches evict caches and lengthen computation. \
         {remedy}",
        host.ranks,
        if cores == 1 { "" } else { "s" },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warning_for(ranks: &[(&str, &str, &str)]) -> Option<String> {
        let facts: Vec<Metadata> = ranks
            .iter()
            .map(|(host, cores, token)| {
                let mut facts = Metadata::default();
                facts.set(key::HOST, host);
                facts.set(key::CORES, cores);
                facts.set(key::TOKEN, token);
                facts
            })
            .collect();
        warning(facts.iter())
    }

    #[test]
    fn ranks_that_share_cores_are_reported() {
        let text = warning_for(&[("a", "0-1", "no"), ("a", "0-1", "no"), ("a", "0,1", "no")]).unwrap();
        assert!(text.starts_with("3 ranks shared 2 cores of a:"), "{text}");
        assert!(
            warning_for(&[("a", "0", "no"), ("a", "0", "no")])
                .unwrap()
                .starts_with("2 ranks shared 1 core of a:")
        );
    }

    #[test]
    fn the_remedy_for_a_run_in_virtual_time() {
        let mut facts = Metadata::default();
        for (name, value) in [(key::HOST, "a"), (key::CORES, "0"), (key::TOKEN, "no"), (key::VIRTUAL, "yes")]
        {
            facts.set(name, &value);
        }
        let text = warning([&facts, &facts].into_iter()).unwrap();
        assert!(text.ends_with("`panto run --computation FILE`"), "{text}");
    }

    #[test]
    fn ranks_with_a_core_each_are_not_reported() {
        assert_eq!(warning_for(&[("a", "0", "no"), ("a", "1", "no")]), None);
        assert_eq!(warning_for(&[("a", "0", "no"), ("b", "0", "no")]), None);
        assert_eq!(warning_for(&[("a", "0", "yes"), ("a", "0", "yes")]), None);
    }

    #[test]
    fn an_unreadable_core_list_is_ignored() {
        assert_eq!(warning_for(&[("a", "0-4294967295", "no"), ("a", "x", "no")]), None);
    }
}
