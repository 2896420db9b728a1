//! Which keys there are, what kind of value each has, and how a later value replaces earlier ones.

mod check;
mod merge;

use panto_units::{parse_rate, parse_span};

pub use check::{check, wrong};
pub use merge::merge;

/// A key of a table.
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub shape: Shape,
    /// Other ways to say the same: whoever says this takes those back.
    rivals: &'static [&'static str],
    /// What means something only with the old value: gone when this changes.
    details: &'static [&'static str],
}

/// What a key holds.
pub enum Shape {
    /// A single value, or a list.
    Value,
    /// A table of these keys.
    Table(&'static [Key]),
    /// What something costs by its size: a table of [`COST`], or in short a time or a rate.
    Cost,
    /// Lines for some sizes.
    Pieces,
    /// A table with one entry for each operation.
    Operations(&'static Shape),
    /// A table of texts, whatever the keys.
    Texts,
}

use Shape::{Cost, Operations, Pieces, Texts, Value as Single};

const fn key(name: &'static str, shape: Shape) -> Key {
    Key { name, shape, rivals: &[], details: &[] }
}

const fn value(name: &'static str) -> Key {
    key(name, Single)
}

impl Key {
    const fn rivals(mut self, rivals: &'static [&'static str]) -> Self {
        self.rivals = rivals;
        self
    }

    const fn details(mut self, details: &'static [&'static str]) -> Self {
        self.details = details;
        self
    }
}

/// The whole file.
pub static ROOT: &[Key] = &[
    value("name"),
    value("about"),
    value("base"),
    key("network", Shape::Table(NETWORK)),
    key("networks", Operations(&Shape::Table(NETWORK))),
    key("send", Shape::Table(SEND)),
    key("processor", Shape::Table(PROCESSOR)),
    key("storage", Cost),
    key("collectives", Shape::Table(COLLECTIVES)),
    value("multitasking"),
    value("traffic"),
    key("sources", Texts),
    key("intervals", Texts),
];

/// What says how large a topology is.
pub const SIZES: &[&str] = &[
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
];

/// `[network]`, and each of `[networks.*]`.
pub static NETWORK: &[Key] = &[
    value("topology").details(SIZES),
    value("processors").rivals(&["dimensions"]),
    value("dimensions").rivals(&["processors"]),
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
    value("switching").details(&["header-size", "control-size", "flit-size", "occupancy", "frame"]),
    value("header-size"),
    value("control-size"),
    value("flit-size"),
    value("hop").rivals(&["setup"]),
    key("setup", Cost).rivals(&["hop"]),
    key("link", Cost),
    key("occupancy", Cost),
    value("frame"),
    key("overhead", Shape::Table(OVERHEAD)),
    key("nodes", Shape::Table(NODES)),
    key("local", Cost),
    value("map"),
];

static OVERHEAD: &[Key] =
    &[key("send", Cost), key("receive", Cost), value("immediate"), value("gap"), value("control")];

static NODES: &[Key] = &[value("size"), key("interface", Cost), key("inside", Cost)];

/// A cost.
pub static COST: &[Key] = &[
    value("latency"),
    value("bandwidth").rivals(&["per-byte"]),
    value("per-byte").rivals(&["bandwidth"]),
    value("packet"),
    key("pieces", Pieces),
];

/// A line of a cost, for some sizes.
pub static PIECE: &[Key] = &[
    value("up-to"),
    value("multiple-of"),
    value("remainder"),
    value("latency"),
    value("bandwidth").rivals(&["per-byte"]),
    value("per-byte").rivals(&["bandwidth"]),
    value("packet"),
];

static SEND: &[Key] = &[value("standard").details(&["above", "limit"]), value("above"), value("limit")];

static PROCESSOR: &[Key] = &[
    value("copy"),
    value("strided"),
    value("reduce"),
    value("daxpy"),
    value("copies-unexpected"),
    value("poll"),
    value("speed"),
];

static COLLECTIVES: &[Key] =
    &[value("rules"), value("send"), value("barrier-bytes"), key("algorithm", Operations(&Single))];

/// `local = "3us"` is a latency, `interface = "1GB/s"` a bandwidth: the key that a cost in short means.
pub fn short_cost(text: &str) -> Option<&'static str> {
    match (parse_span(text), parse_rate(text)) {
        (Ok(_), _) => Some("latency"),
        (_, Ok(_)) => Some("bandwidth"),
        _ => None,
    }
}

/// A key inside a table.
pub fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
