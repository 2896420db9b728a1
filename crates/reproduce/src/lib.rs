//! Compares published figures with those of the simulated machines (C20, M8, P23).
//!
//! `data/*.csv` holds the figures of the documents, and whether the model was given a figure,
//! predicts it, or cannot reproduce it because the document contradicts it. [`reproduce`] runs the
//! kernels on the simulated machine and derives each figure from their records, as on a real
//! machine. [`puppet`] does the same for the programs and tables of PUPPET's thesis. A figure that
//! the model does not reproduce stays in the table.
//!
//! Codes such as C20 in comments are requirements: rows of `docs/conformance.md`.

#![forbid(unsafe_code)]

mod cm5;
mod curves;
mod error;
mod ipsc860;
pub mod present;
mod published;
pub mod puppet;
mod tally;
mod workbench;

use panto_machine::Machine;
use panto_results::Record;
use panto_transport::simulated::Sharing;
use serde::Serialize;

pub use error::{Error, Result};
pub use published::{Published, Relation, Status};
pub use tally::Tally;

use workbench::Workbench;

/// The published figures of a machine, and the simulated ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reproduction {
    /// The machine.
    pub machine: String,
    /// Description of its topology.
    pub topology: String,
    /// What messages share, by its name.
    pub sharing: &'static str,
    /// The outcome of each figure.
    pub outcomes: Vec<Outcome>,
    /// The free parameters of the model, which no document gives.
    pub assumed: Vec<AssumedParameter>,
    /// The curves.
    #[serde(skip)]
    pub plots: Vec<Plot>,
}

/// A published figure, and the simulated one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outcome {
    /// The published figure.
    #[serde(flatten)]
    pub published: Published,
    /// The simulated figure, in the same unit.
    pub simulated: f64,
    /// The relative difference in per cent; `None` for a law.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<f64>,
    /// Whether they agree.
    pub verdict: Verdict,
}

/// Whether the document and the model agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The figure agrees within the tolerance of the table.
    Met,
    /// The figure differs by more.
    Differs,
    /// The law holds.
    Holds,
    /// The law does not hold.
    Broken,
    /// The document contradicts itself, so agreement means nothing.
    Contradicted,
}

impl Verdict {
    /// Returns whether the figure is reproduced.
    pub fn is_reproduced(self) -> bool {
        matches!(self, Self::Met | Self::Holds)
    }
}

/// A free parameter of the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AssumedParameter {
    /// Its keys in the model file: several if they follow from one assumption.
    pub keys: Vec<String>,
    /// The assumption.
    pub source: String,
}

/// The simulated records of one kernel, and the published curves.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// The kernel.
    pub kernel: String,
    /// The records.
    pub records: Vec<Record>,
    /// Published times in seconds.
    pub times: Vec<Line>,
    /// Published bandwidths in bytes per second.
    pub rates: Vec<Line>,
}

/// A published curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// The points of the curve.
    pub points: Vec<(f64, f64)>,
}

/// The machines with published figures.
pub const MACHINES: [&str; 2] = ["ipsc860", "cm5"];

/// Simulated figures by id, and curves.
type Evaluated = (Vec<(&'static str, f64)>, Vec<Plot>);

/// Runs the kernels of one machine.
type Evaluate = fn(&Figures, Sharing) -> Result<(Machine, Evaluated)>;

/// Runs the kernels that the published figures of this machine need, and compares the figures.
pub fn reproduce(name: &str, model: Sharing) -> Result<Reproduction> {
    let (table, evaluate): (_, Evaluate) = match name {
        "ipsc860" => (include_str!("../../../data/ipsc860.csv"), ipsc860::evaluate),
        "cm5" => (include_str!("../../../data/cm5.csv"), cm5::evaluate),
        _ => return Err(Error::UnknownMachine(name.into())),
    };
    let file = format!("data/{name}.csv");
    let figures = Figures { published: published::parse(table, &file)?, file };
    let (machine, (simulated, plots)) = evaluate(&figures, model)?;
    let outcome = |published: Published| {
        let found = simulated.iter().find(|(id, _)| *id == published.id);
        let missing = || Error::MissingFigure { table: figures.file.clone(), id: published.id.clone() };
        let value = found.ok_or_else(missing)?.1;
        Ok(Outcome::new(published, value))
    };
    Ok(Reproduction {
        machine: machine.name.clone(),
        topology: machine.network.topology.to_string(),
        sharing: model.name(),
        outcomes: figures.published.iter().cloned().map(outcome).collect::<Result<_>>()?,
        assumed: assumed(&machine),
        plots,
    })
}

/// Returns a built-in machine.
fn builtin(name: &str, overrides: &[String]) -> Result<Machine> {
    Ok(Machine::load(name, overrides)?)
}

/// The published figures of one machine.
struct Figures {
    /// The table that contains them, for errors.
    file: String,
    published: Vec<Published>,
}

impl Figures {
    /// Returns the figure with this id, in seconds, bytes or bytes per second.
    fn si(&self, id: &str) -> Result<f64> {
        let found = self.published.iter().find(|published| published.id == id).map(Published::si);
        found.ok_or_else(|| Error::MissingFigure { table: self.file.clone(), id: id.into() })
    }
}

impl Reproduction {
    /// Counts the verdicts.
    pub fn tally(&self) -> Tally {
        self.outcomes.iter().map(|outcome| (outcome.published.status, outcome.verdict)).collect()
    }
}

impl Outcome {
    /// Compares a figure in seconds, bytes, bytes per second or per cent with the published one.
    fn new(published: Published, simulated: f64) -> Self {
        let simulated = simulated / published.scale();
        let equal = published.relation == Relation::Equal;
        let difference = equal.then(|| (simulated / published.value - 1.0) * 100.0);
        let verdict = match (published.relation, difference) {
            _ if published.status == Status::Contradicted => Verdict::Contradicted,
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

/// Returns one parameter per assumption, however many keys of the model file follow from it.
fn assumed(machine: &Machine) -> Vec<AssumedParameter> {
    let mut all: Vec<AssumedParameter> = Vec::new();
    for source in machine.sources.iter().filter(|source| source.mentions_assumption()) {
        match all.iter_mut().find(|assumed| assumed.source == source.text) {
            Some(same) => same.keys.push(source.key.clone()),
            None => {
                all.push(AssumedParameter { keys: vec![source.key.clone()], source: source.text.clone() });
            }
        }
    }
    all
}
