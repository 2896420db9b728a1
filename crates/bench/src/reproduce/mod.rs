//! The figures that the documents publish beside those of the simulated machines (C20, M8).
//!
//! `data/*.csv` holds what a document states in numbers or words, and whether the model was told it or predicts it. Each figure
//! of the model comes from a kernel that ran on the simulated machine, as it would be found on a real one. A figure that the model
//! does not meet stays in the table.

mod cm5;
mod ipsc860;
mod laws;
mod published;
mod workbench;

use panto_machine::Machine;
use panto_transport::simulated::Model;
use serde::Serialize;

pub use published::{Published, Relation, Status};

use crate::error::{Error, Result};
use crate::results::Record;
use workbench::Workbench;

/// The published figures of a machine, and what the simulated one gives.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reproduction {
    /// The machine.
    pub machine: String,
    /// Which processors have links, in words.
    pub topology: String,
    /// How links are shared: `fast` or `traffic`.
    pub network: &'static str,
    /// A row for each figure.
    pub outcomes: Vec<Outcome>,
    /// The model's free parameters: what no document says.
    pub assumed: Vec<Assumed>,
    /// The curves.
    #[serde(skip)]
    pub plots: Vec<Plot>,
}

/// A published figure, and what the simulated machine gives.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outcome {
    /// What the document says.
    #[serde(flatten)]
    pub published: Published,
    /// What the simulated machine gives, in the same unit.
    pub simulated: f64,
    /// The relative difference in per cent; a law has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<f64>,
    /// Do they agree?
    pub verdict: Verdict,
}

/// Do the document and the model agree?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The figure comes out, within what the table allows.
    Met,
    /// It does not.
    Differs,
    /// The law holds.
    Holds,
    /// It does not.
    Broken,
}

/// A free parameter of the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Assumed {
    /// Its keys in the model file: several if one assumption made them.
    pub keys: Vec<String>,
    /// What was assumed.
    pub source: String,
}

/// Simulated points of one kernel, and what was published about them.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// The kernel.
    pub kernel: String,
    /// The points.
    pub records: Vec<Record>,
    /// Published times in seconds.
    pub times: Vec<Line>,
    /// Published bandwidths in bytes a second.
    pub rates: Vec<Line>,
}

/// Something published that can be drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// What it is.
    pub name: String,
    /// From place to place.
    pub points: Vec<(f64, f64)>,
}

/// The machines whose published figures are known.
pub const MACHINES: [&str; 2] = ["ipsc860", "cm5"];

/// Simulated figures by the names of the table, and curves.
type Evaluated = (Vec<(&'static str, f64)>, Vec<Plot>);

/// Runs the kernels of one machine.
type Evaluate = fn(&Figures, Model) -> Result<(Machine, Evaluated)>;

/// Runs the kernels that the published figures of this machine need, and compares.
pub fn reproduce(name: &str, model: Model) -> Result<Reproduction> {
    let (table, evaluate): (_, Evaluate) = match name {
        "ipsc860" => (include_str!("../../../../data/ipsc860.csv"), ipsc860::evaluate),
        "cm5" => (include_str!("../../../../data/cm5.csv"), cm5::evaluate),
        _ => {
            let known = MACHINES.join(", ");
            return Err(Error::usage(format!(
                "no figures of `{name}` are known; there are those of {known}"
            )));
        }
    };
    let figures = Figures(published::parse(table, &format!("data/{name}.csv"))?);
    let (machine, (simulated, plots)) = evaluate(&figures, model)?;
    let outcome = |published: Published| {
        let found = simulated.iter().find(|(id, _)| *id == published.id);
        let missing = || Error::usage(format!("data/{name}.csv: nothing here simulates `{}`", published.id));
        let value = found.ok_or_else(missing)?.1;
        Ok(Outcome::new(published, value))
    };
    Ok(Reproduction {
        machine: machine.name.clone(),
        topology: machine.network.topology.to_string(),
        network: if model == Model::Fast { "fast" } else { "traffic" },
        outcomes: figures.0.into_iter().map(outcome).collect::<Result<_>>()?,
        assumed: assumed(&machine),
        plots,
    })
}

/// The model of a built-in machine.
fn builtin(name: &str, overrides: &[String]) -> Result<Machine> {
    Machine::load(name, overrides).map_err(|error| Error::usage(error.to_string()))
}

/// What a document says, by its short name.
struct Figures(Vec<Published>);

impl Figures {
    /// A figure in seconds, bytes, bytes a second.
    fn si(&self, id: &str) -> Result<f64> {
        let found = self.0.iter().find(|published| published.id == id).map(Published::si);
        found.ok_or_else(|| Error::usage(format!("the table of published figures has no `{id}`")))
    }
}

impl Outcome {
    /// `simulated` is in seconds, bytes, bytes a second, per cent.
    fn new(published: Published, simulated: f64) -> Self {
        let simulated = simulated / published.scale();
        let equal = published.relation == Relation::Equal;
        let difference = equal.then(|| (simulated / published.value - 1.0) * 100.0);
        let verdict = match (published.relation, difference) {
            (Relation::Equal, difference) => {
                let off = difference.unwrap_or(f64::INFINITY).abs();
                if off <= published.within.unwrap_or(0.0) { Verdict::Met } else { Verdict::Differs }
            }
            (Relation::Less, _) if simulated < published.value => Verdict::Holds,
            (Relation::More, _) if simulated > published.value => Verdict::Holds,
            _ => Verdict::Broken,
        };
        Self { published, simulated, difference, verdict }
    }
}

/// One parameter for each assumption, however many figures of the model come from it.
fn assumed(machine: &Machine) -> Vec<Assumed> {
    let mut all: Vec<Assumed> = Vec::new();
    for source in machine.sources.iter().filter(|source| source.text.contains("assumed")) {
        match all.iter_mut().find(|assumed| assumed.source == source.text) {
            Some(same) => same.keys.push(source.key.clone()),
            None => all.push(Assumed { keys: vec![source.key.clone()], source: source.text.clone() }),
        }
    }
    all
}
