//! The language of scenarios (S4): who does what, in which order.
//!
//! A scenario is a TOML file. It names operations, and groups of participants with the actions that each of them takes. What is
//! swept over stands in it as a variable: `$size`, `$delay`, `$computation`, `$late`, `$collective`. `docs/scenarios.md` has it in full.

mod action;
mod amount;
pub(super) mod check;
mod form;
mod read;
mod who;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

pub use amount::{Amount, Pattern, Span, Times};
pub use form::Form;
pub use who::{Late, Who};

use action::Traced;

use super::builtin;
use super::operation::Call;
use crate::error::{Error, Result};

/// What each participant does (S4).
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// What it is about, in a line.
    pub about: String,
    /// The operations that participants issue.
    pub operations: Vec<Operation>,
    /// Who does what.
    pub groups: Vec<Group>,
    /// Where it was written, for errors.
    pub(super) origin: PathBuf,
}

/// An operation that participants issue and wait for.
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    /// Its name.
    pub name: String,
    /// Which collective; that of the sweep if none is named.
    pub collective: Option<Call>,
    /// Its size in bytes; that of the sweep if none is named.
    pub bytes: Option<u64>,
    /// The rank with a part of its own.
    pub root: Who,
    /// Whether it blocks, if the scenario says so.
    pub form: Option<Form>,
    /// Where it is described.
    pub(super) line: usize,
}

/// Participants that do the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Who they are: any of these.
    pub who: Vec<Who>,
    /// What they do.
    pub steps: Vec<Step>,
    /// Where they are named.
    pub(super) line: usize,
}

/// An action, and where it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// What is done.
    pub action: Action,
    /// The line.
    pub(super) line: usize,
}

/// What a participant does. Operations are meant by their places in [`Scenario::operations`].
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Reads the clock: the participant enters the scenario.
    Start,
    /// Reads the clock: the participant has completed it.
    Stop,
    /// Waits, without a look at the network.
    Delay(Amount),
    /// Computes.
    Comp(Amount),
    /// Issues an operation.
    Issue(usize),
    /// Waits for its completion.
    Sync(usize),
    /// Starts messages to another participant, and from one, which are under way from here on.
    Load(Load),
    /// Does the same several times.
    Repeat(u64, Vec<Step>),
}

/// Messages in the background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Bytes of each; those of the sweep if none are named.
    pub bytes: Option<u64>,
    /// To whom.
    pub peer: Peer,
    /// How many at once, each way.
    pub messages: u64,
}

/// Whom a load goes to. Each has one whom it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// The next participant; the last one's is the first.
    Next,
    /// The one before.
    Previous,
    /// The one half of all participants away.
    Across,
}

impl Peer {
    /// Whom a rank sends to, and whom it receives from.
    pub fn of(self, rank: usize, ranks: usize) -> (usize, usize) {
        let (next, previous) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
        match self {
            Self::Next => (next, previous),
            Self::Previous => (previous, next),
            Self::Across => ((rank + ranks / 2) % ranks, (rank + ranks - ranks / 2) % ranks),
        }
    }
}

/// What a scenario leaves to the sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variable {
    /// `$size`: bytes of an operation or of a load.
    Size,
    /// `$collective`: which collective.
    Collective,
    /// `$delay`: a time.
    Delay,
    /// `$computation`: a time.
    Computation,
    /// `$late`: who is late.
    Late,
}

impl Scenario {
    /// A built-in by its name, or a file. `trace` is what `$trace` stands for.
    pub fn load(name_or_path: &str, trace: Option<&Path>) -> Result<Self> {
        let (text, origin) = text_of(name_or_path)?;
        Self::parse(&text, &origin, trace)
    }

    /// The same, to look at: whatever `$trace` stands for.
    pub fn look(name_or_path: &str) -> Result<Self> {
        let (text, origin) = text_of(name_or_path)?;
        checked(read::read(&text, &origin, Traced::Any)?)
    }

    /// Reads a scenario. `origin` stands in errors, and trace files that it names lie beside it.
    pub fn parse(text: &str, origin: &Path, trace: Option<&Path>) -> Result<Self> {
        checked(read::read(text, origin, trace.map_or(Traced::Missing, Traced::File))?)
    }

    /// Does the scenario leave this to the sweep?
    pub fn uses(&self, variable: Variable) -> bool {
        let in_operations = |operation: &Operation| match variable {
            Variable::Size => operation.bytes.is_none() && operation.collective.is_none_or(Call::has_data),
            Variable::Collective => operation.collective.is_none(),
            _ => operation.root == Who::Late && variable == Variable::Late,
        };
        let in_group = |group: &Group| {
            (variable == Variable::Late && group.who.contains(&Who::Late)) || in_steps(&group.steps, variable)
        };
        let mut operations = self.operations.iter().enumerate().filter(|(place, _)| self.is_issued(*place));
        operations.any(|(_, operation)| in_operations(operation)) || self.groups.iter().any(in_group)
    }

    /// Does anybody issue this operation? A scenario may be nothing but computation.
    fn is_issued(&self, operation: usize) -> bool {
        let issues = |step: &Step| step.action == Action::Issue(operation);
        self.groups.iter().any(|group| flat(&group.steps).any(issues))
    }

    /// Does a load take its size from the sweep?
    pub(super) fn loads_are_swept(&self) -> bool {
        self.groups.iter().any(|group| in_steps(&group.steps, Variable::Size))
    }

    /// Does a participant compute while an operation may be in flight? Then it matters what moves it on.
    pub fn computes_beside(&self) -> bool {
        self.groups.iter().any(|group| {
            let mut flying = 0_usize;
            flat(&group.steps).any(|step| match step.action {
                Action::Issue(_) => {
                    flying += 1;
                    false
                }
                Action::Sync(_) => {
                    flying -= 1;
                    false
                }
                Action::Comp(_) => flying > 0,
                _ => false,
            })
        })
    }

    /// How many times operations are issued, by each participant.
    pub fn issues(&self) -> u64 {
        let steps = self.groups.first().map_or(&[][..], |group| &group.steps);
        count_issues(steps)
    }

    /// An error that names a line.
    pub(super) fn wrong(&self, line: usize, what: impl Into<String>) -> Error {
        Error::BadFile { path: self.origin.clone(), line, what: what.into() }
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

/// The steps with those that are repeated, each once.
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

/// The text of a scenario, and where it stands.
fn text_of(name_or_path: &str) -> Result<(Cow<'static, str>, PathBuf)> {
    if let Some(builtin) = builtin::find(name_or_path) {
        return Ok((builtin.text.into(), format!("scenarios/{}.toml", builtin.name).into()));
    }
    let path = Path::new(name_or_path);
    let text = std::fs::read_to_string(path).map_err(|source| missing(name_or_path, path, source))?;
    Ok((text.into(), path.into()))
}

/// Neither a file nor a built-in: both are named.
fn missing(name: &str, path: &Path, source: std::io::Error) -> Error {
    let looks_like_a_name = path.components().count() == 1 && path.extension().is_none();
    if looks_like_a_name && source.kind() == std::io::ErrorKind::NotFound {
        let names: Vec<&str> = builtin::all().iter().map(|builtin| builtin.name).collect();
        return Error::usage(format!(
            "there is no scenario `{name}`; there are {}, or name a file such as my.toml",
            names.join(", ")
        ));
    }
    if source.kind() == std::io::ErrorKind::InvalidData {
        let what = "this is not text in UTF-8; a scenario is a TOML file".into();
        return Error::BadFile { path: path.to_owned(), line: 1, what };
    }
    Error::Io { what: "cannot read", path: path.to_owned(), source }
}
