//! What is taken as known: which processors have links, and how messages travel over several of them.

use panto_bench::results::Manifest;
use panto_bench::{Distance, Separation};
use panto_machine::{Model, Switching};

use crate::error::Error;
use crate::observe::Observed;
use crate::request::Request;

/// The keys of a network that are taken as known.
const KEYS: [&str; 19] = [
    "topology",
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
    "most",
    "switching",
    "header-size",
    "control-size",
    "flit-size",
    "frame",
    "map",
];

/// Where nothing is known of the size of a machine, it has so many processors: none of them differs from another.
const PLENTY: usize = 1024;

/// What an Ethernet sends whole (IEEE 802.3); networks with other frames are to be corrected in the file.
const FRAME: u64 = 1500;

/// What is taken as known.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// Lines of `[network]`.
    pub lines: Vec<String>,
    /// How messages travel over several links.
    pub switching: Switching,
    /// Processors of a node, where a way inside of nodes was measured beside the network.
    pub node: Option<usize>,
    /// Are the ways between hosts cables that messages share? Else every two have a way of their own.
    pub cables: bool,
    /// Where this comes from.
    pub source: String,
}

impl Known {
    /// From what the user says, from the machine that was simulated, from where ranks ran; else all are alike.
    pub fn new(manifests: &[Manifest], request: &Request, observed: &Observed) -> Result<Self, Error> {
        if let Some(model) = &request.like {
            return Ok(Self::of(
                model,
                format!("as {}, which was named to be like it", model.machine().name),
            ));
        }
        match manifests.first().and_then(|manifest| manifest.machine.as_ref()) {
            Some(machine) => Self::simulated(machine, manifests),
            None => Ok(Self::placed(manifests, observed)),
        }
    }

    fn of(model: &Model, source: String) -> Self {
        let network = &model.machine().network;
        let line = |figure: panto_machine::Figure| {
            let key = figure.key.strip_prefix("network.")?;
            let value = written(&figure.value);
            (KEYS.contains(&key) && !(key == "map" && figure.value == "[]"))
                .then(|| format!("{key} = {value}"))
        };
        Self {
            lines: model.figures().into_iter().filter_map(line).collect(),
            switching: network.switching,
            node: network.nodes.as_ref().map(|nodes| nodes.size as usize),
            cables: model.machine().traffic,
            source,
        }
    }

    fn simulated(machine: &panto_bench::results::Simulated, manifests: &[Manifest]) -> Result<Self, Error> {
        let unknown = || {
            Error::new(format!(
                "the results are of the simulated machine `{}` ({}), which is not built in, so its switching is not known; \
                 name its model file: panto fit RESULTS --like FILE.toml",
                machine.name, machine.topology
            ))
        };
        let model = Model::load(&machine.name, &machine.overrides).map_err(|_| unknown())?;
        if !model.is_builtin() {
            return Err(unknown());
        }
        let ranks = manifests.iter().flat_map(|manifest| &manifest.ranks).copied().max().unwrap_or(1);
        let model = model.with_processors(ranks).map_err(|error| Error::new(error.to_string()))?;
        Ok(Self::of(&model, format!("known: it is that of the simulated {}", machine.name)))
    }

    fn placed(manifests: &[Manifest], observed: &Observed) -> Self {
        let both = |distance| observed.echo.contains_key(&Separation::Placed(distance));
        let inside = both(Distance::Node) || both(Distance::CoreComplex);
        let node = (inside && both(Distance::Network)).then(|| ranks_of_a_node(manifests));
        let processors = (PLENTY / node.unwrap_or(1)).max(2);
        let cables = both(Distance::Network);
        let (topology, source) = if cables {
            (
                "star",
                "assumed: each host has one cable to one switch, frames are those of Ethernet, and there are hosts enough for any program",
            )
        } else {
            ("complete", "assumed: a link between any two, and processors enough for any program")
        };
        let mut lines = vec![
            format!("topology = \"{topology}\""),
            format!("processors = {processors}"),
            "switching = \"flow\"".into(),
        ];
        lines.extend(cables.then(|| format!("frame = \"{FRAME}B\"")));
        Self { lines, switching: Switching::Flow { header: 0 }, node, cables, source: source.into() }
    }

    /// The links to a pair at this distance; none if the way uses no link.
    pub fn links(&self, separation: Separation) -> Option<u32> {
        match separation {
            Separation::Hops(hops) => u32::try_from(hops).ok().filter(|hops| *hops > 0),
            Separation::Placed(Distance::Itself) => None,
            // To the switch, and from it.
            Separation::Placed(Distance::Network) => Some(2),
            Separation::Placed(Distance::Node | Distance::CoreComplex) => self.node.is_none().then_some(1),
        }
    }
}

fn ranks_of_a_node(manifests: &[Manifest]) -> usize {
    let placement = || manifests.iter().flat_map(|manifest| &manifest.placement);
    let count = |node: usize| placement().filter(|placed| placed.node == node).count();
    let launches = manifests.iter().filter(|manifest| !manifest.placement.is_empty()).count().max(1);
    placement().map(|placed| count(placed.node)).max().unwrap_or(1).div_ceil(launches).max(1)
}

/// As TOML has it: lists and numbers as they are, everything else in quotes.
fn written(value: &str) -> String {
    let is_plain =
        value.starts_with('[') || value.parse::<f64>().is_ok() || ["true", "false"].contains(&value);
    if is_plain { value.to_owned() } else { format!("{value:?}") }
}
