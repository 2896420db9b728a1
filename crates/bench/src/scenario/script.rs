//! A scenario for a number of participants, with a value for each variable.

use panto_results::scenario::CollectiveCall;
use panto_transport::{Tag, Time};

use super::language::check;
use super::language::{Action, Form, Group, Late, Load, Participants, Scenario, Step, Times, flat};
use super::operation::CallOptions;
use crate::error::Result;

/// Values of the variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Values {
    /// Number of participants.
    pub ranks: usize,
    /// `$collective`.
    pub call: CollectiveCall,
    /// `$size`.
    pub bytes: u64,
    /// `$delay` and `$computation`.
    pub times: Times,
    /// `$late`.
    pub late: Late,
    /// Whether operations block that the scenario leaves open; by default as it needs them.
    pub form: Option<Form>,
    /// Seed of random times.
    pub seed: u64,
}

/// An operation with all its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planned {
    /// The collective.
    pub call: CollectiveCall,
    /// Size in bytes.
    pub bytes: u64,
    /// Root rank.
    pub root: usize,
    /// Whether it blocks.
    pub form: Form,
}

/// A step of one participant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Instruction {
    /// Reads the clock.
    Start,
    /// Reads the clock for the last time.
    Stop,
    /// Waits without polling the network.
    Delay(Time),
    /// Computes.
    Comp(Time),
    /// Issues an operation.
    Issue(usize),
    /// Waits for it.
    Sync(usize),
    /// Starts background messages.
    Load(Background),
}

/// Background messages of one participant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Background {
    /// Bytes of each message.
    pub bytes: u64,
    /// Messages in flight in each direction.
    pub messages: u64,
    /// Destination.
    pub to: usize,
    /// Source of the messages to this participant.
    pub from: usize,
    /// Tag, different for each load.
    pub tag: Tag,
}

/// A scenario for a number of participants.
#[derive(Debug, Clone)]
pub struct Script<'s> {
    scenario: &'s Scenario,
    values: Values,
    /// Operations, in the order of the scenario's.
    pub operations: Vec<Planned>,
    /// Ranks of each group.
    members: Vec<Vec<usize>>,
}

impl<'s> Script<'s> {
    /// Returns an error with the line of the file if the scenario is impossible with these values.
    pub fn new(scenario: &'s Scenario, values: Values) -> Result<Self> {
        let members = members(scenario, values)?;
        let mut operations = Vec::new();
        let mut settled = scenario.clone();
        for (place, operation) in scenario.operations.iter().enumerate() {
            let needed = || if overlaps(scenario, place) { Form::NonBlocking } else { Form::Blocking };
            let form = operation.form.or(values.form).unwrap_or_else(needed);
            settled.operations[place].form = Some(form);
            let root = operation
                .root
                .among(values.ranks, values.late)
                .map_err(|what| scenario.wrong(operation.line, what))?[0];
            let bytes = operation.bytes.unwrap_or(values.bytes);
            operations.push(Planned { call: operation.collective.unwrap_or(values.call), bytes, root, form });
        }
        if let Some(operation) = scenario.operations.get(CallOptions::TAGS) {
            return Err(scenario.wrong(
                operation.line,
                format!("there are at most {} operations; use one several times", CallOptions::TAGS),
            ));
        }
        check::check(&settled)?;
        let script = Self { scenario, values, operations, members };
        script.loads_meet()?;
        Ok(script)
    }

    /// Returns whether the operations block, if that is the same for all.
    pub fn form(&self) -> Option<Form> {
        let first = self.operations.first()?.form;
        self.operations.iter().all(|operation| operation.form == first).then_some(first)
    }

    /// Returns all steps of a rank, in order.
    pub fn instructions(&self, rank: usize) -> Vec<Instruction> {
        let Some((group, place)) = self.group_of(rank) else { return Vec::new() };
        let mut acts = Vec::new();
        self.unroll(&group.0.steps, (place, group.1), rank, &mut acts);
        acts
    }

