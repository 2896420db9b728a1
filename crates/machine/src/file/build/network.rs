//! Builds networks.

use crate::cost::Cost;
use crate::file::error::Error;
use crate::file::section::Section;
use crate::map::RankMap;
use crate::network::{Network, Nodes, Overheads, Switching};
use crate::topology::{MAX_PROCESSORS, Topology};

use super::cost::cost;
use super::topology::topology;

/// The network of `[network]` or one of `[networks.*]`.
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
            return Err(section.error("hop", "conflicts with `setup`; use one of them"));
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
        random_packets: section.positive_bytes("random-packets")?,
        overheads: overheads(section)?,
        pipelined: section.flag("pipelined")?.unwrap_or(false),
        flow_rates: section.rates("flow-rates")?.unwrap_or_default(),
        nodes: nodes(section)?,
        local: cost(section, "local")?,
        map: RankMap::All,
    };
    if network.processors() as u64 > MAX_PROCESSORS {
        let text =
            format!("the nodes have {} processors in total, the maximum is 2^30", network.processors());
        return Err(section.error("nodes", text));
    }
    check_flows(section, &network)?;
    network.map = map(section, network.processors())?;
    Ok(network)
}

/// Checks what limits flows: it is defined where each of them has a route of links that it may
/// share.
fn check_flows(section: &Section<'_>, network: &Network) -> Result<(), Error> {
    let is_fat_tree = matches!(network.topology, Topology::FatTree(_));
    let is_bus = matches!(network.topology, Topology::Bus(_));
    let is_alone = network.frame.is_none() && network.nodes.is_none() && !is_bus;
    for (key, is_set) in [("pipelined", network.pipelined), ("flow-rates", !network.flow_rates.is_empty())] {
        if is_set && !matches!(network.switching, Switching::Flow { .. }) {
            return Err(section.error(key, "valid only with switching = \"flow\""));
        }
        if is_set && !is_alone {
            return Err(section.error(key, "not supported with a bus, frames or nodes of several processors"));
        }
        if is_set && key == "flow-rates" && !is_fat_tree {
            return Err(section.error(key, "valid only with topology = \"fat-tree\", one for each level"));
        }
    }
    let has_channels = is_fat_tree && network.nodes.is_none() && network.frame.is_none();
    if network.random_packets.is_some() && !has_channels {
        let text = "valid only with topology = \"fat-tree\", whose links have several channels, without frames and nodes";
        return Err(section.error("random-packets", text));
    }
    Ok(())
}

fn switching(section: &Section<'_>) -> Result<Switching, Error> {
    let words = [
        ("packet", Switching::Packet),
        ("cut-through", Switching::CutThrough { header: section.bytes("header-size")?.unwrap_or(0) }),
        ("circuit", Switching::Circuit { control: section.bytes("control-size")?.unwrap_or(0) }),
        ("wormhole", Switching::Wormhole { flit: section.positive_bytes("flit-size")?.unwrap_or(0) }),
        ("flow", Switching::Flow { header: section.bytes("header-size")?.unwrap_or(0) }),
    ];
    let names = "packet, cut-through, circuit, wormhole or flow";
    let chosen = section.choice("switching", &words)?.ok_or_else(|| section.missing("switching", names))?;
    if chosen == (Switching::Wormhole { flit: 0 }) {
        return Err(section
            .missing("flit-size", "the size of a flit, such as \"4B\", which wormhole switching needs"));
    }
    let is_flow = matches!(chosen, Switching::Flow { .. });
    let size = "this switching does not use it";
    let flow = "valid only with switching = \"flow\"";
    for (key, fits, text) in [
        ("header-size", is_flow || matches!(chosen, Switching::CutThrough { .. }), size),
        ("control-size", matches!(chosen, Switching::Circuit { .. }), size),
        ("flit-size", matches!(chosen, Switching::Wormhole { .. }), size),
        ("occupancy", is_flow, flow),
        ("frame", is_flow, flow),
        ("random-packets", is_flow, flow),
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
    if !nodes.exists() {
        return Ok(None);
    }
    let size =
        nodes.count("size")?.ok_or_else(|| nodes.missing("size", "the number of processors of a node"))?;
    let size = u32::try_from(size)
        .ok()
        .filter(|size| (1..=MAX_PROCESSORS as u32).contains(size))
        .ok_or_else(|| nodes.error("size", format!("found {size}, expected 1 to 2^30 processors")))?;
    Ok(Some(Nodes { size, interface: cost(&nodes, "interface")?, inside: cost(&nodes, "inside")? }))
}

fn map(section: &Section<'_>, processors: usize) -> Result<RankMap, Error> {
    let Some(list) = section.counts("map")? else { return Ok(RankMap::All) };
    if list.is_empty() {
        return Err(section.error("map", "it is empty, expected the processors of ranks 0, 1, 2, ..."));
    }
    let location = |(rank, &processor): (usize, &u64)| {
        if processor < processors as u64 {
            return Ok(processor as u32);
        }
        let most = processors.saturating_sub(1);
        let text = format!("rank {rank} is mapped to processor {processor}, but processors are 0 to {most}");
        Err(section.error("map", text))
    };
    list.iter().enumerate().map(location).collect::<Result<_, _>>().map(RankMap::List)
}
