//! What a fit takes as known: the topology, and the switching over several links.
//!
//! Neither is fitted. They come from [`FitOptions::like`], from the built-in machine that was
//! simulated, or from the placement of ranks: one link between any two processors, or a star of
//! hosts where several hosts took part.

use panto_machine::{Model, Sharing, Switching};
use panto_results::{Distance, Manifest, Separation};

use crate::error::Error;
use crate::observations::Observations;
use crate::options::FitOptions;

/// Keys of `[network]` that are taken from a known model.
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

/// Processors of a machine of unknown size: enough for any program, since all are alike.
const ASSUMED_PROCESSORS: usize = 1024;

/// Payload of an Ethernet frame in bytes (IEEE 802.3); edit the model file for networks with other
/// frames.
const ETHERNET_FRAME: u64 = 1500;

/// Topology and switching, which are not fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownNetwork {
    /// Lines of `[network]` in the model file.
    pub lines: Vec<String>,
    /// How messages travel over several links.
    pub switching: Switching,
    /// Processors of a node, where messages within nodes were measured beside those between hosts.
    pub node_size: Option<usize>,
    /// Whether messages between hosts share links; otherwise any two processors have a link of
    /// their own.
    pub shared_links: bool,
    /// Where topology and switching come from.
    pub source: String,
}

impl KnownNetwork {
    /// Takes them from the options, from the machine that was simulated, or from the placement of
    /// ranks, in this order.
    pub fn new(manifests: &[Manifest], request: &FitOptions, observed: &Observations) -> Result<Self, Error> {
        if let Some(model) = &request.like {
            return Ok(Self::from_model(model, format!("those of {} (--like)", model.machine().name)));
        }
        match manifests.first().and_then(|manifest| manifest.machine.as_ref()) {
            Some(machine) => Self::from_simulated(machine, manifests),
            None => Ok(Self::from_placement(manifests, observed)),
        }
    }

    fn from_model(model: &Model, source: String) -> Self {
        let network = &model.machine().network;
        let line = |figure: panto_machine::Figure| {
            let key = figure.key.strip_prefix("network.")?;
            let value = toml_value(&figure.value);
            (KEYS.contains(&key) && !(key == "map" && figure.value == "[]"))
                .then(|| format!("{key} = {value}"))
        };
        Self {
            lines: model.figures().into_iter().filter_map(line).collect(),
            switching: network.switching,
            node_size: network.nodes.as_ref().map(|nodes| nodes.size as usize),
            shared_links: model.machine().sharing == Sharing::Links,
            source,
        }
    }

    fn from_simulated(
        machine: &panto_results::SimulatedMachine,
        manifests: &[Manifest],
    ) -> Result<Self, Error> {
        let unknown =
            || Error::UnknownSwitching { machine: machine.name.clone(), topology: machine.topology.clone() };
        let model = Model::load(&machine.name, &machine.overrides).map_err(|_| unknown())?;
        if !model.is_builtin() {
            return Err(unknown());
        }
        let ranks = manifests.iter().flat_map(|manifest| &manifest.ranks).copied().max().unwrap_or(1);
        let model = model.with_processors(ranks)?;
        Ok(Self::from_model(&model, format!("those of the simulated {}", machine.name)))
    }

    fn from_placement(manifests: &[Manifest], observed: &Observations) -> Self {
        let has_echo = |distance| observed.echo.contains_key(&Separation::Placed(distance));
        let inside = has_echo(Distance::Node) || has_echo(Distance::CoreComplex);
        let node_size = (inside && has_echo(Distance::Network)).then(|| ranks_per_node(manifests));
        let processors = (ASSUMED_PROCESSORS / node_size.unwrap_or(1)).max(2);
        let cables = has_echo(Distance::Network);
        let (topology, source) = if cables {
            (
                "star",
                "assumed: each host has one link to one switch, Ethernet frames, and enough hosts for any program",
            )
        } else {
            ("complete", "assumed: a link between any two processors, and enough processors for any program")
        };
        let mut lines = vec![
            format!("topology = \"{topology}\""),
            format!("processors = {processors}"),
            "switching = \"flow\"".into(),
        ];
        lines.extend(cables.then(|| format!("frame = \"{ETHERNET_FRAME}B\"")));
        Self {
            lines,
            switching: Switching::Flow { header: 0 },
            node_size,
            shared_links: cables,
            source: source.into(),
        }
    }

    /// Returns the links between two ranks at this distance; `None` if a message uses no link.
    pub fn links(&self, separation: Separation) -> Option<u32> {
        match separation {
            Separation::Hops(hops) => u32::try_from(hops).ok().filter(|hops| *hops > 0),
            Separation::Placed(Distance::Itself) => None,
            // Host to switch, and switch to host.
            Separation::Placed(Distance::Network) => Some(2),
            Separation::Placed(Distance::Node | Distance::CoreComplex) => {
                self.node_size.is_none().then_some(1)
            }
        }
    }
}

fn ranks_per_node(manifests: &[Manifest]) -> usize {
    let placement = || manifests.iter().flat_map(|manifest| &manifest.placement);
    let count = |node: usize| placement().filter(|placed| placed.node == node).count();
    let launches = manifests.iter().filter(|manifest| !manifest.placement.is_empty()).count().max(1);
    placement().map(|placed| count(placed.node)).max().unwrap_or(1).div_ceil(launches).max(1)
}

/// Formats a value as TOML: lists, numbers and booleans as they are, everything else quoted.
fn toml_value(value: &str) -> String {
    let is_plain =
        value.starts_with('[') || value.parse::<f64>().is_ok() || ["true", "false"].contains(&value);
    if is_plain { value.to_owned() } else { format!("{value:?}") }
}
