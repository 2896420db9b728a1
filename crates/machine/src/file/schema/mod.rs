//! The schema of model files: keys, the shape of their values, and how later values replace earlier
//! ones.
//!
//! Parsing, merging, listing of figures and writing all follow these tables; a key is defined
//! nowhere else.

mod check;
mod merge;

use panto_schedule::Collective;
use panto_units::{parse_rate, parse_span};

pub use check::{check, wrong};
pub use merge::merge;

/// A key of a table.
pub struct Key {
    /// The name.
    pub name: &'static str,
    /// The shape of its value.
    pub shape: Shape,
    /// Alternative keys that setting this one removes.
    replaces: &'static [&'static str],
    /// Keys that are valid only with the old value, and are removed when this one changes.
    dependents: &'static [&'static str],
}

/// The shape of a value.
pub enum Shape {
    /// A single value, or a list.
    Value,
    /// A table with these keys.
    Table(&'static [Key]),
    /// A cost by size: a table of [`COST`], or as a shorthand a time or a rate.
    Cost,
    /// The pieces of a cost: a list of tables of [`PIECE`].
    Pieces,
    /// A table with an entry for each collective.
    Operations(&'static Shape),
    /// A table of strings with any keys.
    Texts,
}

use Shape::{Cost, Operations, Pieces, Texts, Value as Single};

const fn key(name: &'static str, shape: Shape) -> Key {
    Key { name, shape, replaces: &[], dependents: &[] }
}

const fn value(name: &'static str) -> Key {
    key(name, Single)
}

impl Key {
    const fn replaces(mut self, replaces: &'static [&'static str]) -> Self {
        self.replaces = replaces;
        self
    }

    const fn dependents(mut self, dependents: &'static [&'static str]) -> Self {
        self.dependents = dependents;
        self
    }
}

/// The whole file.
pub static ROOT: &[Key] = &[
    value("name"),
    value("about"),
    value("year"),
    value("groups"),
    value("quality"),
    value("base"),
    key("network", Shape::Table(NETWORK)),
    key("networks", Operations(&Shape::Table(NETWORK))),
    key("send", Shape::Table(SEND)),
    key("processor", Shape::Table(PROCESSOR)),
    key("storage", Cost),
    key("collectives", Shape::Table(COLLECTIVES)),
    value("multitasking"),
    value("sharing"),
    value("traffic"),
    key("sources", Texts),
    value("assumed"),
    key("intervals", Texts),
];

/// The keys of [`ROOT`] that describe a machine and have no source.
pub const DESCRIPTION: &[&str] = &["name", "about", "year", "groups"];

/// The keys of the size of a topology, and last the rates by level of a fat tree, which a new
/// topology removes as well.
const SIZES_AND_LEVELS: &[&str] = &[
    "processors",
    "dimensions",
    "dims",
    "arity",
    "levels",
    "leaves",
    "widths",
    "groups",
    "routers",
    "hosts",
    "file",
    "flow-rates",
];

/// The keys of the size of a topology.
pub const SIZES: &[&str] = SIZES_AND_LEVELS.split_at(SIZES_AND_LEVELS.len() - 1).0;

/// `[network]`, and each of `[networks.*]`.
pub static NETWORK: &[Key] = &[
    value("topology").dependents(SIZES_AND_LEVELS),
    value("processors").replaces(&["dimensions"]),
    value("dimensions").replaces(&["processors"]),
    value("dims"),
    value("arity"),
    value("levels"),
    value("leaves"),
    value("widths"),
    value("groups"),
    value("routers"),
    value("hosts"),
    value("file"),
    value("most"),
    value("switching").dependents(&[
        "header-size",
        "control-size",
        "flit-size",
        "occupancy",
        "frame",
        "random-packets",
        "pipelined",
        "flow-rates",
    ]),
    value("header-size"),
    value("control-size"),
    value("flit-size"),
    value("hop").replaces(&["setup"]),
    key("setup", Cost).replaces(&["hop"]),
    key("link", Cost),
    key("occupancy", Cost),
    value("frame"),
    value("random-packets"),
    value("pipelined"),
    value("flow-rates"),
    key("overhead", Shape::Table(OVERHEAD)),
    key("nodes", Shape::Table(NODES)),
    key("local", Cost),
    value("map"),
];

static OVERHEAD: &[Key] =
    &[key("send", Cost), key("receive", Cost), value("immediate"), value("gap"), value("control")];

static NODES: &[Key] = &[value("size"), key("interface", Cost), key("inside", Cost)];

/// The keys of a cost.
pub static COST: &[Key] = &[
    value("latency"),
    value("bandwidth").replaces(&["per-byte"]),
    value("per-byte").replaces(&["bandwidth"]),
    value("packet"),
    key("pieces", Pieces),
];

/// The keys of a piece of a cost.
pub static PIECE: &[Key] = &[
    value("up-to"),
    value("multiple-of"),
    value("remainder"),
    value("latency"),
    value("bandwidth").replaces(&["per-byte"]),
    value("per-byte").replaces(&["bandwidth"]),
    value("packet"),
];

static SEND: &[Key] = &[
    value("standard").dependents(&["above", "limit", "buffer"]),
    value("above"),
    value("limit"),
    key("buffer", Shape::Table(BUFFER)),
];

static BUFFER: &[Key] = &[value("at"), value("space"), value("unit")];

static PROCESSOR: &[Key] = &[
    value("copy"),
    value("strided"),
    value("reduce"),
    value("daxpy"),
    value("copies-unexpected"),
    value("interrupts"),
    value("poll"),
    value("speed"),
];

static COLLECTIVES: &[Key] =
    &[value("rules"), value("send"), value("barrier-bytes"), key("algorithm", Operations(&Single))];

/// The key that the shorthand of a cost stands for: `local = "3us"` is a latency, `interface =
/// "1GB/s"` a bandwidth.
pub fn cost_shorthand(text: &str) -> Option<&'static str> {
    match (parse_span(text), parse_rate(text)) {
        (Ok(_), _) => Some("latency"),
        (_, Ok(_)) => Some("bandwidth"),
        _ => None,
    }
}

/// Returns whether the schema has a key with this full name, such as `network.link.latency`.
pub fn is_key(path: &str) -> bool {
    let mut names = path.split('.');
    let find =
        |keys: &'static [Key], name: &str| keys.iter().find(|key| key.name == name).map(|key| &key.shape);
    let mut shape = names.next().and_then(|name| find(ROOT, name));
    for name in names {
        shape = match shape {
            Some(Shape::Table(keys)) => find(keys, name),
            Some(Cost) => find(COST, name),
            Some(Operations(inner)) => name.parse::<Collective>().ok().map(|_| *inner),
            _ => None,
        };
    }
    shape.is_some()
}

/// The full name of a key inside a table.
pub fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
