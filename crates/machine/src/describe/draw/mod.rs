//! Small drawings of topologies; dots mark what does not fit.

mod grid;
mod hypercube;
mod lines;
mod trees;

use crate::topology::{Dragonfly, Graph, Topology};

/// Draws a topology in at most about a dozen lines.
pub(super) fn draw(topology: &Topology) -> String {
    let lines = match topology {
        Topology::Complete(n) => complete(*n),
        Topology::Linear(n) => vec![lines::chain(*n)],
        Topology::Ring(n) => lines::ring(*n),
        Topology::Mesh(mesh) => grid::grid(mesh.extents(), false),
        Topology::Torus(torus) => grid::grid(torus.extents(), true),
        Topology::Hypercube { dimensions } => hypercube::hypercube(*dimensions),
        Topology::Tree(tree) => trees::tree(tree),
        Topology::FatTree(tree) => trees::fat_tree(tree),
        Topology::Dragonfly(fly) => dragonfly(fly),
        Topology::Star(n) => lines::hanging(*n, Some("switch")),
        Topology::Bus(n) => lines::hanging(*n, None),
        Topology::Graph(lists) => graph(lists, topology.processors() as u32),
    };
    let trimmed: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    trimmed.join("\n")
}

/// The numbers below n; if there are more than `most`, the first ones, a gap and the last.
fn shown(n: u32, most: u32) -> Vec<Option<u32>> {
    if n <= most {
        return (0..n).map(Some).collect();
    }
    (0..most - 2).map(Some).chain([None, Some(n - 1)]).collect()
}

fn label(number: Option<u32>) -> String {
    number.map_or("...".to_owned(), |number| number.to_string())
}

fn complete(n: u32) -> Vec<String> {
    let corners = ["0 ─── 1", "│ ╲ ╱ │", "│ ╱ ╲ │", "2 ─── 3"];
    match n {
        0..=2 => vec![lines::chain(n)],
        3 => ["0 ─── 1", " ╲   ╱", "   2"].map(str::to_owned).into(),
        4 => corners.map(str::to_owned).into(),
        _ => {
            let mut lines: Vec<String> = corners.map(str::to_owned).into();
            lines[1] = format!("{}   ...   {}", corners[1], n - 1);
            lines.push("complete: a link between any two processors".to_owned());
            lines
        }
    }
}

fn dragonfly(fly: &Dragonfly) -> Vec<String> {
    let (routers, hosts) = (fly.routers(), fly.hosts());
    let router = |first: u32| {
        let hosts: Vec<String> =
            shown(hosts, 4).into_iter().map(|host| label(host.map(|host| first + host))).collect();
        format!("[{}]", hosts.join(" "))
    };
    let group = |group: u32| {
        let place = |at: u32| router((group * routers + at) * hosts);
        let places = shown(routers, if fly.groups() > 99 { 3 } else { 4 })
            .into_iter()
            .map(|at| at.map_or("...".to_owned(), place));
        format!("group {group}: {}", places.collect::<Vec<_>>().join("─"))
    };
    let mut lines: Vec<String> =
        shown(fly.groups(), 6).into_iter().map(|at| at.map_or("...".to_owned(), group)).collect();
    lines.push(
        "[ ] is a router with its processors; the routers of a group are completely connected".to_owned(),
    );
    if fly.groups() > 1 {
        lines.push("one link in each direction between any two groups".to_owned());
    }
    lines
}

fn graph(lists: &Graph, n: u32) -> Vec<String> {
    let line = |processor: u32| {
        let targets = lists.neighbours(processor);
        let mut words: Vec<String> = targets.iter().take(12).map(u32::to_string).collect();
        if targets.len() > 12 {
            words.push(format!("... ({} in total)", targets.len()));
        }
        format!("{processor} → {}", words.join(" "))
    };
    shown(n, 10).into_iter().map(|processor| processor.map_or("...".to_owned(), line)).collect()
}
