//! The language of scenarios (S4): which participants do what, in which order.
//!
//! A scenario is a TOML file. It defines operations, and groups of participants with the actions of
//! each. Swept quantities are variables: `$size`, `$delay`, `$computation`, `$late`, `$collective`.
//! `docs/scenarios.md` is the reference.

mod action;
mod amount;
pub(super) mod check;
mod form;
mod participants;
mod read;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use panto_results::scenario::CollectiveCall;

pub use amount::{Amount, Pattern, Span, Times};
pub use form::Form;
pub use participants::{Late, Participants};

use action::Traced;

use super::builtin;
use crate::error::{Error, Result};

/// The steps of each participant (S4).
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// Name.
    pub name: String,
    /// Description, one line.
    pub about: String,
    /// Operations that participants issue.
    pub operations: Vec<Operation>,
    /// Groups of participants.
    pub groups: Vec<Group>,
    /// File, for errors.
    pub(super) origin: PathBuf,
}

/// An operation that participants issue and wait for.
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    /// Name.
    pub name: String,
    /// The collective; that of the sweep if `None`.
    pub collective: Option<CollectiveCall>,
    /// Size in bytes; that of the sweep if `None`.
    pub bytes: Option<u64>,
    /// Root participant.
    pub root: Participants,
    /// Whether it blocks, if the scenario defines it.
    pub form: Option<Form>,
    /// Line of its definition.
    pub(super) line: usize,
}

/// Participants with the same steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Selectors of the participants: any of these.
    pub who: Vec<Participants>,
    /// Steps of each participant.
    pub steps: Vec<Step>,
    /// Line of its definition.
    pub(super) line: usize,
}

/// An action and its line.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The action.
    pub action: Action,
    /// Line.
    pub(super) line: usize,
}

/// Action of a participant. Operations are indices into [`Scenario::operations`].
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Reads the clock: the participant enters the scenario.
    Start,
    /// Reads the clock: the participant has completed it.
    Stop,
    /// Waits, without polling the network.
    Delay(Amount),
    /// Computes.
    Comp(Amount),
    /// Issues an operation.
    Issue(usize),
    /// Waits for its completion.
    Sync(usize),
    /// Starts messages to another participant, and from one, which are in flight from here on.
    Load(Load),
    /// Repeats steps.
    Repeat(u64, Vec<Step>),
}

/// Background messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Bytes of each; those of the sweep if `None`.
    pub bytes: Option<u64>,
    /// Destination.
    pub peer: Peer,
    /// Messages in flight in each direction.
    pub messages: u64,
}

/// Destination of a load. Each participant has one source, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// The next participant, cyclically.
    Next,
    /// The previous participant, cyclically.
    Previous,
    /// The participant that is half the number of ranks away.
    Across,
}

impl Peer {
    /// Returns destination and source of a rank.
    pub fn of(self, rank: usize, ranks: usize) -> (usize, usize) {
        let (next, previous) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
        match self {
            Self::Next => (next, previous),
            Self::Previous => (previous, next),
            Self::Across => ((rank + ranks / 2) % ranks, (rank + ranks - ranks / 2) % ranks),
        }
    }
}

/// A quantity that a scenario leaves to the sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variable {
    /// `$size`: bytes of an operation or of a load.
    Size,
    /// `$collective`: the collective.
    Collective,
    /// `$delay`: a time.
    Delay,
    /// `$computation`: a time.
    Computation,
    /// `$late`: the late participant.
    Late,
}

impl Scenario {
    /// Loads a built-in scenario by its name, or a file. `trace` is the value of `$trace`.
    pub fn load(name_or_path: &str, trace: Option<&Path>) -> Result<Self> {
        let (text, origin) = text_of(name_or_path)?;
        Self::parse(&text, &origin, trace)
    }

    /// Loads a scenario to display it, without a value of `$trace`.
    pub fn look(name_or_path: &str) -> Result<Self> {
        let (text, origin) = text_of(name_or_path)?;
        checked(read::read(&text, &origin, Traced::Any)?)
    }

    /// Parses a scenario. `origin` is used in errors; trace files that it names lie beside it.
    pub fn parse(text: &str, origin: &Path, trace: Option<&Path>) -> Result<Self> {
        checked(read::read(text, origin, trace.map_or(Traced::Missing, Traced::File))?)
    }