    /// Returns a rank's group with its size, and the rank's index in it.
    fn group_of(&self, rank: usize) -> Option<((&'s Group, usize), usize)> {
        self.scenario.groups.iter().zip(&self.members).find_map(|(group, members)| {
            let place = members.binary_search(&rank).ok()?;
            Some(((group, members.len()), place))
        })
    }

    fn unroll(&self, steps: &[Step], place: (usize, usize), rank: usize, acts: &mut Vec<Instruction>) {
        let Values { times, seed, .. } = self.values;
        for step in steps {
            let act = match &step.action {
                Action::Start => Instruction::Start,
                Action::Stop => Instruction::Stop,
                Action::Delay(amount) => Instruction::Delay(amount.at(place, rank, times, seed)),
                Action::Comp(amount) => Instruction::Comp(amount.at(place, rank, times, seed)),
                Action::Issue(operation) => Instruction::Issue(*operation),
                Action::Sync(operation) => Instruction::Sync(*operation),
                Action::Load(load) => {
                    let number = acts.iter().filter(|act| matches!(act, Instruction::Load(_))).count();
                    Instruction::Load(self.background(load, rank, number))
                }
                Action::Repeat(times, inner) => {
                    (0..*times).for_each(|_| self.unroll(inner, place, rank, acts));
                    continue;
                }
            };
            acts.push(act);
        }
    }

    fn background(&self, load: &Load, rank: usize, number: usize) -> Background {
        let (to, from) = load.peer.of(rank, self.values.ranks);
        let bytes = load.bytes.unwrap_or(self.values.bytes);
        Background { bytes, messages: load.messages, to, from, tag: LOADS + number as Tag }
    }

    /// Checks that every destination of a load expects its messages.
    fn loads_meet(&self) -> Result<()> {
        if !self.scenario.groups.iter().any(|group| loads(group).next().is_some()) {
            return Ok(());
        }
        let all: Vec<Vec<(usize, Background)>> =
            (0..self.values.ranks).map(|rank| self.loads_of(rank)).collect();
        for (rank, own) in all.iter().enumerate() {
            for (number, (line, load)) in own.iter().enumerate() {
                let same = |(_, other): &(usize, Background)| {
                    other.from == rank && other.bytes == load.bytes && other.messages == load.messages
                };
                if !all[load.to].get(number).is_some_and(same) {
                    let what = format!(
                        "the load of participant {rank} goes to {}, which expects no such load; give both the same `load`, or all",
                        load.to
                    );
                    return Err(self.scenario.wrong(*line, what));
                }
            }
        }
        Ok(())
    }

    /// Returns the bytes of loads on a rank, sent and received.
    pub(super) fn load_bytes(&self) -> u64 {
        let each =
            |(_, load): &(usize, Background)| load.bytes.saturating_mul(load.messages).saturating_mul(2);
        let of_rank = |rank| self.loads_of(rank).iter().map(each).fold(0, u64::saturating_add);
        (0..self.values.ranks).map(of_rank).max().unwrap_or(0)
    }

    fn loads_of(&self, rank: usize) -> Vec<(usize, Background)> {
        let Some(((group, _), _)) = self.group_of(rank) else { return Vec::new() };
        let numbered = loads(group).enumerate();
        numbered.map(|(number, (line, load))| (line, self.background(load, rank, number))).collect()
    }
}

/// First tag of loads; operations have tags of their own, beyond those of users.
const LOADS: Tag = 0x5C;

fn loads(group: &Group) -> impl Iterator<Item = (usize, &Load)> {
    flat(&group.steps).filter_map(|step| match &step.action {
        Action::Load(load) => Some((step.line, load)),
        _ => None,
    })
}

/// Returns whether any step lies between an issue of the operation and its sync.
fn overlaps(scenario: &Scenario, operation: usize) -> bool {
    let directly = |pair: &[&Step]| {
        pair[0].action != Action::Issue(operation) || pair[1].action == Action::Sync(operation)
    };
    scenario.groups.iter().any(|group| {
        let steps: Vec<&Step> = flat(&group.steps).collect();
        !steps.windows(2).all(directly)
    })
}

/// Returns the ranks of each group, ascending: every rank is in one.
fn members(scenario: &Scenario, values: Values) -> Result<Vec<Vec<usize>>> {
    let groups = &scenario.groups;
    let mut owner: Vec<Option<usize>> = vec![None; values.ranks];
    for (place, group) in groups.iter().enumerate() {
        for who in &group.who {
            let ranks =
                who.among(values.ranks, values.late).map_err(|what| scenario.wrong(group.line, what))?;
            for rank in ranks {
                if let Some(other) = owner[rank].replace(place).filter(|other| *other != place) {
                    let line = groups[other].line;
                    let what = format!(
                        "participant {rank} is named here and in line {line}; name each once, or use who = \"others\""
                    );
                    return Err(scenario.wrong(group.line, what));
                }
            }
        }
    }
    let mut rest = groups.iter().enumerate().filter(|(_, group)| group.who.contains(&Participants::Others));
    let others = rest.next().map(|(place, _)| place);
    if let Some((_, again)) = rest.next() {
        return Err(scenario.wrong(
            again.line,
            "`others` is used twice; only one group can have all remaining participants",
        ));
    }
    let mut members = vec![Vec::new(); groups.len()];
    for (rank, owner) in owner.into_iter().enumerate() {
        let Some(place) = owner.or(others) else {
            let line = groups.last().map_or(1, |group| group.line);
            let what = format!(
                "participant {rank} is in no group, so all others would block; add a group with who = \"others\""
            );
            return Err(scenario.wrong(line, what));
        };
        members[place].push(rank);
    }
    Ok(members)
}
