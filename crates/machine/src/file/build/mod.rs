//! Builds a machine from a tree.

mod buffer;
mod cost;
mod maps;
mod network;
mod rules;
mod topology;

use std::collections::BTreeMap;

use panto_schedule::{Algorithm, Collective, algorithms};

use crate::machine::{CollectiveSend, Collectives, Machine, Processor, Protocol};
use crate::network::Network;
use crate::quality::Quality;
use crate::sharing::Sharing;

use super::error::{Error, Location};
use super::schema::{self, NETWORK};
use super::section::Section;
use super::tree::Table;

pub use topology::{Kind, kind, resolve};

/// Builds the machine of a tree, without its sources. `origin` is the location of errors about
/// missing keys, and `name` the default name.
pub fn machine(tree: &Table, origin: &Location, name: &str) -> Result<Machine, Error> {
    let root = Section::new(tree, "", origin);
    if !root.has("network") {
        return Err(root.missing("network", "a table with topology, switching and link"));
    }
    let network = network::network(&root.inner("network", "network"))?;
    let multitasking = root.flag("multitasking")?.unwrap_or(false);
    let networks = networks(tree, origin, &network, multitasking)?;
    let send = root.inner("send", "send");
    let protocol = protocol(&send)?;
    Ok(Machine {
        name: root.text("name")?.unwrap_or(name).to_owned(),
        about: root.text("about")?.unwrap_or_default().to_owned(),
        quality: root.choice("quality", &Quality::ALL.map(|quality| (quality.name(), quality)))?,
        network,
        networks,
        protocol,
        buffer: buffer::buffer(&send.inner("buffer", "send.buffer"), protocol)?,
        processor: processor(&root.inner("processor", "processor"))?,
        storage: cost::cost(&root, "storage")?,
        collectives: collectives(&root.inner("collectives", "collectives"))?,
        multitasking,
        sharing: sharing(&root)?,
        sources: Vec::new(),
    })
}

/// What messages share. `traffic = true` of earlier versions means links.
fn sharing(root: &Section<'_>) -> Result<Sharing, Error> {
    let earlier = root.flag("traffic")?.map(|links| if links { Sharing::Links } else { Sharing::Endpoints });
    let words = Sharing::ALL.map(|level| (level.name(), level));
    Ok(root.choice("sharing", &words)?.or(earlier).unwrap_or_default())
}

/// The networks of single collectives, which inherit the keys of `network`.
fn networks(
    tree: &Table,
    origin: &Location,
    network: &Network,
    multitasking: bool,
) -> Result<BTreeMap<Collective, Network>, Error> {
    let mut networks = BTreeMap::new();
    let Some(own) = tree.get("networks").and_then(|node| node.table()) else { return Ok(networks) };
    for (name, node) in own {
        let Ok(operation) = name.parse::<Collective>() else { continue };
        let table = inherited(tree, node.table());
        let path = format!("networks.{name}");
        let section = Section::new(&table, &path, &node.location);
        let other = network::network(&section)?;
        if let Some(rank) = maps::disagree(network, &other, multitasking) {
            return Err(maps::error(&section, origin, rank));
        }
        networks.insert(operation, other);
    }
    Ok(networks)
}

/// The keys of a collective's network, merged over those of `network`.
pub fn inherited(tree: &Table, own: Option<&Table>) -> Table {
    let mut table = tree.get("network").and_then(|node| node.table()).cloned().unwrap_or_default();
    schema::merge(&mut table, own.cloned().unwrap_or_default(), NETWORK);
    table
}

fn protocol(send: &Section<'_>) -> Result<Protocol, Error> {
    let words = [("buffered", 0), ("handshake", 1), ("synchronous", 2), ("eager", 3)];
    let chosen = send.choice("standard", &words)?.unwrap_or(0);
    let belongs = |key: &str, to: u8, word: &str| {
        if send.has(key) && chosen != to {
            return Err(send.error(key, format!("valid only with `standard = \"{word}\"`")));
        }
        Ok(())
    };
    belongs("above", 1, "handshake")?;
    belongs("limit", 3, "eager")?;
    let needed = |key: &str| {
        send.bytes(key)?
            .ok_or_else(|| send.missing(key, "the largest size that is sent eagerly, such as \"100B\""))
    };
    Ok(match chosen {
        1 => Protocol::Handshake { above: needed("above")? },
        2 => Protocol::Synchronous,
        3 => Protocol::Eager { limit: needed("limit")? },
        _ => Protocol::Buffered,
    })
}

fn processor(section: &Section<'_>) -> Result<Processor, Error> {
    let free = Processor::default();
    Ok(Processor {
        copy: section.per_byte("copy")?.unwrap_or(free.copy),
        strided: section.time("strided")?.unwrap_or(free.strided),
        reduce: section.per_byte("reduce")?.unwrap_or(free.reduce),
        daxpy: section.time("daxpy")?.unwrap_or(free.daxpy),
        copies_unexpected: section.flag("copies-unexpected")?.unwrap_or(free.copies_unexpected),
        interrupts: section.flag("interrupts")?.unwrap_or(free.interrupts),
        poll: section.duration("poll")?.unwrap_or(free.poll),
        speed: section.speed("speed")?.unwrap_or(free.speed),
    })
}

fn collectives(section: &Section<'_>) -> Result<Collectives, Error> {
    let sends = [
        ("standard", CollectiveSend::Standard),
        ("buffered", CollectiveSend::Buffered),
        ("synchronous", CollectiveSend::Synchronous),
        ("no-space", CollectiveSend::NoSpace),
    ];
    Ok(Collectives {
        rules: rules::rules(section)?,
        algorithms: own_algorithms(&section.inner("algorithm", "collectives.algorithm"))?,
        send: section.choice("send", &sends)?.unwrap_or_default(),
        barrier_bytes: section.bytes("barrier-bytes")?.unwrap_or(0),
    })
}

fn own_algorithms(section: &Section<'_>) -> Result<BTreeMap<Collective, Algorithm>, Error> {
    let mut chosen = BTreeMap::new();
    for collective in Collective::ALL {
        let Some(text) = section.text(collective.name())? else { continue };
        let serving = algorithms(collective);
        let serves = |algorithm: &Algorithm| serving.iter().any(|other| other.is_kind_of(*algorithm));
        let Some(algorithm) = text.parse().ok().filter(serves) else {
            let names: Vec<&str> = serving.iter().map(|algorithm| algorithm.name()).collect();
            let names = names.join(", ");
            return Err(
                section.error(collective.name(), format!("found \"{text}\", expected one of {names}"))
            );
        };
        chosen.insert(collective, algorithm);
    }
    Ok(chosen)
}