    /// Returns whether the scenario leaves this variable to the sweep.
    pub fn uses(&self, variable: Variable) -> bool {
        let in_operations = |operation: &Operation| match variable {
            Variable::Size => {
                operation.bytes.is_none() && operation.collective.is_none_or(CollectiveCall::has_data)
            }
            Variable::Collective => operation.collective.is_none(),
            _ => operation.root == Participants::Late && variable == Variable::Late,
        };
        let in_group = |group: &Group| {
            (variable == Variable::Late && group.who.contains(&Participants::Late))
                || in_steps(&group.steps, variable)
        };
        let mut operations = self.operations.iter().enumerate().filter(|(place, _)| self.is_issued(*place));
        operations.any(|(_, operation)| in_operations(operation)) || self.groups.iter().any(in_group)
    }

    /// Returns whether any participant issues this operation. A scenario may be computation only.
    fn is_issued(&self, operation: usize) -> bool {
        let issues = |step: &Step| step.action == Action::Issue(operation);
        self.groups.iter().any(|group| flat(&group.steps).any(issues))
    }

    /// Returns whether a load takes its size from the sweep.
    pub(super) fn loads_are_swept(&self) -> bool {
        self.groups.iter().any(|group| in_steps(&group.steps, Variable::Size))
    }

    /// Returns whether a participant computes while an operation may be in flight, so that the
    /// means of progress matters.
    pub fn computes_beside(&self) -> bool {
        self.groups.iter().any(|group| {
            let mut in_flight = 0_usize;
            flat(&group.steps).any(|step| match step.action {
                Action::Issue(_) => {
                    in_flight += 1;
                    false
                }
                Action::Sync(_) => {
                    in_flight -= 1;
                    false
                }
                Action::Comp(_) => in_flight > 0,
                _ => false,
            })
        })
    }

    /// Returns how often each participant issues operations.
    pub fn issues(&self) -> u64 {
        let steps = self.groups.first().map_or(&[][..], |group| &group.steps);
        count_issues(steps)
    }

    /// Returns an error with a line.
    pub(super) fn wrong(&self, line: usize, what: impl Into<String>) -> Error {
        Error::BadFile { path: self.origin.clone(), line, reason: what.into() }
    }
}

fn count_issues(steps: &[Step]) -> u64 {
    let count = |step: &Step| match &step.action {
        Action::Issue(_) => 1,
        Action::Repeat(times, inner) => times * count_issues(inner),
        _ => 0,
    };
    steps.iter().map(count).sum()
}

fn in_steps(steps: &[Step], variable: Variable) -> bool {
    steps.iter().any(|step| match &step.action {
        Action::Delay(amount) | Action::Comp(amount) => amount.span.variable() == Some(variable),
        Action::Load(load) => variable == Variable::Size && load.bytes.is_none(),
        Action::Repeat(_, inner) => in_steps(inner, variable),
        Action::Start | Action::Stop | Action::Issue(_) | Action::Sync(_) => false,
    })
}

/// Returns the steps with repeated ones flattened, each once.
pub(super) fn flat(steps: &[Step]) -> Box<dyn Iterator<Item = &Step> + '_> {
    Box::new(steps.iter().flat_map(|step| match &step.action {
        Action::Repeat(_, inner) => flat(inner),
        _ => Box::new(std::iter::once(step)),
    }))
}

fn checked(scenario: Scenario) -> Result<Scenario> {
    check::check(&scenario)?;
    Ok(scenario)
}

/// Returns the text of a scenario, and its origin.
fn text_of(name_or_path: &str) -> Result<(Cow<'static, str>, PathBuf)> {
    if let Some(builtin) = builtin::find(name_or_path) {
        return Ok((builtin.text.into(), format!("scenarios/{}.toml", builtin.name).into()));
    }
    let path = Path::new(name_or_path);
    let text = std::fs::read_to_string(path).map_err(|source| missing(name_or_path, path, source))?;
    Ok((text.into(), path.into()))
}

/// Returns the error for a name that is neither a file nor a built-in; it lists both.
fn missing(name: &str, path: &Path, source: std::io::Error) -> Error {
    let looks_like_a_name = path.components().count() == 1 && path.extension().is_none();
    if looks_like_a_name && source.kind() == std::io::ErrorKind::NotFound {
        let names: Vec<&str> = builtin::all().iter().map(|builtin| builtin.name).collect();
        return Error::usage(format!(
            "unknown scenario `{name}`; use {}, or a file such as my.toml",
            names.join(", ")
        ));
    }
    if source.kind() == std::io::ErrorKind::InvalidData {
        let what = "this is not text in UTF-8; a scenario is a TOML file".into();
        return Error::BadFile { path: path.to_owned(), line: 1, reason: what };
    }
    Error::Io { failure: "cannot read", path: path.to_owned(), source }
}
