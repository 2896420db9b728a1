//! The commands of PUPPET's grammar and their translation into the TOML format.

use panto_schedule::Collective;
use panto_units::{parse_bytes, parse_span};

use crate::file::error::{Error, Location};
use crate::file::tree::{Node, Table, Value};
use panto_units::suggest::hint;

/// The options of the whole model.
pub const GLOBAL: [&str; 2] = ["barrier-size", "coll-sendtype"];

/// The options that every network needs.
pub const NEEDED: [&str; 5] = ["network", "map", "switching", "link-speed", "packet-size"];

/// All options of a network. The last four are not in the figure, which has no options for what the
/// switching formulas need.
pub const OPTIONS: [&str; 9] = [
    "network",
    "map",
    "switching",
    "link-speed",
    "packet-size",
    "flit-size",
    "header-size",
    "control-size",
    "control-speed",
];

/// The names of all commands.
pub fn commands() -> impl Iterator<Item = &'static str> {
    GLOBAL.into_iter().chain(OPTIONS)
}

/// A key of `[network]` with its value.
pub type Entry = (&'static str, Node);

/// Translates an option into the TOML format.
pub fn translate(option: &str, arguments: &[&str], location: &Location) -> Result<Vec<Entry>, Error> {
    let refuse = |expected| Err(wrong(option, arguments, expected, location));
    match (option, arguments) {
        ("network", [kind, sizes @ ..]) => topology(kind, sizes, location),
        ("network", _) => refuse(NETWORKS),
        ("map", [_, ..]) => Ok(vec![("map", numbers(option, arguments, location)?)]),
        ("map", _) => refuse("the processors of processes 0, 1, 2, ..."),
        ("switching", [kind @ ("packet" | "wormhole" | "circuit" | "cut-through")]) => {
            Ok(vec![("switching", Node::text(*kind, location))])
        }
        ("switching", _) => refuse("packet, cut-through, circuit or wormhole"),
        ("link-speed", [start, byte]) => {
            let [start, byte] = [start, byte].map(|time| seconds(option, time, location));
            Ok(vec![("link.latency", start?), ("link.per-byte", byte?)])
        }
        ("control-speed", [start, byte]) => {
            let [start, byte] = [start, byte].map(|time| seconds(option, time, location));
            Ok(vec![("setup.latency", start?), ("setup.per-byte", byte?)])
        }
        ("link-speed" | "control-speed", _) => {
            refuse("two times in seconds: of each packet, and of each byte")
        }
        ("packet-size", ["infinite"]) => Ok(vec![("link.packet", Node::text("infinite", location))]),
        ("packet-size", [size]) => Ok(vec![("link.packet", bytes(option, size, location)?)]),
        ("packet-size", _) => refuse("a size in bytes, or `infinite` where there are no packets"),
        ("flit-size", [size]) => Ok(vec![("flit-size", bytes(option, size, location)?)]),
        ("header-size", [size]) => Ok(vec![("header-size", bytes(option, size, location)?)]),
        ("control-size", [size]) => Ok(vec![("control-size", bytes(option, size, location)?)]),
        _ => refuse("one size in bytes"),
    }
}

/// Adds PUPPET's defaults: t0 is t without a control speed, and headers are empty without a size.
/// Sizes that the switching does not use are removed, since an option may be meant for the networks
/// of other operations.
pub fn complete(network: &mut Table, location: &Location) {
    let switching = network.get("switching").map(|node| node.value.written()).unwrap_or_default();
    for (key, user) in
        [("flit-size", "wormhole"), ("header-size", "cut-through"), ("control-size", "circuit")]
    {
        if switching != user {
            network.remove(key);
        } else if key != "flit-size" && !network.contains_key(key) {
            network.insert(key.into(), Node::integer(0, location));
        }
    }
    if let Some(link) = network.get("link").cloned()
        && !network.contains_key("setup")
    {
        network.insert("setup".into(), link);
    }
}

const NETWORKS: &str = "complete n, linear n, ring n, star n, bus n, mesh k1 ... km, torus k1 ... km, hypercube d, \
                        tree arity level, fat-tree arity w0 ... wm, dragonfly groups routers hosts, or custom file";

fn topology(kind: &str, sizes: &[&str], location: &Location) -> Result<Vec<Entry>, Error> {
    let name = if kind == "custom" { "graph" } else { kind };
    let mut entries = vec![("topology", Node::text(name, location))];
    let number = |text: &str| number("network", text, location);
    match (kind, sizes) {
        ("complete" | "linear" | "ring" | "star" | "bus", [n]) => entries.push(("processors", number(n)?)),
        ("mesh" | "torus", [_, ..]) => entries.push(("dims", numbers("network", sizes, location)?)),
        ("hypercube", [d]) => entries.push(("dimensions", number(d)?)),
        ("tree", [arity, level]) => entries.extend([("arity", number(arity)?), ("levels", number(level)?)]),
        ("fat-tree", [arity, widths @ ..]) => {
            entries.extend([("arity", number(arity)?), ("widths", numbers("network", widths, location)?)]);
        }
        ("dragonfly", [groups, routers, hosts]) => {
            entries.extend([
                ("groups", number(groups)?),
                ("routers", number(routers)?),
                ("hosts", number(hosts)?),
            ]);
        }
        ("custom", [file]) => entries.push(("file", Node::text(*file, location))),
        _ => {
            let found: Vec<&str> = std::iter::once(kind).chain(sizes.iter().copied()).collect();
            return Err(wrong("network", &found, NETWORKS, location));
        }
    }
    Ok(entries)
}

/// A time in seconds, as in PUPPET, or with a unit.
fn seconds(option: &str, text: &str, location: &Location) -> Result<Node, Error> {
    let plain = text.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
    match plain {
        // The TOML format requires a unit.
        Some(seconds) => Ok(Node::text(format!("{seconds}s"), location)),
        None if parse_span(text).is_ok() => Ok(Node::text(text, location)),
        None => Err(wrong(option, &[text], "a time in seconds, not negative, such as 39e-6", location)),
    }
}

/// A size in bytes.
pub fn bytes(option: &str, text: &str, location: &Location) -> Result<Node, Error> {
    match parse_bytes(text) {
        Ok(bytes) => Ok(Node::integer(bytes, location)),
        Err(_) => Err(wrong(option, &[text], "a size in bytes", location)),
    }
}

fn number(option: &str, text: &str, location: &Location) -> Result<Node, Error> {
    match text.parse::<u64>() {
        Ok(number) => Ok(Node::integer(number, location)),
        Err(_) => Err(wrong(option, &[text], "an integer", location)),
    }
}

fn numbers(option: &str, texts: &[&str], location: &Location) -> Result<Node, Error> {
    let list = texts.iter().map(|text| number(option, text, location)).collect::<Result<_, _>>()?;
    Ok(Node::new(Value::List(list), location))
}

/// An error about the arguments of an option.
pub fn wrong(option: &str, found: &[&str], expected: &str, location: &Location) -> Error {
    let found: String = found.join(" ").chars().take(60).collect();
    let found = if found.is_empty() { "nothing".into() } else { format!("`{found}`") };
    Error::at(location, format!("`{option}`: found {found}, expected {expected}"))
}

/// MPI's operations; `None` is a point-to-point message.
const OPERATIONS: &[(&str, Option<Collective>)] = &[
    ("MPI_Send", None),
    ("MPI_Isend", None),
    ("MPI_Bsend", None),
    ("MPI_Ibsend", None),
    ("MPI_Ssend", None),
    ("MPI_Issend", None),
    ("MPI_Rsend", None),
    ("MPI_Irsend", None),
    ("MPI_Recv", None),
    ("MPI_Irecv", None),
    ("MPI_Sendrecv", None),
    ("MPI_Bcast", Some(Collective::Broadcast)),
    ("MPI_Reduce", Some(Collective::Reduce)),
    ("MPI_Allreduce", Some(Collective::Allreduce)),
    ("MPI_Allgather", Some(Collective::Allgather)),
    ("MPI_Allgatherv", Some(Collective::Allgather)),
    ("MPI_Gather", Some(Collective::Gather)),
    ("MPI_Gatherv", Some(Collective::Gather)),
    ("MPI_Scatter", Some(Collective::Scatter)),
    ("MPI_Scatterv", Some(Collective::Scatter)),
    ("MPI_Alltoall", Some(Collective::Alltoall)),
    ("MPI_Alltoallv", Some(Collective::Alltoall)),
    ("MPI_Reduce_scatter", Some(Collective::ReduceScatter)),
    ("MPI_Scan", Some(Collective::Scan)),
    ("MPI_Exscan", Some(Collective::Exscan)),
    ("MPI_Barrier", Some(Collective::Barrier)),
];

/// The operation with a name.
pub fn operation(name: &str, location: &Location) -> Result<Option<Collective>, Error> {
    let found = OPERATIONS.iter().find(|(other, _)| *other == name);
    found.map(|(_, operation)| *operation).ok_or_else(|| {
        let hint = hint(name, OPERATIONS.iter().map(|(name, _)| *name));
        let short: String = name.chars().take(60).collect();
        let remedy =
            if hint.is_empty() { "; use the name of an MPI function, such as MPI_Bcast" } else { "" };
        Error::at(location, format!("`for`: unknown operation `{short}`{hint}{remedy}"))
    })
}
