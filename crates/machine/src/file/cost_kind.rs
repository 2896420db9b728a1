//! The two kinds of cost of a message: per message and per byte.

use super::figures;
use super::intervals::{Measure, measure};
use super::tree::{Node, Table};

/// A kind of cost of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostKind {
    /// Times per message: latencies of links, hops, overheads and gaps.
    Latency,
    /// Times per byte, and rates.
    Bandwidth,
}

/// A rate so high that no transfer takes noticeable time: a gigabyte takes a picosecond.
pub(super) const NO_LIMIT: &str = "1000000000000GB/s";

/// Returns the overrides that remove a kind of cost from all networks of a model.
pub fn free(tree: &Table, kind: CostKind) -> Vec<String> {
    let nodes = figures::nodes(tree).into_iter();
    let of_networks = nodes.filter(|(key, _)| key.starts_with("network"));
    let free = |(key, node): (String, &Node)| match kind {
        CostKind::Bandwidth if key.ends_with(FLOW_RATES) => Some(format!("{key}=[]")),
        _ => one(&key, measure(&key, &node.value)?.0, kind),
    };
    of_networks.filter_map(free).collect()
}

/// The rates of single flows, a list.
const FLOW_RATES: &str = "flow-rates";

fn one(key: &str, measure: Measure, kind: CostKind) -> Option<String> {
    match (kind, measure, key.strip_suffix("per-byte")) {
        (CostKind::Latency, Measure::Time, None) => Some(format!("{key}=0us")),
        (CostKind::Bandwidth, Measure::Time, Some(cost)) => Some(format!("{cost}bandwidth={NO_LIMIT}")),
        (CostKind::Bandwidth, Measure::Rate, None) => Some(format!("{key}={NO_LIMIT}")),
        _ => None,
    }
}
