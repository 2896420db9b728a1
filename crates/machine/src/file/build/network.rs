//! A network.

use crate::cost::Cost;
use crate::file::error::Error;
use crate::file::section::Section;
use crate::map::Map;
use crate::network::{Network, Nodes, Overheads, Switching};
use crate::topology::MOST_PROCESSORS;

use super::cost::cost;
use super::topology::topology;

/// What `[network]` or one of `[networks.*]` describes.
pub fn network(section: &Section<'_>) -> Result<Network, Error> {
    let topology = topology(section)?;
    let switching = switching(section)?;
    if !section.has("link") {
        return Err(section.missing(
            "link",
            "a table with latency and bandwidth or per-byte: the time of a message over one link",
        ));
    }
    let link = cost(section, "link")?;
    let setup = match section.time("hop")? {
        Some(_) if section.has("setup") => {
            return Err(section.error("hop", "`setup` says the same; give one of them"));
        }
        Some(hop) => Cost::constant(hop),
        None => cost(section, "setup")?,
    };
    let mut network = Network {
        topology,
        switching,
        link,
        setup,
        occupancy: section.has("occupancy").then(|| cost(section, "occupancy")).transpose()?,
        frame: section.bytes("frame")?,
        overheads: overheads(section)?,
        nodes: nodes(section)?,
        local: cost(section, "local")?,
        map: Map::All,
    };
    if network.processors() as u64 > MOST_PROCESSORS {
        let text =
            format!("the nodes have {} processors in all, at most 2^30 are allowed", network.processors());
        return Err(section.error("nodes", text));
    }
    network.map = map(section, network.processors())?;
    Ok(network)
}

fn switching(section: &Section<'_>) -> Result<Switching, Error> {
    let words = [
        ("packet", Switching::Packet),
        ("cut-through", Switching::CutThrough { header: section.bytes("header-size")?.unwrap_or(0) }),
        ("circuit", Switching::Circuit { control: section.bytes("control-size")?.unwrap_or(0) }),
        ("wormhole", Switching::Wormhole { flit: section.some_bytes("flit-size")?.unwrap_or(0) }),
        ("flow", Switching::Flow { header: section.bytes("header-size")?.unwrap_or(0) }),
    ];
    let names = "packet, cut-through, circuit, wormhole or flow";
    let chosen = section.choice("switching", &words)?.ok_or_else(|| section.missing("switching", names))?;
    if chosen == (Switching::Wormhole { flit: 0 }) {
        return Err(
            section.missing("flit-size", "the bytes of a flit, such as \"4B\": wormhole switching needs it")
        );
    }
    let is_flow = matches!(chosen, Switching::Flow { .. });
    let size = "this kind of switching has no such size";
    let flow = "only flows have it: switching = \"flow\"";
    for (key, fits, text) in [
        ("header-size", is_flow || matches!(chosen, Switching::CutThrough { .. }), size),
        ("control-size", matches!(chosen, Switching::Circuit { .. }), size),
        ("flit-size", matches!(chosen, Switching::Wormhole { .. }), size),
        ("occupancy", is_flow, flow),
        ("frame", is_flow, flow),
    ] {
        if section.has(key) && !fits {
            return Err(section.error(key, text));
        }
    }
    Ok(chosen)
}

fn overheads(section: &Section<'_>) -> Result<Overheads, Error> {
    let path = section.name("overhead");
    let overhead = section.inner("overhead", &path);
    Ok(Overheads {
        send: cost(&overhead, "send")?,
        receive: cost(&overhead, "receive")?,
        immediate: overhead.time("immediate")?.unwrap_or_default(),
        gap: overhead.time("gap")?.unwrap_or_default(),
        control: overhead.time("control")?.unwrap_or_default(),
    })
}

fn nodes(section: &Section<'_>) -> Result<Option<Nodes>, Error> {
    let path = section.name("nodes");
    let nodes = section.inner("nodes", &path);
    if !nodes.is_there() {
        return Ok(None);
    }
    let size = nodes.count("size")?.ok_or_else(|| nodes.missing("size", "how many processors a node has"))?;
    let size =
        u32::try_from(size).ok().filter(|size| (1..=MOST_PROCESSORS as u32).contains(size)).ok_or_else(
            || nodes.error("size", format!("found {size}, expected 1 to 2^30 processors in a node")),
        )?;
    Ok(Some(Nodes { size, interface: cost(&nodes, "interface")?, inside: cost(&nodes, "inside")? }))
}

fn map(section: &Section<'_>, processors: usize) -> Result<Map, Error> {
    let Some(list) = section.counts("map")? else { return Ok(Map::All) };
    if list.is_empty() {
        return Err(section.error("map", "it is empty, expected the processors of ranks 0, 1, 2, ..."));
    }
    let place = |(rank, &processor): (usize, &u64)| {
        if processor < processors as u64 {
            return Ok(processor as u32);
        }
        let most = processors.saturating_sub(1);
        let text = format!(
            "rank {rank} is mapped to processor {processor}, but there are only processors 0 to {most}"
        );
        Err(section.error("map", text))
    };
    list.iter().enumerate().map(place).collect::<Result<_, _>>().map(Map::List)
}
