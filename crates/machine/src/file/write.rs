//! Writes model files: the inverse of parsing, against the same schema.
//!
//! [`ModelWriter`] writes a file line by line; every key is checked against the schema in debug
//! builds, so that a misspelled one fails in a test and not on a user's machine.
//! [`Machine::to_toml`] writes a whole machine with it. Parsing the result gives the same machine.

use std::fmt::{Display, Write as _};

use panto_units::Time;

use super::error::Error;
use super::schema;
use crate::buffer::SendBuffer;
use crate::cost::{Cost, PerByte, Piece};
use crate::machine::{CollectiveSend, Machine, Processor, Protocol, Speed};
use crate::map::RankMap;
use crate::network::{Network, Switching};
use crate::sharing::Sharing;
use crate::topology::Topology;

/// A model file that is being written.
#[derive(Debug, Default)]
pub struct ModelWriter {
    text: String,
    /// The current table, empty at the top level.
    path: String,
    sources: Vec<(String, String)>,
    intervals: Vec<(String, String)>,
}

/// The keys of a cost or of one of its pieces, with their values in TOML.
pub type CostEntries = Vec<(&'static str, String)>;

impl ModelWriter {
    /// Begins a table, such as `network.link`.
    pub fn table(&mut self, path: &str) {
        debug_assert!(schema::is_key(path), "{path} is not in the schema");
        let _ = writeln!(self.text, "\n[{path}]");
        path.clone_into(&mut self.path);
    }

    /// Writes a key of the current table with a value in TOML.
    pub fn value(&mut self, key: &str, value: impl Display) {
        let path = schema::join(&self.path, key);
        debug_assert!(schema::is_key(&path), "{path} is not in the schema");
        let _ = writeln!(self.text, "{key} = {value}");
    }

    /// Writes a key of the current table with a string.
    pub fn string(&mut self, key: &str, text: &str) {
        self.value(key, quoted(text));
    }

    /// Writes a key of the current table with a size in bytes.
    pub fn bytes(&mut self, key: &str, bytes: u64) {
        self.value(key, format_args!("\"{bytes}B\""));
    }

    /// Writes a cost as a table: its pieces in the order of precedence, and the entries for all
    /// other sizes.
    pub fn cost(&mut self, path: &str, pieces: &[CostEntries], rest: &CostEntries) {
        self.table(path);
        for (key, value) in rest {
            self.value(key, value);
        }
        if pieces.is_empty() {
            return;
        }
        let _ = writeln!(self.text, "pieces = [");
        for piece in pieces {
            let entries: Vec<String> = piece.iter().map(|(key, value)| format!("{key} = {value}")).collect();
            let _ = writeln!(self.text, "    {{ {} }},", entries.join(", "));
        }
        let _ = writeln!(self.text, "]");
    }

    /// Adds the source of a figure or table.
    pub fn source(&mut self, key: &str, text: impl Into<String>) {
        self.sources.push((key.into(), text.into()));
    }

    /// Adds the confidence interval of a figure, as in `1.9us..2.2us`.
    pub fn interval(&mut self, key: &str, interval: String) {
        self.intervals.push((key.into(), interval));
    }

    /// Returns the text of the file, with sources and intervals at its end.
    pub fn finish(mut self) -> String {
        let tables = [
            ("sources", std::mem::take(&mut self.sources)),
            ("intervals", std::mem::take(&mut self.intervals)),
        ];
        for (name, entries) in tables.into_iter().filter(|(_, entries)| !entries.is_empty()) {
            self.table(name);
            for (key, text) in entries {
                let _ = writeln!(self.text, "\"{key}\" = {}", quoted(&text));
            }
        }
        self.text
    }
}

/// A TOML string; control characters become blanks.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// A time with its unit, to the picosecond.
pub fn format_time(seconds: f64) -> String {
    let seconds = seconds.max(0.0);
    let (factor, unit, digits) = if seconds >= 1e-6 { (1e6, "us", 6) } else { (1e9, "ns", 3) };
    format!("{}{unit}", trimmed(seconds * factor, digits))
}

/// The time of a byte with its unit, to a millionth of a picosecond.
pub fn format_time_per_byte(seconds: f64) -> String {
    format!("{}ns", trimmed(seconds.max(0.0) * 1e9, 9))
}

fn trimmed(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn time(time: Time) -> String {
    quoted(&format_time(time.as_secs()))
}

/// Three digits more than [`format_time_per_byte`], so that fixed-point rates survive.
fn per_byte(rate: PerByte) -> String {
    format!("\"{}ns\"", trimmed(rate.as_secs() * 1e9, 12))
}

impl Machine {
    /// Writes the machine as a model file, from which [`Machine::parse`] reads the same machine.
    /// Fails for a graph, whose links are in a file of their own, and for a network of a collective
    /// that lacks nodes, frames, an occupancy or a map which the main network has: such networks
    /// inherit those.
    pub fn to_toml(&self) -> Result<String, Error> {
        let mut writer = ModelWriter::default();
        writer.string("name", &self.name);
        if !self.about.is_empty() {
            writer.string("about", &self.about);
        }
        if let Some(quality) = self.quality {
            writer.string("quality", quality.name());
        }
        if self.multitasking {
            writer.value("multitasking", true);
        }
        if self.sharing != Sharing::default() {
            writer.string("sharing", self.sharing.name());
        }
        network(&mut writer, "network", &self.network, None)?;
        for (collective, own) in &self.networks {
            network(&mut writer, &format!("networks.{}", collective.name()), own, Some(&self.network))?;
        }
        protocol(&mut writer, self.protocol);
        if let Some(own) = &self.buffer {
            buffer(&mut writer, own);
        }
        processor(&mut writer, &self.processor);
        if !self.storage.is_free() {
            cost(&mut writer, "storage", &self.storage, false);
        }
        self.write_collectives(&mut writer);
        for source in &self.sources {
            writer.source(&source.key, source.text.as_str());
        }
        Ok(writer.finish())
    }

    fn write_collectives(&self, writer: &mut ModelWriter) {
        let collectives = &self.collectives;
        writer.table("collectives");
        writer.string("rules", &collectives.rules.to_string());
        let send = match collectives.send {
            CollectiveSend::Standard => "standard",
            CollectiveSend::Buffered => "buffered",
            CollectiveSend::Synchronous => "synchronous",
            CollectiveSend::NoSpace => "no-space",
        };
        writer.string("send", send);
        if collectives.barrier_bytes > 0 {
            writer.bytes("barrier-bytes", collectives.barrier_bytes);
        }
        if !collectives.algorithms.is_empty() {
            writer.table("collectives.algorithm");
            for (collective, algorithm) in &collectives.algorithms {
                writer.string(collective.name(), &algorithm.to_string());
            }
        }
    }
}

/// A test for a part of a network.
type HasPart = fn(&Network) -> bool;

/// Writes a network; with a `base`, one that inherits the keys of `base`.
fn network(
    writer: &mut ModelWriter,
    path: &str,
    network: &Network,
    base: Option<&Network>,
) -> Result<(), Error> {
    let inherits = |has: HasPart| base.is_some_and(has) && !has(network);
    let inherited: [(&str, HasPart); 5] = [
        ("nodes", |network| network.nodes.is_some()),
        ("frame", |network| network.frame.is_some()),
        ("random-packets", |network| network.random_packets.is_some()),
        ("occupancy", |network| network.occupancy.is_some()),
        ("map", |network| network.map != RankMap::All),
    ];
    if let Some((key, _)) = inherited.into_iter().find(|(_, has)| inherits(*has)) {
        return Err(Error::new(format!("`{path}.{key}` cannot be removed: it is inherited from `network`")));
    }
    writer.table(path);
    topology(writer, path, &network.topology)?;
    switching(writer, network.switching);
    if let Some(frame) = network.frame {
        writer.bytes("frame", frame);
    }
    if let Some(size) = network.random_packets {
        writer.bytes("random-packets", size);
    }
    if network.pipelined || base.is_some_and(|base| base.pipelined) {
        writer.value("pipelined", network.pipelined);
    }
    if !network.flow_rates.is_empty() || base.is_some_and(|base| !base.flow_rates.is_empty()) {
        let rates: Vec<String> = network.flow_rates.iter().map(|rate| per_byte(*rate)).collect();
        writer.value("flow-rates", format!("[{}]", rates.join(", ")));
    }
    if let RankMap::List(list) = &network.map {
        writer.value("map", list_of(list));
    }
    let is_own = base.is_some();
    let overheads = &network.overheads;
    let costs = [("setup", &network.setup), ("local", &network.local)];
    cost(writer, &format!("{path}.link"), &network.link, is_own);
    for (key, value) in costs.into_iter().filter(|(_, value)| is_own || !value.is_free()) {
        cost(writer, &format!("{path}.{key}"), value, is_own);
    }
    if let Some(occupancy) = &network.occupancy {
        cost(writer, &format!("{path}.occupancy"), occupancy, is_own);
    }
    let times = [("immediate", overheads.immediate), ("gap", overheads.gap), ("control", overheads.control)];
    let sides = [("send", &overheads.send), ("receive", &overheads.receive)];
    writer.table(&format!("{path}.overhead"));
    for (key, value) in times.into_iter().filter(|(_, value)| is_own || *value > Time::ZERO) {
        writer.value(key, time(value));
    }
    for (key, value) in sides.into_iter().filter(|(_, value)| is_own || !value.is_free()) {
        cost(writer, &format!("{path}.overhead.{key}"), value, is_own);
    }
    if let Some(nodes) = &network.nodes {
        writer.table(&format!("{path}.nodes"));
        writer.value("size", nodes.size);
        cost(writer, &format!("{path}.nodes.interface"), &nodes.interface, is_own);
        cost(writer, &format!("{path}.nodes.inside"), &nodes.inside, is_own);
    }
    Ok(())
}

fn topology(writer: &mut ModelWriter, path: &str, topology: &Topology) -> Result<(), Error> {
    writer.string("topology", topology.name());
    match topology {
        Topology::Complete(n)
        | Topology::Linear(n)
        | Topology::Ring(n)
        | Topology::Star(n)
        | Topology::Bus(n) => writer.value("processors", n),
        Topology::Mesh(grid) | Topology::Torus(grid) => writer.value("dims", list_of(grid.extents())),
        Topology::Hypercube { dimensions } => writer.value("dimensions", dimensions),
        Topology::Tree(tree) => {
            writer.value("arity", tree.arity());
            writer.value("levels", tree.levels());
            writer.value("leaves", tree.leaves_only());
        }
        Topology::FatTree(tree) => {
            writer.value("arity", tree.arity());
            writer.value("widths", list_of(tree.widths()));
        }
        Topology::Dragonfly(dragonfly) => {
            writer.value("groups", dragonfly.groups());
            writer.value("routers", dragonfly.routers());
            writer.value("hosts", dragonfly.hosts());
        }
        Topology::Graph(_) => {
            return Err(Error::new(format!("`{path}.topology`: a graph needs a file of its own")));
        }
    }
    Ok(())
}

fn list_of(numbers: &[u32]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
    format!("[{}]", numbers.join(", "))
}

fn switching(writer: &mut ModelWriter, switching: Switching) {
    let (name, size) = match switching {
        Switching::Packet => ("packet", None),
        Switching::CutThrough { header } => ("cut-through", Some(("header-size", header))),
        Switching::Circuit { control } => ("circuit", Some(("control-size", control))),
        Switching::Wormhole { flit } => ("wormhole", Some(("flit-size", flit))),
        Switching::Flow { header } => ("flow", Some(("header-size", header))),
    };
    writer.string("switching", name);
    if let Some((key, bytes)) = size {
        writer.bytes(key, bytes);
    }
}

/// Writes a cost; one that inherits another must override all of its keys.
fn cost(writer: &mut ModelWriter, path: &str, cost: &Cost, inherits: bool) {
    let mut pieces: Vec<CostEntries> = cost.pieces().map(|piece| entries(piece, inherits)).collect();
    let rest = pieces.pop().unwrap_or_default();
    writer.cost(path, &pieces, &rest);
    if inherits && pieces.is_empty() {
        writer.value("pieces", "[]");
    }
}

fn entries(piece: &Piece, inherits: bool) -> CostEntries {
    let mut entries = CostEntries::new();
    if let Some(residue) = piece.residue {
        entries.push(("multiple-of", residue.modulus.to_string()));
        entries.push(("remainder", residue.remainder.to_string()));
    }
    if let Some(most) = piece.up_to {
        entries.push(("up-to", format!("\"{most}B\"")));
    }
    entries.push(("latency", time(piece.startup)));
    entries.push(("per-byte", per_byte(piece.per_byte)));
    match piece.packet {
        Some(packet) => entries.push(("packet", format!("\"{packet}B\""))),
        None if inherits => entries.push(("packet", quoted("infinite"))),
        None => {}
    }
    entries
}

fn protocol(writer: &mut ModelWriter, protocol: Protocol) {
    writer.table("send");
    let (name, size) = match protocol {
        Protocol::Buffered => ("buffered", None),
        Protocol::Synchronous => ("synchronous", None),
        Protocol::Handshake { above } => ("handshake", Some(("above", above))),
        Protocol::Eager { limit } => ("eager", Some(("limit", limit))),
    };
    writer.string("standard", name);
    if let Some((key, bytes)) = size {
        writer.bytes(key, bytes);
    }
}

fn buffer(writer: &mut ModelWriter, buffer: &SendBuffer) {
    writer.table("send.buffer");
    writer.string("at", buffer.side.name());
    writer.bytes("space", buffer.space);
    writer.bytes("unit", buffer.unit);
}

fn processor(writer: &mut ModelWriter, processor: &Processor) {
    writer.table("processor");
    writer.value("copy", per_byte(processor.copy));
    writer.value("strided", time(processor.strided));
    writer.value("reduce", per_byte(processor.reduce));
    writer.value("daxpy", time(processor.daxpy));
    writer.value("copies-unexpected", processor.copies_unexpected);
    if processor.interrupts {
        writer.value("interrupts", true);
    }
    writer.value("poll", time(processor.poll));
    match processor.speed {
        Speed::Factor(factor) => writer.value("speed", format_args!("{factor:?}")),
        Speed::Daxpy => writer.value("speed", format_args!("\"{}\"", Speed::BY_DAXPY)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::builtin;

    fn without_sources(machine: &Machine) -> Machine {
        Machine { sources: Vec::new(), ..machine.clone() }
    }

    #[test]
    fn built_in_machines_survive_being_written() {
        for builtin in builtin::all() {
            let machine = Machine::load(builtin.name, &[]).unwrap();
            let text = machine.to_toml().unwrap();
            let read =
                Machine::parse(&text, "written.toml").unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(without_sources(&read), without_sources(&machine), "{text}");
        }
    }

    #[test]
    fn networks_of_collectives_survive_being_written() {
        let text = "[network]\ntopology = \"ring\"\nprocessors = 4\nswitching = \"packet\"\n\
                    link = { latency = \"3us\", packet = 100, pieces = [{ up-to = 8, latency = \"1us\" }] }\n\
                    [networks.barrier]\ntopology = \"tree\"\narity = 3\nlevels = 1\nlink = \"2us\"\n";
        let machine = Machine::parse(text, "m.toml").unwrap();
        let written = machine.to_toml().unwrap();
        let read = Machine::parse(&written, "m.toml").unwrap_or_else(|error| panic!("{error}\n{written}"));
        assert_eq!(without_sources(&read), without_sources(&machine), "{written}");
    }

    #[test]
    fn times_are_written_to_the_picosecond() {
        assert_eq!(format_time(62.775e-6), "62.775us");
        assert_eq!(format_time(0.0), "0ns");
        assert_eq!(format_time(4.16666e-10), "0.417ns");
        assert_eq!(format_time_per_byte(0.026_428_571_4e-6), "26.4285714ns");
    }

    #[test]
    fn strings_are_escaped() {
        assert_eq!(quoted("a \"b\" \\ c\nd"), "\"a \\\"b\\\" \\\\ c d\"");
    }
}
